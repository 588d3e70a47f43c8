"""How programs write lines: each format as the real library writes it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Line, Log, expand

from sregym_cluster_embedded.kubelet.runtime import LogLine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.world import World

_ZEROLOG = {
    "trace": ("TRC", "34"),
    "debug": ("DBG", ""),
    "info": ("INF", "32"),
    "warn": ("WRN", "33"),
    "error": ("ERR", "31"),
    "fatal": ("FTL", "31"),
    "panic": ("PNC", "31"),
}
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
_SEVERITY = {"debug": "D1", "trace": "D2", "warn": "W", "error": "E", "fatal": "F", "panic": "F"}


def moment(world: World, at: float) -> datetime:
    """A virtual second as a date."""
    return datetime.fromtimestamp(world.epoch + at, UTC)


def seconds_form(when: datetime) -> str:
    """RFC 3339 to the second."""
    return when.isoformat(timespec="seconds")[:19] + "Z"


def millis_form(when: datetime) -> str:
    """RFC 3339 with milliseconds, without zone."""
    return when.isoformat(timespec="milliseconds")[:23]


class TimeShape(NamedTuple):
    """How a format writes the time of a line.

    Attributes:
        text: The time as it stands in the line.
        fine: Whether parts of a second show.
    """

    text: Callable[[datetime], str]
    fine: bool


def comma_form(when: datetime) -> str:
    """As Java's log4j and Python's logging write it: milliseconds behind a comma."""
    return f"{when:%Y-%m-%d %H:%M:%S},{when.microsecond // 1000:03d}"


def klog_form(when: datetime) -> str:
    """As the components of Kubernetes write it: month and day, microseconds."""
    return f"{when:%m%d %H:%M:%S}.{when.microsecond:06d}"


# What a line may hold of its time, the most exact first.
TIME_SHAPES = (
    TimeShape(millis_form, fine=True),
    TimeShape(comma_form, fine=True),
    TimeShape(klog_form, fine=True),
    TimeShape(lambda when: str(when.timestamp()), fine=True),
    TimeShape(lambda when: when.strftime("%Y-%m-%dT%H:%M:%S"), fine=False),
    TimeShape(lambda when: when.strftime("%Y/%m/%d %H:%M:%S"), fine=False),
    TimeShape(lambda when: f"{when:%d/%b/%Y:%H:%M:%S}.{when.microsecond // 1000:03d}", fine=True),
    TimeShape(lambda when: when.strftime("%d/%b/%Y:%H:%M:%S"), fine=False),
)


def render(
    world: World, log: Log, line: Line, facts: Mapping[str, str], at: float
) -> list[LogLine]:
    """The line as it stands in the container's log; several when it is raw with line breaks."""
    stream = line.stream or log.stream
    text = expand(line.text, facts)
    if line.raw or log.format == "plain":
        return [LogLine(at, stream, part) for part in text.split("\n")]
    if line.format is not None:
        log = log.model_copy(update={"format": line.format})
    fields = {name: expand(value, facts) for name, value in line.fields.items()}
    return [LogLine(at, stream, _formatted(world, log, line, text, fields, at))]


def _bare(value: str) -> object:
    """A number or a document as such, anything else as text."""
    if value.isdecimal():
        return int(value)
    if value.startswith("{"):
        return json.loads(value)
    return value


