"""Dates, times and intervals as PostgreSQL reads, writes and adds them; series of numbers and dates."""

from __future__ import annotations

import calendar
import json
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.sdk.commands import spend

from sregym_server_sql.engine import SqlError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_AT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6})\d*)?)?)?"
    r"\s*(Z|UTC|[+-]00(?::?00)?)?",
    re.I,
)
_CLOCK = re.compile(r"([+-]?)(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?")
_AMOUNT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-z]+)", re.I)
_MONTHS = {"month": 1, "mon": 1, "year": 12, "yr": 12, "y": 12, "decade": 120, "century": 1200}
_DAYS = {"day": 1, "d": 1, "week": 7, "w": 7}
_SECONDS = {
    "second": 1.0, "sec": 1.0, "s": 1.0, "minute": 60.0, "min": 60.0, "m": 60.0, "hour": 3600.0,
    "hr": 3600.0, "h": 3600.0, "millisecond": 0.001, "ms": 0.001,
}  # fmt: skip
_DAY_S = 86_400


class _RefusedError(Exception):
    """A value that is not taken; the message is the server's."""


class Interval(NamedTuple):
    """A length of time.

    Attributes:
        months: Whole months.
        days: Whole days.
        seconds: What remains.
    """

    months: int = 0
    days: int = 0
    seconds: float = 0.0

    def times(self, factor: float) -> Interval:
        """As often; what is left of months and days goes down to the smaller units."""
        months, days = self.months * factor, self.days * factor
        days += (months - int(months)) * 30
        rest = self.seconds * factor + (days - int(days)) * _DAY_S
        return Interval(int(months), int(days), rest)

    def plus(self, other: Interval) -> Interval:
        """Both together, each unit for itself."""
        months, days = self.months + other.months, self.days + other.days
        return Interval(months, days, self.seconds + other.seconds)

    def __str__(self) -> str:
        sign = -1 if self.months < 0 else 1
        years, months = sign * (abs(self.months) // 12), sign * (abs(self.months) % 12)
        counted = ((years, "year"), (months, "mon"), (self.days, "day"))
        parts = [f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in counted if n]
        micro = round(abs(self.seconds) * 1e6)
        whole, rest = divmod(micro, 1_000_000)
        if whole or rest or not parts:
            tail = f".{rest:06}".rstrip("0") if rest else ""
            head = "-" if self.seconds < 0 else ""
            parts.append(f"{head}{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}{tail}")
        return " ".join(parts)


def interval_of(text: str) -> Interval | None:
    """What a text says as a length of time; None where it says none."""
    found, rest = Interval(), text.strip().lower().removeprefix("@")
    clock = _CLOCK.search(rest)
    if clock is not None:
        hours, minutes, seconds = int(clock[2]), int(clock[3]), float(clock[4] or 0)
        total = hours * 3600 + minutes * 60 + seconds
        found = Interval(seconds=-total if clock[1] == "-" else total)
        rest = rest[: clock.start()] + rest[clock.end() :]
    for amount, unit in _AMOUNT.findall(rest):
        one = unit if unit in ("s", "ms") else unit.removesuffix("s")
        one = {"centurie": "century"}.get(one, one)
        sizes = ((_MONTHS, Interval(1)), (_DAYS, Interval(0, 1)), (_SECONDS, Interval(0, 0, 1.0)))
        size = next((base.times(names[one]) for names, base in sizes if one in names), None)
        if size is None:
            return None
        found = found.plus(size.times(float(amount)))
    left = _AMOUNT.sub("", rest).replace("ago", "").strip()
    if left or not text.strip():
        return None
    return found.times(-1) if rest.rstrip().endswith("ago") else found


class _Moment(NamedTuple):
    """A date or a moment, and how it is written: `date`, `timestamp` or `timestamptz`."""

    at: datetime
    kind: str

    def __str__(self) -> str:
        if self.kind == "date":
            return f"{self.at:%Y-%m-%d}"
        tail = f".{self.at.microsecond:06}".rstrip("0") if self.at.microsecond else ""
        return f"{self.at:%Y-%m-%d %H:%M:%S}{tail}{'+00' if self.kind == 'timestamptz' else ''}"


def _moment_of(text: str) -> _Moment | None:
    found = _AT.fullmatch(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    micro = int((found[7] or "0").ljust(6, "0"))
    at = datetime(year, month, day, hour, minute, second, micro)  # noqa: DTZ001 - all in UTC
    kind = "date" if found[4] is None else "timestamptz" if found[8] else "timestamp"
    return _Moment(at, kind)


def _later(moment: _Moment, span: Interval) -> _Moment:
    """A moment after another; the last day of a month where the month is too short."""
    number = moment.at.year * 12 + moment.at.month - 1 + span.months
    year, month = number // 12, number % 12 + 1
    day = min(moment.at.day, calendar.monthrange(year, month)[1])
    at = moment.at.replace(year=year, month=month, day=day)
    kind = "timestamp" if moment.kind == "date" else moment.kind
    return _Moment(at + timedelta(days=span.days, seconds=span.seconds), kind)


def _value(given: Any) -> Any:
    """A value of SQLite as what it stands for: a moment, an interval, or a number."""
    if not isinstance(given, str):
        return given
    try:
        return _moment_of(given) or interval_of(given) or float(given)
    except ValueError:
        return given


def _between(late: datetime, early: datetime) -> Interval:
    total = (late - early).total_seconds()
    days = int(total / _DAY_S)
    return Interval(0, days, total - days * _DAY_S)


def _added(left: Any, right: Any, sign: int) -> Any:
    one, two = _value(left), _value(right)
    if isinstance(two, _Moment) and not isinstance(one, _Moment) and sign > 0:
        one, two = two, one
    if isinstance(one, _Moment) and isinstance(two, _Moment):
        days_only = one.kind == two.kind == "date"
        return (one.at - two.at).days if days_only else str(_between(one.at, two.at))
    if isinstance(one, _Moment) and isinstance(two, Interval):
        return str(_later(one, two.times(sign)))
    if isinstance(one, _Moment):
        return str(one._replace(at=one.at + timedelta(days=sign * int(two))))
    if isinstance(one, Interval):
        return str(one.plus(two.times(sign)))
    return one + sign * two


def _times(left: Any, right: Any) -> Any:
    one, two = _value(left), _value(right)
    if isinstance(two, Interval):
        one, two = two, one
    return str(one.times(float(two))) if isinstance(one, Interval) else one * two


def _cast(given: Any, kind: str, now: str) -> Any:
    text = str(given).strip()
    if kind == "integer":
        return int(given + (0.5 if given >= 0 else -0.5)) if isinstance(given, float) else given
    if kind == "interval":
        span = interval_of(text)
        if span is None:
            raise _RefusedError(f'invalid input syntax for type interval: "{given}"')
        return str(span)
    words = {"now": now, "epoch": "1970-01-01 00:00:00+00"}
    moved = {"today": 0, "yesterday": -1, "tomorrow": 1}
    text = words.get(text.lower(), text)
    if text.lower() in moved:
        text = str(_added(now[:10], moved[text.lower()], 1))
    if kind == "time" and _CLOCK.fullmatch(text):
        return str(interval_of(text))
    if _AT.fullmatch(text) is None:
        label = {"timestamp": "timestamp", "timestamptz": "timestamp with time zone"}
        raise _RefusedError(f'invalid input syntax for type {label.get(kind, kind)}: "{given}"')
    try:
        moment = _moment_of(text)
    except ValueError:
        raise _RefusedError(f'date/time field value out of range: "{given}"') from None
    assert moment is not None
    return str(moment)[11:].removesuffix("+00") or "00:00:00" if kind == "time" else str(moment._replace(kind=kind))  # fmt: skip


def _series(first: Any, last: Any, step: Any) -> str:
    one, end, by = _value(first), _value(last), _value(step)
    if by in (0, Interval()):
        raise _RefusedError("step size cannot equal zero")
    found: list[Any] = []
    if isinstance(one, _Moment) and isinstance(end, _Moment) and isinstance(by, Interval):
        up, at, count = _later(one, by).at > one.at, _later(one, Interval()), 0
        kind = "timestamptz" if one.kind == "date" else one.kind
        while (at.at <= end.at) if up else (at.at >= end.at):
            spend(20)
            found.append(str(at._replace(kind=kind)))
            count += 1
            at = _later(one, by.times(count))
        return json.dumps(found)
    while (one <= end) if by > 0 else (one >= end):
        spend(5)
        found.append(one)
        one += by
    return json.dumps(found)


def time_functions(
    now: str, fail: Callable[[SqlError], None]
) -> Mapping[str, tuple[int, Callable[..., Any]]]:
    """What statements call in place of PostgreSQL's casts, operators and series.

    Args:
        now: The present moment.
        fail: Told of what such a call meets, which then ends the statement.
    """

    def guarded(called: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            if None in given:
                return None
            try:
                return called(*given)
            except (_RefusedError, ValueError, TypeError, OverflowError) as error:
                text = str(error) if isinstance(error, _RefusedError) else "timestamp out of range"
                value = re.search(r': "(.*)"$', text)
                failure = SqlError("own", value[1] if value is not None else "", text)
                fail(failure)
                raise failure from None

        return call

    return {
        "pg_cast": (2, guarded(lambda given, kind: _cast(given, str(kind), now))),
        "pg_plus": (2, guarded(lambda one, two: _added(one, two, 1))),
        "pg_minus": (2, guarded(lambda one, two: _added(one, two, -1))),
        "pg_times": (2, guarded(_times)),
        "pg_series": (3, guarded(_series)),
    }
