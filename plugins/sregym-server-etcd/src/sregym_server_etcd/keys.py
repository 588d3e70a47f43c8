"""Commands of `etcdctl` on keys: from data and operands to output and the data behind it."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_cluster_embedded.sdk.commands import Output

from sregym_server_etcd.leases import NOT_FOUND, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_server_etcd.data import Entry, EtcdData

    Act: TypeAlias = Callable[
        [EtcdData, Mapping[str, int], Mapping[str, str], Sequence[str], str, str],
        tuple[Output, EtcdData],
    ]


def _range(flags: Mapping[str, str], operands: Sequence[str]) -> tuple[str, str | None]:
    """From which key to which."""
    first = operands[0]
    if "prefix" in flags:
        return first, (first[:-1] + chr(ord(first[-1]) + 1)) if first else "\0"
    if "from-key" in flags:
        return first, "\0"
    return first, operands[1] if len(operands) > 1 else None


def _coded(text: str) -> str:
    return base64.b64encode(text.encode(errors="surrogateescape")).decode()


def _json(about: Mapping[str, int], **more: Any) -> str:
    told = {"header": about, **{name: value for name, value in more.items() if value}}
    return json.dumps(told, separators=(",", ":")) + "\n"


def _shown(key: str, entry: Entry, *, keys_only: bool) -> dict[str, Any]:
    found = {
        "key": _coded(key),
        "create_revision": entry.created,
        "mod_revision": entry.changed,
        "version": entry.version,
    }
    return found if keys_only else {**found, "value": _coded(entry.value)}


def _get(
    data: EtcdData,
    about: Mapping[str, int],
    flags: Mapping[str, str],
    operands: Sequence[str],
    _: str,
    form: str,
) -> tuple[Output, EtcdData]:
    if not operands or len(operands) > 2:
        return Output(128, "", "Error: get command needs one argument as key and an optional argument as range_end\n"), data  # fmt: skip
    found = data.between(*_range(flags, operands))
    count = len(found)
    if "sort-by" in flags or flags.get("order", "").upper() == "DESCEND":
        reverse = flags.get("order", "ASCEND").upper() == "DESCEND"
        found.sort(key=lambda pair: _sort_key(pair, flags.get("sort-by", "KEY")), reverse=reverse)
    limit = flags.get("limit", "0")
    more = limit.isdecimal() and 0 < int(limit) < count
    found = found[: int(limit)] if more else found
    keys_only, counted = "keys-only" in flags, "count-only" in flags
    if form == "json":
        shown = [] if counted else [_shown(*pair, keys_only=keys_only) for pair in found]
        return Output(0, _json(about, kvs=shown, more=more, count=count)), data
    if form == "fields":
        return Output(0, _fields(about, found, count, more=more, empty=counted)), data
    if counted:
        return Output(0, f"{count}\n" if form == "fields" else ""), data
    lines = []
    for key, entry in found:
        if "print-value-only" not in flags:
            lines.append(key)
        lines.append("" if keys_only else entry.value)
    return Output(0, "".join(f"{line}\n" for line in lines)), data


def _fields(
    about: Mapping[str, int], found: list[tuple[str, Entry]], count: int, *, more: bool, empty: bool
) -> str:
    """An answer line by line."""
    names = {"cluster_id": "ClusterID", "member_id": "MemberID", "revision": "Revision", "raft_term": "RaftTerm"}  # fmt: skip
    lines = [f'"{names[name]}" : {value}' for name, value in about.items()]
    for key, entry in [] if empty else found:
        lines += [
            f'"Key" : {json.dumps(key)}', f'"CreateRevision" : {entry.created}',
            f'"ModRevision" : {entry.changed}', f'"Version" : {entry.version}',
            f'"Value" : {json.dumps(entry.value)}', f'"Lease" : {entry.lease}',
        ]  # fmt: skip
    lines += [f'"More" : {str(more).lower()}', f'"Count" : {count}']
    return "".join(f"{line}\n" for line in lines)


def _sort_key(pair: tuple[str, Entry], by: str) -> Any:
    key, entry = pair
    known = {
        "CREATE": entry.created,
        "MODIFY": entry.changed,
        "VERSION": entry.version,
        "VALUE": entry.value,
    }
    return known.get(by.upper(), key)


def _put(
    data: EtcdData,
    about: Mapping[str, int],
    flags: Mapping[str, str],
    operands: Sequence[str],
    stdin: str,
    form: str,
) -> tuple[Output, EtcdData]:
    if not operands:
        return Output(128, "", "Error: put command needs 1 argument and input from stdin or 2 arguments\n"), data  # fmt: skip
    value = operands[1] if len(operands) > 1 else stdin
    lease = number_of(flags.get("lease", "0")) or 0
    if lease and lease not in data.leases:
        return Output(1, "", f"Error: {NOT_FOUND}\n"), data
    old = data.keys.get(operands[0])
    changed = data.with_value(operands[0], value, lease)
    if form == "json":
        return Output(0, _json({**about, "revision": changed.revision})), changed
    before = f"{operands[0]}\n{old.value}\n" if old is not None and "prev-kv" in flags else ""
    return Output(0, f"OK\n{before}"), changed


def _delete(
    data: EtcdData,
    about: Mapping[str, int],
    flags: Mapping[str, str],
    operands: Sequence[str],
    _: str,
    form: str,
) -> tuple[Output, EtcdData]:
    if not operands or len(operands) > 2:
        return Output(128, "", "Error: del command needs one argument as key and an optional argument as range_end\n"), data  # fmt: skip
    found = [key for key, _ in data.between(*_range(flags, operands))]
    changed = data.without(found)
    if form == "json":
        told = _json({**about, "revision": changed.revision}, deleted=len(found))
        return Output(0, told), changed
    shown = "".join(f"{key}\n{data.keys[key].value}\n" for key in found)
    return Output(0, f"{len(found)}\n{shown if 'prev-kv' in flags else ''}"), changed


def _compact(
    data: EtcdData,
    _: Mapping[str, int],
    __: Mapping[str, str],
    operands: Sequence[str],
    ___: str,
    ____: str,
) -> tuple[Output, EtcdData]:
    if not operands or not operands[0].isdecimal():
        return Output(128, "", "Error: compaction command needs 1 argument\n"), data
    if int(operands[0]) > data.revision:
        return Output(1, "", "Error: etcdserver: mvcc: required revision is a future revision\n"), data  # fmt: skip
    return Output(0, f"compacted revision {operands[0]}\n"), data


KEY_COMMANDS: Mapping[str, Act] = {
    "get": _get,
    "put": _put,
    "del": _delete,
    "compaction": _compact,
    "compact": _compact,
}
