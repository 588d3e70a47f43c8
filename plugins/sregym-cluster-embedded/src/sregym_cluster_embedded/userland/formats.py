"""How programs write lines: each format as the real library writes it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Line, Log, expand

from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.userland.formats_of_languages import FORMATS_OF_LANGUAGES
from sregym_cluster_embedded.userland.keys import LOG_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_apps.simulation import Installed

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


def micros_form(when: datetime) -> str:
    """As Go's slog and PHP's Monolog write it: microseconds."""
    return f"{when:%Y-%m-%dT%H:%M:%S}.{when.microsecond:06d}"


def boost_form(when: datetime) -> str:
    """As Boost's date_time writes it: name of the month, microseconds."""
    return f"{when:%Y-%b-%d %H:%M:%S}.{when.microsecond:06d}"


# What a line may hold of its time, the most exact first.
TIME_SHAPES = (
    TimeShape(micros_form, fine=True),
    TimeShape(millis_form, fine=True),
    TimeShape(comma_form, fine=True),
    TimeShape(klog_form, fine=True),
    TimeShape(boost_form, fine=True),
    TimeShape(lambda when: str(when.timestamp()), fine=True),
    TimeShape(lambda when: str(int(when.timestamp() * 1000)), fine=True),
    TimeShape(lambda when: when.strftime("%Y-%m-%dT%H:%M:%S"), fine=False),
    TimeShape(lambda when: when.strftime("%Y/%m/%d %H:%M:%S"), fine=False),
    TimeShape(lambda when: f"{when:%d/%b/%Y:%H:%M:%S}.{when.microsecond // 1000:03d}", fine=True),
    TimeShape(lambda when: when.strftime("%d/%b/%Y:%H:%M:%S"), fine=False),
)


class LogRecord(NamedTuple):
    """A line that a program writes, before its format makes a text of it.

    Attributes:
        world: The cluster.
        log: How the program writes lines.
        line: The line as the service model has it: level, caller.
        text: What is said, filled in.
        fields: Further fields, filled in.
        at: Virtual second.
    """

    world: World
    log: Log
    line: Line
    text: str
    fields: dict[str, str]
    at: float

    @property
    def when(self) -> datetime:
        """The moment as a date."""
        return moment(self.world, self.at)


def render(
    world: World, log: Log, line: Line, facts: Mapping[str, str], at: float
) -> list[LogLine]:
    """The line as it stands in the container's log; several when it has line breaks."""
    stream = line.stream or log.stream
    text = expand(line.text, facts)
    if line.format is not None:
        log = log.model_copy(update={"format": line.format})
    if line.raw or log.format == "plain":
        return [LogLine(at, stream, part) for part in text.split("\n")]
    fields = {name: expand(value, facts) for name, value in line.fields.items()}
    formats: LogFormats = world.service(LOG_FORMATS)
    written = formats.line(LogRecord(world, log, line, text, fields, at))
    return [LogLine(at, stream, part) for part in written.split("\n")]


def _bare(value: str) -> object:
    """A number or a document as such, anything else as text."""
    if value.isdecimal():
        return int(value)
    if value.startswith("{"):
        return json.loads(value)
    return value


def _plain(record: LogRecord) -> str:
    return record.text


def _zerolog(record: LogRecord) -> str:
    when = record.world.timestamp(record.at)
    return _zerolog_console(when, record.log.colour, record.line, record.text, record.fields)


def _zerolog_json(record: LogRecord) -> str:
    caller = {"caller": record.line.caller} if record.line.caller else {}
    time = record.world.timestamp(record.at)
    return to_json(
        {"level": record.line.level, **record.fields, "time": time, **caller}
        | {"message": record.text}
    )


def _go(record: LogRecord) -> str:
    return f"{record.when:%Y/%m/%d %H:%M:%S} {record.text}"


def _plain_json(record: LogRecord) -> str:
    head = {"time": millis_form(record.when) + "Z", "level": record.line.level}
    return to_json({**head, "msg": record.text, **record.fields})


def _logfmt(record: LogRecord) -> str:
    head = {"ts": millis_form(record.when) + "Z", "level": record.line.level}
    words = {**head, "msg": record.text, **record.fields}
    return " ".join(f"{name}={quoted(value)}" for name, value in words.items())


def _zap(record: LogRecord) -> str:
    about = {"caller": record.line.caller} if record.line.caller else {}
    more = {name: _bare(value) for name, value in record.fields.items()}
    head = {"level": record.line.level, "ts": record.when.timestamp(), **about}
    return to_json({**head, "msg": record.text, **more})


def _envoy(record: LogRecord) -> str:
    return f"[{millis_form(record.when)}Z] {record.text}"


def _haproxy(record: LogRecord) -> str:
    when, client = record.when, record.fields.get("client", "-")
    shown = f"{when:%d/%b/%Y:%H:%M:%S}.{when.microsecond // 1000:03d}"
    return f"{client}:{40_000 + len(record.text)} [{shown}] {record.text}"


def _combined(record: LogRecord) -> str:
    """A line of nginx's access log in its form `combined`."""
    return _access(record.when, record.text, record.fields)


def _klog(record: LogRecord) -> str:
    line, text, fields = record.line, record.text, record.fields
    head_text = f"{line.level[0].upper()}{klog_form(record.when)} {1:7d} {line.caller}]"
    tail = "".join(f" {name}={json.dumps(value)}" for name, value in fields.items())
    return f"{head_text} {json.dumps(text)}{tail}" if fields else f"{head_text} {text}"


def _boost(record: LogRecord) -> str:
    caller = f"({record.line.caller}) " if record.line.caller else ""
    level = {"warn": "warning"}.get(record.line.level, record.line.level)
    return f"[{boost_form(record.when)}] <{level}>: {caller}{record.text}"


def _java_line(record: LogRecord) -> str:
    return _java(record.when, record.log.format, record.line, record.text, record.fields)


_GENERIC: Mapping[str, Callable[[LogRecord], str]] = {
    "plain": _plain,
    "zerolog-console": _zerolog,
    "zerolog-json": _zerolog_json,
    "go-log": _go,
    "json": _plain_json,
    "logfmt": _logfmt,
    "log4j": _java_line,
    "spring-boot": _java_line,
    "nginx": _combined,
    "klog": _klog,
    "zap": _zap,
    "haproxy": _haproxy,
    "envoy": _envoy,
    "boost": _boost,
    **FORMATS_OF_LANGUAGES,
}


class LogFormats:
    """How programs of a world write lines, by the name of the format.

    Args:
        known: The extensions of the world.
    """

    def __init__(self, known: Installed) -> None:
        self._known = known
        self._loaded: dict[str, Callable[[LogRecord], str]] = dict(_GENERIC)

    def line(self, record: LogRecord) -> str:
        """The line of a record as its format has it."""
        name = record.log.format
        write = self._loaded.get(name)
        if write is None:
            reference = self._known.log_formats[name]
            write = self._loaded[name] = self._known.load("log format", name, reference)
        return write(record)


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


def quoted(value: str) -> str:
    """A value of logfmt, in quotes where it needs them."""
    return json.dumps(value) if " " in value or '"' in value or not value else value


def to_json(value: object) -> str:
    """Compact JSON."""
    return _COMPACT.encode(value)