def _formatted(
    world: World, log: Log, line: Line, text: str, fields: dict[str, str], at: float
) -> str:
    if log.format == "zerolog-console":
        return _zerolog_console(world.timestamp(at), log.colour, line, text, fields)
    if log.format == "zerolog-json":
        caller = {"caller": line.caller} if line.caller else {}
        head = {"level": line.level, **fields, "time": world.timestamp(at), **caller}
        return _json({**head, "message": text})
    when = moment(world, at)
    if log.format == "go-log":
        return f"{when:%Y/%m/%d %H:%M:%S} {text}"
    if log.format == "json":
        return _json({"time": millis_form(when) + "Z", "level": line.level, "msg": text, **fields})
    if log.format == "logfmt":
        words = {"ts": millis_form(when) + "Z", "level": line.level, "msg": text, **fields}
        return " ".join(f"{name}={_quoted(value)}" for name, value in words.items())
    if log.format == "consul":
        level = f"[{line.level.upper()}]"
        tail = "".join(f" {name}={_quoted(value)}" for name, value in fields.items())
        head_text = f"{text}:" if fields else text
        return f"{millis_form(when)}Z {level:<7} {head_text}{tail}"
    if log.format == "zap":
        about = {"caller": line.caller} if line.caller else {}
        more = {name: _bare(value) for name, value in fields.items()}
        return _json({"level": line.level, "ts": when.timestamp(), **about, "msg": text, **more})
    if log.format == "envoy":
        return f"[{millis_form(when)}Z] {text}"
    if log.format == "haproxy":
        client = fields.get("client", "-")
        shown = f"{when:%d/%b/%Y:%H:%M:%S}.{when.microsecond // 1000:03d}"
        return f"{client}:{40_000 + len(text)} [{shown}] {text}"
    if log.format == "nginx":
        return _access(when, text, fields)
    if log.format == "klog":
        head_text = f"{line.level[0].upper()}{klog_form(when)} {1:7d} {line.caller}]"
        tail = "".join(f" {name}={json.dumps(value)}" for name, value in fields.items())
        return f"{head_text} {json.dumps(text)}{tail}" if fields else f"{head_text} {text}"
    if log.format in ("log4j", "spring-boot"):
        return _java(when, log.format, line, text, fields)
    given = dict(fields)
    component, context = given.pop("c", "-"), given.pop("ctx", "initandlisten")
    number = int(given.pop("id", "20000"))
    severity = _SEVERITY.get(line.level, "I")
    return mongod_line(world, at, severity, component, number, context, text, given)


def _zerolog_console(when: str, colour: bool, line: Line, text: str, fields: dict[str, str]) -> str:
    level, code = _ZEROLOG[line.level]
    if not colour:
        caller = f"{line.caller} > " if line.caller else ""
        tail = "".join([f" {name}={value}" for name, value in fields.items()])
        return f"{when} {level} {caller}{text}{tail}"
    painted = f"\x1b[{code}m{level}\x1b[0m" if code else level
    caller = f"\x1b[1m{line.caller}\x1b[0m\x1b[36m >\x1b[0m " if line.caller else ""
    tail = "".join([f" \x1b[36m{name}=\x1b[0m{value}" for name, value in fields.items()])
    return f"\x1b[90m{when}\x1b[0m {painted} {caller}{text}{tail}"


def _access(when: datetime, text: str, fields: dict[str, str]) -> str:
    """A line of nginx's access log in its form `combined`; the text is the request."""
    given = {"client": "-", "user": "-", "status": "200", "bytes": "0", **fields}
    quoted = " ".join(f'"{fields.get(name, "-")}"' for name in ("referer", "agent"))
    return (
        f'{given["client"]} - {given["user"]} [{when:%d/%b/%Y:%H:%M:%S} +0000] "{text}" '
        f"{given['status']} {given['bytes']} {quoted}"
    )


def _java(when: datetime, kind: str, line: Line, text: str, fields: dict[str, str]) -> str:
    """A line of a program in Java; the caller is the logger, a field `thread` the thread."""
    thread, level = fields.get("thread", "main"), line.level.upper()
    if kind == "log4j":
        return f"{comma_form(when)} [{thread}] {level:<5} {line.caller} - {text}"
    logger = _shortened(line.caller, 39)
    return f"{millis_form(when)}Z {level:>5} 1 --- [{thread[-15:]:>15}] {logger:<40} : {text}"


def _shortened(logger: str, most: int) -> str:
    """A logger's name with as many packages as needed cut to their first letters."""
    parts = logger.split(".")
    for index in range(len(parts) - 1):
        if len(".".join(parts)) <= most:
            break
        parts[index] = parts[index][:1]
    return ".".join(parts)[-most - 1 :]


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
    tail = f',"attr":{_json(attributes)}' if attributes else ""
    return f'{head}{pad}"ctx":"{context}","msg":{_json(text)}{tail}}}'


def _quoted(value: str) -> str:
    return json.dumps(value) if " " in value or '"' in value or not value else value


def _json(value: object) -> str:
    return _COMPACT.encode(value)
