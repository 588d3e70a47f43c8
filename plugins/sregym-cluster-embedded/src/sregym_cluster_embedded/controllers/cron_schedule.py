"""When a CronJob's schedule comes: the next moment after a given one, and the last one before."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from sregym_cluster_embedded.api.validation.cron import FIELDS, NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator

_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# A schedule that does not come within five years (30 February) never comes.
_HORIZON_DAYS = 5 * 366


class Schedule(NamedTuple):
    """A parsed schedule: the values of each field, or a fixed interval.

    Attributes:
        minutes: Of the hour, ascending.
        hours: Of the day, ascending.
        days: Of the month.
        months: Of the year.
        weekdays: 0 is Sunday.
        any_day: Whether the day of the month or that of the week is unrestricted: then both must
            fit, else one suffices.
        zone: Where the fields are read.
        every_s: For `@every`: seconds between two moments; 0 otherwise.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    zone: tzinfo
    every_s: int = 0


@lru_cache(maxsize=256)
def parse(text: str, zone: str | None = None) -> Schedule:
    """Parse a schedule that validation has accepted.

    Args:
        text: Five fields, or a descriptor such as `@hourly` or `@every 90m`.
        zone: A time zone's name; UTC when none is given.

    Raises:
        ValueError: It is no schedule.
    """
    place = ZoneInfo(zone) if zone else UTC
    if text.startswith("@every "):
        nothing: frozenset[int] = frozenset()
        every_s = _duration_s(text.removeprefix("@every "))
        return Schedule((), (), nothing, nothing, nothing, True, place, every_s)
    fields = _MACROS.get(text, text).split()
    if len(fields) != len(FIELDS):
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
    minutes, hours, days, months, weekdays = (
        _values(field, name, low, high)
        for field, (name, low, high) in zip(fields, FIELDS, strict=True)
    )
    any_day = _unrestricted(fields[2]) or _unrestricted(fields[4])
    return Schedule(
        tuple(sorted(minutes)), tuple(sorted(hours)), days, months, weekdays, any_day, place
    )


def next_after(schedule: Schedule, unix: float) -> int | None:
    """The first moment of the schedule after a Unix second; None when it never comes."""
    if schedule.every_s:
        return int(unix) + schedule.every_s
    first = datetime.fromtimestamp(unix, schedule.zone)
    for offset in range(_HORIZON_DAYS):
        day = (first + timedelta(days=offset)).replace(hour=0, minute=0)
        if _fits(schedule, day):
            hours = schedule.hours if offset else [h for h in schedule.hours if h >= first.hour]
            for moment in _moments(schedule, day, hours):
                if moment > unix:
                    return moment
    return None


def last_between(schedule: Schedule, after: float, until: float) -> int | None:
    """The last moment later than Unix second `after` and not later than `until`."""
    if schedule.every_s:
        count = int((until - int(after)) // schedule.every_s)
        return int(after) + count * schedule.every_s if count > 0 else None
    latest = datetime.fromtimestamp(until, schedule.zone)
    # A day more than lies between covers a change of clocks.
    for offset in range(int((until - after) // 86400) + 2):
        day = (latest - timedelta(days=offset)).replace(hour=0, minute=0)
        if not _fits(schedule, day):
            continue
        hours = schedule.hours if offset else [h for h in schedule.hours if h <= latest.hour]
        for hour in reversed(hours):
            for moment in reversed(list(_moments(schedule, day, [hour]))):
                if moment <= after:
                    return None
                if moment <= until:
                    return moment
    return None


def _fits(schedule: Schedule, day: datetime) -> bool:
    if day.month not in schedule.months:
        return False
    by_month = day.day in schedule.days
    by_week = day.isoweekday() % 7 in schedule.weekdays
    return (by_month and by_week) if schedule.any_day else (by_month or by_week)


def _moments(
    schedule: Schedule, day: datetime, hours: list[int] | tuple[int, ...]
) -> Iterator[int]:
    """The Unix seconds of a day's wanted hours, ascending.

    Where clocks are put back, an hour comes twice; where they are put forward, not at all.
    """
    for hour in hours:
        found: set[int] = set()
        for minute in schedule.minutes:
            for fold in (0, 1):
                local = day.replace(hour=hour, minute=minute, second=0, microsecond=0, fold=fold)
                unix = int(local.timestamp())
                if datetime.fromtimestamp(unix, schedule.zone).hour == hour:
                    found.add(unix)
        yield from sorted(found)


def _values(field: str, name: str, low: int, high: int) -> frozenset[int]:
    names = NAMES.get(name, {})
    found: set[int] = set()
    for part in field.split(","):
        bounds, slash, step = part.partition("/")
        first, dash, last = bounds.partition("-")
        if first in ("*", "?"):
            start, end = low, high
        else:
            start = _number(first, names)
            # `5/10` means from 5 to the end in steps of 10.
            end = _number(last, names) if dash else (high if slash else start)
        found.update(range(start, end + 1, int(step) if slash else 1))
    return frozenset(found)


def _number(text: str, names: dict[str, int]) -> int:
    known = names.get(text.lower())
    return int(text) if known is None else known


def _unrestricted(field: str) -> bool:
    return any(part in ("*", "?", "*/1", "?/1") for part in field.split(","))


def _duration_s(text: str) -> int:
    parts = re.findall(r"(\d+(?:\.\d*)?)(h|ms|us|ns|m|s)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"failed to parse duration @every {text}")
    return max(int(sum(float(number) * _UNITS_S[unit] for number, unit in parts)), 1)
