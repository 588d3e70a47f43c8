"""Durations as Prometheus writes them: `1h30m`."""

from __future__ import annotations

import re

# Further away than any sample.
_FAR_S = 2.0e15
_UNITS = (
    ("y", 31_536_000_000),
    ("w", 604_800_000),
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1000),
    ("ms", 1),
)
_DURATION = re.compile("".join(rf"(?:(\d+){unit})?" for unit, _ in _UNITS))


def duration_ms(text: str) -> int | None:
    """Milliseconds; None when the text is no duration. The empty text is none, `0` is one."""
    if text == "0":
        return 0
    found = _DURATION.fullmatch(text)
    if found is None or not text:
        return None
    counts = (int(count or 0) for count in found.groups())
    return sum(count * unit for count, (_, unit) in zip(counts, _UNITS, strict=True))


def duration_text(milliseconds: int) -> str:
    """The shortest form; years and weeks only where nothing remains."""
    if milliseconds == 0:
        return "0s"
    parts = []
    for name, unit in _UNITS:
        whole = name in ("y", "w") and milliseconds % unit
        if not whole and milliseconds >= unit:
            parts.append(f"{milliseconds // unit}{name}")
            milliseconds %= unit
    return "".join(parts)


def milliseconds(seconds: float) -> int:
    """A moment in milliseconds, no further away than any sample can be."""
    return round(max(-_FAR_S, min(_FAR_S, seconds)) * 1000)
