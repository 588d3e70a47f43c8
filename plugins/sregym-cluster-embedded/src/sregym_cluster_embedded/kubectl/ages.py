"""Moments and durations as kubectl prints them."""

from __future__ import annotations

from datetime import UTC, datetime

_MINUTE, _HOUR, _DAY, _YEAR = 60, 3600, 86400, 31536000


def unix_seconds(timestamp: str) -> float:
    """Seconds since 1970 of an API timestamp."""
    return datetime.fromisoformat(timestamp).timestamp()


def rfc1123(timestamp: str | None) -> str:
    """`Sat, 21 Nov 2026 21:54:45 +0000`; the zero time when there is none."""
    if not timestamp:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    moment = datetime.fromisoformat(timestamp).astimezone(UTC)
    return moment.strftime("%a, %d %b %Y %H:%M:%S +0000")


def go_time(timestamp: str) -> str:
    """`2026-11-21 21:54:45 +0000 UTC`, as Go prints a moment of its own accord."""
    moment = datetime.fromisoformat(timestamp).astimezone(UTC)
    return moment.strftime("%Y-%m-%d %H:%M:%S +0000 UTC")


def age(timestamp: str | None, now: float) -> str:
    """How long ago that was."""
    return "<unknown>" if not timestamp else human_duration(now - unix_seconds(timestamp))


def human_duration(seconds: float) -> str:
    """A duration in the one or two units that matter: `45s`, `3m10s`, `2d4h`."""
    if seconds < -1:
        return "<invalid>"
    whole = max(0, int(seconds))
    minutes, hours, days = whole // _MINUTE, whole // _HOUR, whole // _DAY
    if whole < 2 * _MINUTE:
        return f"{whole}s"
    if whole < 10 * _MINUTE:
        return _two(minutes, "m", whole % _MINUTE, "s")
    if whole < 3 * _HOUR:
        return f"{minutes}m"
    if whole < 8 * _HOUR:
        return _two(hours, "h", minutes % 60, "m")
    if whole < 2 * _DAY:
        return f"{hours}h"
    if whole < 8 * _DAY:
        return _two(days, "d", hours % 24, "h")
    if whole < 2 * _YEAR:
        return f"{days}d"
    if whole < 8 * _YEAR:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def go_duration(seconds: float) -> str:
    """A duration of a millisecond or more as Go prints it: `1h0m8s`, `1.5s`, `250ms`."""
    if 0 < seconds < 1:
        return f"{seconds * 1000:.15g}ms"
    hours, rest = divmod(seconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    text = f"{int(hours)}h" if hours else ""
    if hours or minutes:
        text += f"{int(minutes)}m"
    return f"{text}{rest:.15g}s"


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large}{large_unit}" + (f"{small}{small_unit}" if small else "")
