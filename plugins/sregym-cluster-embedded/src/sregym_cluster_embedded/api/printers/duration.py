"""Times and ages as kubectl and the API server write them."""

from __future__ import annotations

from calendar import timegm
from functools import lru_cache
from time import strptime


@lru_cache(maxsize=16384)
def seconds_of(timestamp: str) -> int:
    """Unix seconds of `2026-01-02T03:04:05Z`, with or without a fraction.

    Raises:
        ValueError: It is no such time.
    """
    return timegm(strptime(timestamp[:19], "%Y-%m-%dT%H:%M:%S"))


def since(timestamp: str | None, now_s: float) -> str:
    """The age of something: `5m3s`; `<unknown>` when there is no time."""
    if not timestamp:
        return "<unknown>"
    return human(int(now_s - seconds_of(timestamp)))


def human(seconds: int) -> str:
    """A duration in at most two units, coarser the longer it is."""
    if seconds < -1:
        return "<invalid>"
    if seconds < 0:
        return "0s"
    if seconds < 120:
        return f"{seconds}s"
    minutes = seconds // 60
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    hours = minutes // 60
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if hours < 192:
        return _two(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    years = days // 365
    if years < 8:
        return _two(years, "y", days % 365, "d")
    return f"{years}y"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}{small}{small_unit}" if small else f"{large}{large_unit}"
