"""Consumer groups at the command line: where they stand, and how people set them elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.commands import Output
from sregym_cluster_embedded.sdk.servers import REQUEST_FLOW, invalidate_traffic

from sregym_server_kafka.data import data_at, last_set, reset, save
from sregym_server_kafka.offsets import Partition, partition_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import GroupView, World

    from sregym_server_kafka.client import Ask

_ACTIVE = "\nError: Assignments can only be reset if the group '{group}' is inactive, but the current state is Stable.\n"
_GROUPS = ("GROUP", "TOPIC", "PARTITION", "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG")
_CLIENT = ("CONSUMER-ID", "HOST", "CLIENT-ID")
_DELETED = "Executing records delete operation\nRecords delete operation completed:\n"


def views_of(world: World, storage: str) -> Sequence[GroupView]:
    """All groups of a broker."""
    traffic = world.service_or_none(REQUEST_FLOW)
    return () if traffic is None else traffic.groups(world, storage)


def ends_of(world: World, storage: str, topic: str) -> tuple[int, ...]:
    """Ordinary records that have arrived in each partition of a topic, as far as groups take from it."""
    return next((v.ends for v in views_of(world, storage) if v.topic == topic), ())


def consumer_groups(ask: Ask) -> Output:
    """`kafka-consumer-groups.sh`."""
    known = views_of(ask.session.world, ask.storage)
    if "list" in ask.given:
        return Output(0, "".join(f"{name}\n" for name in sorted({view.group for view in known})))
    group = ask.given.get("group", "")
    mine = [view for view in known if view.group == group]
    if not mine:
        return Output(1, f"\nError: Consumer group '{group}' does not exist.\n")
    active = any(view.members for view in mine)
    if "reset-offsets" in ask.given:
        return _reset(ask, group, mine)
    head = "" if active else f"\nConsumer group '{group}' has no active members.\n"
    lines: list[tuple[str, ...]] = [(*_GROUPS, *_CLIENT)]
    for view in mine:
        for number, log in enumerate(_logs(ask, view)):
            at = _place(ask, view, log, number)
            row = (group, view.topic, str(number), str(at), str(log.end), str(log.end - at))
            member = view.members[number % len(view.members)] if view.members else None
            who = ("-", "-", "-") if member is None else member
            lines.append((*row, *who))
    return Output(0, f"{head}\n{_table(lines)}")


def _logs(ask: Ask, view: GroupView) -> list[Partition]:
    return [
        partition_of(ask.data, view.topic, number, view.ends) for number in range(len(view.ends))
    ]


def _place(ask: Ask, view: GroupView, log: Partition, number: int) -> int:
    """Where a group stands in a partition; never before the place to which it was set."""
    at = log.offset_of(view.lags[number], view.ahead[number])
    return max(at, last_set(ask.data, view.group, view.topic, number))


def _reset(ask: Ask, group: str, mine: Sequence[GroupView]) -> Output:
    """Set a group to other places of a topic, when it has no members."""
    topic, _, only = ask.given.get("topic", "").partition(":")
    wanted = {int(number) for number in only.split(",") if number.isdecimal()}
    if any(view.members for view in mine):
        return Output(1, _ACTIVE.format(group=group))
    rows: list[tuple[str, ...]] = [("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET")]
    for view in mine:
        if view.topic != topic and "all-topics" not in ask.given:
            continue
        places: list[tuple[int, int, float, float]] = []
        for number, log in enumerate(_logs(ask, view)):
            if wanted and number not in wanted:
                continue
            at = _new_offset(ask.given, log, _place(ask, view, log, number))
            rows.append((group, view.topic, str(number), str(at)))
            places.append((number, at, *log.left_from(at)))
        if "execute" in ask.given and places:
            reset(ask.session.world, ask.storage, group, view.topic, places)
            invalidate_traffic(ask.session.world)
    return Output(0, "\n" + _table(rows))


def _new_offset(given: dict[str, str], log: Partition, now: int) -> int:
    """Where a group is set to, within what the log has."""
    to, shift = given.get("to-offset", ""), given.get("shift-by", "")
    if to.isdecimal():
        at = int(to)
    elif shift.lstrip("+-").isdecimal():
        at = now + int(shift)
    elif "to-current" in given:
        at = now
    else:
        at = log.first if "to-earliest" in given else log.end
    return min(max(at, log.first), log.end)


def delete_records(ask: Ask) -> Output:
    """`kafka-delete-records.sh`: groups that stood before what is deleted go on behind it."""
    world, path = ask.session.world, ask.given.get("offset-json-file", "")
    if not path:
        return Output(1, "", 'Missing required argument "[offset-json-file]"\n')
    text = ask.session.files.read(ask.session.path(path))
    if text is None:
        why = f"java.nio.file.NoSuchFileException: {path}"
        return Output(1, f"Error while executing delete records: {why}\n")
    try:
        entries = json.loads(text)["partitions"]
        asked = [(str(e["topic"]), int(e["partition"]), int(e["offset"])) for e in entries]
    except (ValueError, KeyError, TypeError):
        return Output(1, "", "The input string is not a valid JSON\n")
    shown = [_DELETED]
    for topic, number, offset in asked:
        shown.append(f"partition: {topic}-{number}\t{_delete(ask, topic, number, offset)}\n")
    invalidate_traffic(world)
    return Output(0, "".join(shown))


def _delete(ask: Ask, topic: str, number: int, offset: int) -> str:
    world, storage = ask.session.world, ask.storage
    data = data_at(world, storage)
    if number >= data.topics.get(topic, 0):
        return "error: This server does not host this topic-partition."
    log = partition_of(data, topic, number, ends_of(world, storage, topic))
    if offset > log.end:
        return "error: The requested offset is not within the range of offsets maintained by the server."
    first = log.end if offset < 0 else max(offset, log.first)
    save(world, storage, replace(data, first={**data.first, (topic, number): first}))
    for view in views_of(world, storage):
        if view.topic == topic and _place(ask, view, log, number) < first:
            reset(world, storage, view.group, topic, [(number, first, *log.left_from(first))])
    return f"low_watermark: {first}"


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(15, *(len(row[place]) for row in rows)) for place in range(len(rows[0]))]
    lines = (
        " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)
