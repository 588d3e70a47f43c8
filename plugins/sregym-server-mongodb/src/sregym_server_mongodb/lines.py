"""Lines of the log of mongod 4.4 and later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import LogRecord, millis_form, moment, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World


_SEVERITY = {"debug": "D1", "trace": "D2", "warn": "W", "error": "E", "fatal": "F", "panic": "F"}


def mongod_json(record: LogRecord) -> str:
    """A line of mongod 4.4 and later; the fields `c`, `ctx` and `id` are its own, the rest `attr`."""
    given = dict(record.fields)
    component, context = given.pop("c", "-"), given.pop("ctx", "initandlisten")
    number = int(given.pop("id", "20000"))
    severity = _SEVERITY.get(record.line.level, "I")
    world, at = record.world, record.at
    return mongod_line(world, at, severity, component, number, context, record.text, given)


def mongod_line(
    world: World,
    at: float,
    severity: str,
    component: str,
    number: int,
    context: str,
    text: str,
    attributes: Mapping[str, object] | None = None,
) -> str:
    """A line of mongod 4.4 and later: JSON with the padding that mongod gives it."""
    when = millis_form(moment(world, at)) + "+00:00"
    quoted = f'"{component}",'
    head = f'{{"t":{{"$date":"{when}"}},"s":"{severity}",  "c":{quoted:<11}"id":{number},'
    pad = " " * max(1, 8 - len(str(number)))
    tail = f',"attr":{to_json(attributes)}' if attributes else ""
    return f'{head}{pad}"ctx":"{context}","msg":{to_json(text)}{tail}}}'
