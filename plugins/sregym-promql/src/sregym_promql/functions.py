"""Functions of instant vectors that look at values only."""

from __future__ import annotations

import calendar
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_promql.samples import Floats

# Go counts seconds from the beginning of a year that begins a cycle of the calendar.
_ZERO_YEAR = -292277022399
_ZERO_TO_UNIX_S = 9223372028715321600
_CYCLE_YEARS = 400
_CYCLE_S = 12622780800

_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _round(values: Floats, nearest: Floats) -> Floats:
    inverse = 1.0 / nearest
    found: Floats = np.floor(values * inverse + 0.5) / inverse
    return found


def _most(left: Floats, right: Floats) -> Floats:
    """The larger: NaN where one is NaN, but for infinity, as in Go."""
    found = np.maximum(left, right)
    return np.where((left == np.inf) | (right == np.inf), np.inf, found)


def _least(left: Floats, right: Floats) -> Floats:
    found = np.minimum(left, right)
    return np.where((left == -np.inf) | (right == -np.inf), -np.inf, found)


def _clamp(values: Floats, low: Floats, high: Floats) -> Floats:
    return _most(low, _least(high, values))


def _sign(values: Floats) -> Floats:
    return np.sign(values)


# Of the values of a vector, rows by steps.
PLAIN: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "abs": np.abs,
        "acos": np.arccos,
        "acosh": np.arccosh,
        "asin": np.arcsin,
        "asinh": np.arcsinh,
        "atan": np.arctan,
        "atanh": np.arctanh,
        "ceil": np.ceil,
        "cos": np.cos,
        "cosh": np.cosh,
        "deg": lambda values: values * 180 / np.pi,
        "exp": np.exp,
        "floor": np.floor,
        "ln": np.log,
        "log10": np.log10,
        "log2": np.log2,
        "rad": lambda values: values * np.pi / 180,
        "sgn": _sign,
        "sin": np.sin,
        "sinh": np.sinh,
        "sqrt": np.sqrt,
        "tan": np.tan,
        "tanh": np.tanh,
    }
)

# Of the values of a vector and of one or two scalars at each step.
WITH_SCALARS: Mapping[str, Callable[..., Floats]] = MappingProxyType(
    {
        "clamp": _clamp,
        "clamp_max": lambda values, high: _least(high, values),
        "clamp_min": lambda values, low: _most(low, values),
        "round": _round,
    }
)


class _Day(NamedTuple):
    """A moment of the Gregorian calendar, whose year may be one that `datetime` has not."""

    year: int
    when: datetime


def _calendar(part: Callable[[_Day], int]) -> Callable[[Floats], Floats]:
    """A function of Unix seconds, in UTC."""

    def taken(values: Floats) -> Floats:
        result = np.empty_like(values)
        for index, value in np.ndenumerate(values):
            result[index] = part(_day(float(value)))
        return result

    return taken


def _day(unix: float) -> _Day:
    """The moment as Go's clock of 64 bits counts it, which turns over at both ends.

    What is no whole number of 64 bits, NaN among it, is the least there is.
    """
    whole = int(unix) if abs(unix) < 2**63 else -(2**63)
    cycles, rest = divmod((whole + _ZERO_TO_UNIX_S) % 2**64, _CYCLE_S)
    when = datetime(1, 1, 1, tzinfo=UTC) + timedelta(seconds=rest)
    return _Day(_ZERO_YEAR + _CYCLE_YEARS * cycles + when.year - 1, when)


def _days_in_month(day: _Day) -> int:
    leap = calendar.isleap(day.when.year)
    return 29 if day.when.month == 2 and leap else _DAYS[day.when.month - 1]


# Of Unix seconds, in UTC.
CALENDAR: Mapping[str, Callable[[Floats], Floats]] = MappingProxyType(
    {
        "day_of_month": _calendar(lambda day: day.when.day),
        "day_of_week": _calendar(lambda day: day.when.isoweekday() % 7),
        "day_of_year": _calendar(lambda day: day.when.timetuple().tm_yday),
        "days_in_month": _calendar(_days_in_month),
        "hour": _calendar(lambda day: day.when.hour),
        "minute": _calendar(lambda day: day.when.minute),
        "month": _calendar(lambda day: day.when.month),
        "year": _calendar(lambda day: day.year),
    }
)
