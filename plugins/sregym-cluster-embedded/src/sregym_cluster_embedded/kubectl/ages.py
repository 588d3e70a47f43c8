"""Moments and durations as kubectl prints them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.printers.duration import human

if TYPE_CHECKING:
    from collections.abc import Mapping

_MINUTE, _HOUR = 60, 3600


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
    return "<unknown>" if not timestamp else human(int(now - unix_seconds(timestamp)))


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


def interval(event: Mapping[str, Any], now: float) -> str:
    """How long ago an event was seen, and how often since when: `3s (x4 over 2m)`."""
    first = event.get("firstTimestamp") or event.get("eventTime")
    since_first = age(first, now)
    series = event.get("series")
    if series:
        last = age(series.get("lastObservedTime"), now)
        return f"{last} (x{series.get('count', 0)} over {since_first})"
    if event.get("count", 0) > 1:
        return f"{age(event.get('lastTimestamp'), now)} (x{event['count']} over {since_first})"
    return since_first
