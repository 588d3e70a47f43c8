"""Modes of redis-cli that look over a whole server: all keys, the biggest, latency, statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output, Session, globs

from sregym_server_redis.keyspace import weight
from sregym_server_redis.printing import quoted
from sregym_server_redis.vocabulary import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_server_redis.data import Value
    from sregym_server_redis.server import CommandConnection

_KINDS = (
    ("list", "items"), ("hash", "fields"), ("string", "bytes"), ("stream", "entries"),
    ("set", "members"), ("zset", "members"),
)  # fmt: skip
# In this order the summary names the biggest ones.
_BEST = ("list", "hash", "string", "stream", "set", "zset")
_HEAD = (
    "\n# Scanning the entire keyspace to find {what} keys as well as\n"
    "# average sizes per key type.  You can use -i 0.1 to sleep 0.1 sec\n"
    "# per 100 SCAN commands (not usually needed).\n\n"
)
# Before and after the pings.
_LATENCY_STARTS_S = 0.02
_NO_FREQUENCY = (
    "Error: ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note "
    "that when switching between policies at runtime LRU and LFU data will take some time to "
    "adjust.\n"
)


def _keys(client: CommandConnection, given: Mapping[str, str]) -> dict[str, Value]:
    """What is in the database, unless the client may not look."""
    client.run(["scan", "0"])
    held = client.data.database(client.database, client.world.now)
    form = given.get("--pattern", "*")
    return {key: value for key, value in held.items() if globs.matches(key, form, escapes=True)}


def _scan(session: Session, client: CommandConnection, given: Mapping[str, str]) -> Output:
    del session
    try:
        found = _keys(client, given)
    except Refused as refusal:
        return Output(1, "", f"ERROR: {refusal}\n")
    if "--no-raw" in given:
        return Output(0, "".join(f"{quoted(key)}\n" for key in found))
    return Output(0, "".join(f"{key}\n" for key in found))


def _length(value: Value) -> int:
    return len(value.content.encode()) if value.kind == "string" else len(value.content)


def _big(session: Session, client: CommandConnection, given: Mapping[str, str]) -> Output:
    del session
    by_memory = "--memkeys" in given
    out = _HEAD.format(what="biggest")
    try:
        found = _keys(client, given)
    except Refused as refusal:
        return Output(1, out, f"SCAN error: {refusal}\n")
    sizes = {
        key: weight(key, value) if by_memory else _length(value) for key, value in found.items()
    }
    units = {kind: "bytes" if by_memory else unit for kind, unit in _KINDS}
    best: dict[str, str] = {}
    for key, value in found.items():
        kind = value.kind
        if kind not in best or sizes[key] > sizes[best[kind]]:
            best[kind] = key
            size = f"{sizes[key]} {units[kind]}"
            out += f"[00.00%] Biggest {kind:<6} found so far '{quoted(key)}' with {size}\n"
    return Output(0, out + _summary(found, sizes, units, best))


def _summary(
    found: Mapping[str, Value],
    sizes: Mapping[str, int],
    units: Mapping[str, str],
    best: Mapping[str, str],
) -> str:
    length = sum(len(key.encode()) for key in found)
    mean = length / len(found) if found else 0.0
    out = "\n-------- summary -------\n\n"
    out += f"Sampled {len(found)} keys in the keyspace!\n"
    out += f"Total key length in bytes is {length} (avg len {mean:.2f})\n\n"
    for kind in _BEST:
        if kind in best:
            key = best[kind]
            out += f"Biggest {kind:>6} found '{quoted(key)}' has {sizes[key]} {units[kind]}\n"
    out += "\n"
    for kind, _ in _KINDS:
        mine = [sizes[key] for key, value in found.items() if value.kind == kind]
        share = 100 * len(mine) / len(found) if found else 0.0
        average = sum(mine) / len(mine) if mine else 0.0
        out += f"{len(mine)} {kind}s with {sum(mine)} {units[kind]} "
        out += f"({share:05.2f}% of keys, avg size {average:.2f})\n"
    return out


def _hot(session: Session, client: CommandConnection, given: Mapping[str, str]) -> Output:
    del session, given
    out = _HEAD.format(what="hot")
    if "lfu" not in client.setting("maxmemory-policy"):
        return Output(1, out, _NO_FREQUENCY)
    return Output(0, f"{out}\n-------- summary -------\n\nSampled 0 keys in the keyspace!\n")


def _latency(session: Session, client: CommandConnection, given: Mapping[str, str]) -> Output:
    """One line about a second of pings: fewest and most milliseconds, the mean, how many."""
    try:
        client.run(["ping"])
    except Refused as refusal:
        return Output(1, "", f"Error: {refusal}\n")
    for_s = float(given.get("-i", "1"))
    session.slept_s += for_s + _LATENCY_STARTS_S
    count = int(for_s * 95)
    seed = client.world.seed
    mean = 0.1 + 0.2 * seed.fraction("latency", client.server.ref, client.world.now)
    return Output(0, f"0 1 {mean:.2f} {count}\n")


def _stat(session: Session, client: CommandConnection, given: Mapping[str, str]) -> Output:
    """Lines until it is interrupted: where no terminal is, they are never written to the end."""
    del given
    try:
        client.run(["info"])
    except Refused as refusal:
        return Output(1, "", f"ERROR: {refusal}\n")
    session.endless = True
    session.slept_s += 3600.0
    return Output()


SURVEYS: dict[str, Callable[[Session, CommandConnection, Mapping[str, str]], Output]] = {
    "--scan": _scan, "--bigkeys": _big, "--memkeys": _big, "--hotkeys": _hot,
    "--latency": _latency, "--stat": _stat,
}  # fmt: skip
