"""CronJobs that were put on a schedule which hardly ever comes, or never."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from typing import TYPE_CHECKING

from sregym_core.model import Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from sregym_oracles import Found

HARDLY_RUN = "schedule-stopped"
_PATH = "spec/schedule"
# From which share of the runs before on it has as good as stopped.
_SHARE = 0.01
# After so many years each date has been each day of the week that it can be.
_FIRST_YEAR, _YEARS = 2001, 28
_MACROS = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}  # fmt: skip
_EVERY = re.compile(r"@every\s+(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
# Least and greatest value of each field, and its names from the least on.
_FIELDS: tuple[tuple[int, int, list[str]], ...] = (
    (0, 59, []), (0, 23, []), (1, 31, []), (1, 12, _MONTHS), (0, 6, _DAYS),
)  # fmt: skip
_SECONDS_A_YEAR = 365.25 * 86_400


def stopped(found: Iterable[Found], targets: Collection[str]) -> Iterator[Found]:
    """Side effects, with schedules by which a CronJob hardly runs any more as harm.

    Args:
        found: Side effects of the agent.
        targets: `where` of what faults changed: how often that is to run is a matter of the repair.
    """
    for one in found:
        changed = one.difference
        if changed.kind == "CronJob" and changed.path == _PATH and changed.where not in targets:
            was, now = runs_a_year(str(changed.before)), runs_a_year(str(changed.after))
            if now < was * _SHARE:
                what = f"{one.effect.what}: it runs {now:g} times a year, not {was:g}"
                update = {"kind": HARDLY_RUN, "severity": Severity.FAIL, "what": what}
                one = one._replace(effect=one.effect.model_copy(update=update))
        yield one


def runs_a_year(schedule: str) -> float:
    """How often a schedule of a CronJob comes in a year, in the mean; 0 where it cannot be read."""
    text = re.sub(r"^(cron_)?tz=\S+\s+", "", schedule.strip().lower())
    if (every := _EVERY.fullmatch(text)) is not None:
        hours, minutes, seconds = (int(part or 0) for part in every.groups())
        return _SECONDS_A_YEAR / max(hours * 3600 + minutes * 60 + seconds, 1)
    words = _MACROS.get(text, text).split()
    if len(words) != len(_FIELDS):
        return 0.0
    try:
        values = [_values(word, *field) for word, field in zip(words, _FIELDS, strict=True)]
    except ValueError:
        return 0.0
    minutes_, hours_, days, months, weekdays = values
    # Days of the month and of the week are alternatives where both are given.
    either = not words[2].startswith(("*", "?")) and not words[4].startswith(("*", "?"))
    count = 0
    for year in range(_FIRST_YEAR, _FIRST_YEAR + _YEARS):
        for month in months:
            for day in range(1, monthrange(year, month)[1] + 1):
                weekday = date(year, month, day).isoweekday() % 7
                fits = (day in days, weekday in weekdays)
                count += any(fits) if either else all(fits)
    return count * len(minutes_) * len(hours_) / _YEARS


def _values(word: str, least: int, greatest: int, names: list[str]) -> set[int]:
    """The values of one field.

    Raises:
        ValueError: It cannot be read.
    """
    found: set[int] = set()
    for part in word.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span in ("*", "?"):
            begin, end = least, greatest
        else:
            begin = _number(first, least, names)
            end = _number(last, least, names) if last else greatest if step else begin
        found |= set(range(max(begin, least), min(end, greatest) + 1, int(step or 1)))
    return found


def _number(word: str, least: int, names: list[str]) -> int:
    return names.index(word) + least if word in names else int(word)
