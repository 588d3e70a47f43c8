"""The plugins of CoreDNS with a given Corefile, in the order they are compiled in, and their responses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_regex import go

from sregym_cluster_embedded.network import zone as zones
from sregym_cluster_embedded.network.corefile import Plugin, ServerBlock, server_for, within
from sregym_cluster_embedded.network.records import (
    MOST_ALIASES,
    Question,
    Record,
    Reply,
    is_address,
    number,
    reversed_address,
)
from sregym_cluster_embedded.network.rewriting import Rewritten, rewritten

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_regex.matches import Match

    from sregym_cluster_embedded.world import World

_HELD_S = 3600
_GROUP = re.compile(r"{{\s*(?:\.Group\.(\w+)|index \.Match (\d+)|\.(Name|Class|Type|Zone))\s*}}")


def answer(
    world: World,
    blocks: tuple[ServerBlock, ...],
    question: Question,
    forward: Callable[[tuple[str, ...], Question], Reply],
    depth: int = 0,
    port: int = 53,
) -> Reply:
    """The answer of a server that listens on `port`.

    Args:
        world: The cluster.
        blocks: The Corefile that the server has loaded.
        question: What is asked.
        forward: Asks the servers that a `forward` plugin names.
        depth: How many CNAMEs were followed before.
        port: The port of the server that was asked.
    """
    block = server_for(blocks, question.name, port)
    if block is None or depth > MOST_ALIASES:
        return Reply("refused" if block is None else "servfail")
    barred = _barred(block, question)
    if barred is not None:
        return barred
    changed = rewritten(block, question)
    reply = _chain(world, blocks, block, changed.question, forward, depth, port)
    return _restored(changed, question, reply)


def _chain(
    world: World,
    blocks: tuple[ServerBlock, ...],
    block: ServerBlock,
    question: Question,
    forward: Callable[[tuple[str, ...], Question], Reply],
    depth: int,
    port: int,
) -> Reply:
    def elsewhere(other: Question, deeper: int) -> Reply:
        return answer(world, blocks, other, forward, max(deeper, depth + 1), port)

    for plugin in block.named("template"):
        found = _template(plugin, block, question)
        if found is not None:
            return found
    for plugin in block.named("hosts"):
        found = _hosts(plugin, question)
        if found is not None:
            return found
    for plugin in block.named("kubernetes"):
        zone = zones.zone_of(plugin, question.name, block.zones)
        if zone is None:
            continue
        reply = zones.answer(world, zone, question, elsewhere, depth)
        if reply.status != "nxdomain" or not plugin.falls_through(question.name):
            return reply
    for plugin in block.named("forward"):
        if plugin.arguments and within(question.name, plugin.arguments[0].rstrip(".")):
            spared = [word for line in plugin.block if line[0] == "except" for word in line[1:]]
            if not any(within(question.name, word.rstrip(".")) for word in spared):
                return _settled(forward(plugin.arguments[1:], question))
    if block.named("erratic"):
        return Reply("timeout")
    if block.named("whoami"):
        return Reply("nodata")
    return Reply("servfail")


def _settled(reply: Reply) -> Reply:
    """What is passed on when those that were asked in turn do not answer."""
    silent = reply.status in ("timeout", "closed", "unreachable")
    return Reply("servfail") if silent else reply


def _restored(changed: Rewritten, question: Question, reply: Reply) -> Reply:
    if changed.status:
        reply = reply._replace(status=changed.status) if not reply.records else reply
    if changed.question == question:
        return reply
    records = tuple(
        record._replace(name=question.name) if record.name == changed.question.name else record
        for record in reply.records
    )
    return reply._replace(records=records)


def _barred(block: ServerBlock, question: Question) -> Reply | None:
    """What `acl` does with a question; rules for single networks are not told apart."""
    for plugin in block.named("acl"):
        if plugin.arguments and not any(
            within(question.name, zone.rstrip(".")) for zone in plugin.arguments
        ):
            continue
        for line in plugin.block:
            kinds = [
                word for word in line[1:] if word.isupper() and not is_address(word.split("/")[0])
            ]
            if "net" in line and line[-1] not in ("*", "0.0.0.0/0", "10.0.0.0/8", "10.244.0.0/16"):
                continue
            if kinds and question.kind not in kinds:
                continue
            if line[0] == "allow":
                return None
            return Reply({"block": "refused", "filter": "nodata"}.get(line[0], "timeout"))
    return None


def _template(plugin: Plugin, block: ServerBlock, question: Question) -> Reply | None:
    kind = plugin.arguments[1] if len(plugin.arguments) > 1 else "ANY"
    listed = [word.rstrip(".") for word in plugin.arguments[2:]] or list(block.zones)
    fitting = [zone for zone in listed if within(question.name, zone)]
    if not fitting or kind not in ("ANY", question.kind):
        return None
    patterns = [line[1] for line in plugin.block if line[0] == "match" and len(line) > 1]
    found = None
    for pattern in patterns or [".*"]:
        found = _search(pattern, f"{question.name}.")
        if found is not None:
            break
    if found is None:
        return None if plugin.falls_through(question.name) else Reply("nxdomain")
    code = (plugin.option("rcode") or ("NOERROR",))[0].upper()
    if code != "NOERROR":
        return Reply({"NXDOMAIN": "nxdomain", "REFUSED": "refused"}.get(code, "servfail"))
    facts = {"Name": f"{question.name}.", "Class": "IN", "Type": question.kind}
    facts["Zone"] = f"{max(fitting, key=len)}."
    records = [
        record
        for line in plugin.block
        if line[0] == "answer"
        if (record := _record(_filled(" ".join(line[1:]), found, facts))) is not None
    ]
    return Reply("ok" if records else "nodata", tuple(records))


def _filled(text: str, found: Match, facts: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        group, number, fact = match.groups()
        if group is not None:
            return found.groupdict().get(group) or ""
        if number is not None:
            return (found.group(int(number)) or "") if int(number) <= len(found.groups()) else ""
        return facts[fact]

    return _GROUP.sub(value, text)


def _record(text: str) -> Record | None:
    """`NAME [TTL] [IN] TYPE DATA` as a record."""
    words = text.split()
    if len(words) < 3:
        return None
    name, rest = words[0].rstrip(".").lower(), words[1:]
    ttl = _HELD_S
    if number(rest[0], -1) >= 0:
        ttl, rest = int(rest[0]), rest[1:]
    if rest[0].upper() == "IN":
        rest = rest[1:]
    if len(rest) < 2:
        return None
    return Record(name, rest[0].upper(), " ".join(rest[1:]).rstrip("."), ttl)


def _hosts(plugin: Plugin, question: Question) -> Reply | None:
    given = list(plugin.arguments)
    listed = [word.rstrip(".") for word in given[1:]] if given and "/" in given[0] else []
    listed = listed or [word.rstrip(".") for word in given if "/" not in word]
    entries = [line for line in plugin.block if is_address(line[0])]
    ttl_s = plugin.option("ttl")
    ttl = number(ttl_s[0], _HELD_S) if ttl_s else _HELD_S
    if question.kind == "PTR":
        address = reversed_address(question.name)
        names = [name for line in entries if line[0] == address for name in line[1:]]
        if not names or plugin.option("no_reverse") is not None:
            return None
        records = (Record(question.name, "PTR", name.rstrip("."), ttl) for name in names)
        return Reply("ok", tuple(records))
    if listed and not any(within(question.name, zone) for zone in listed):
        return None
    found = [
        line[0] for line in entries if question.name in [w.rstrip(".").lower() for w in line[1:]]
    ]
    if found:
        if question.kind != "A":
            return Reply("nodata")
        return Reply("ok", tuple(Record(question.name, "A", entry, ttl) for entry in found))
    if plugin.falls_through(question.name):
        return None
    # Without a zone of its own it cannot deny a name; CoreDNS says that something is wrong.
    return Reply("servfail")


def _search(pattern: str, text: str) -> Match | None:
    try:
        return go.anywhere(pattern).search(text)
    except go.PatternError:
        return None
