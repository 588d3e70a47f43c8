"""Durations and sizes as Loki reads them in queries and labels."""

from __future__ import annotations

import re

_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w|y)")
_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
    "d": 86400.0,
    "w": 604800.0,
    "y": 31536000.0,
}
_BYTES: dict[str, int] = {
    "": 1,
    "b": 1,
    **{
        name: factor
        for power, letter in enumerate("kmgtpe", 1)
        for name, factor in (
            (letter, 1000**power),
            (f"{letter}b", 1000**power),
            (f"{letter}i", 1024**power),
            (f"{letter}ib", 1024**power),
        )
    },
}


def duration_s(text: str) -> float:
    """`1h2m3.5s` in seconds, as Go reads it.

    Raises:
        ValueError: It is none.
    """
    sign = -1.0 if text.startswith("-") else 1.0
    rest = text.lstrip("+-")
    if rest == "0":
        return 0.0
    parts = _PART.findall(rest)
    if not parts or "".join(count + unit for count, unit in parts) != rest:
        message = f"not a duration: {text!r}"
        raise ValueError(message)
    total = sum(float(count) * _SECONDS[unit] for count, unit in parts)
    return sign * total


_UNITS = {
    "ms": (7, 1e-3),
    "s": (6, 1.0),
    "m": (5, 60.0),
    "h": (4, 3600.0),
    "d": (3, 86400.0),
    "w": (2, 604800.0),
    "y": (1, 31536000.0),
}
# What fits into 64 bits of nanoseconds.
LONGEST_S = 9_223_372_036.0
_ONE = re.compile(r"(\d+\.?\d*)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_GO = re.compile(r"([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)


def prometheus_duration_s(text: str) -> float:
    """A duration between brackets: whole numbers, units from large to small, each once.

    Raises:
        ValueError: It is none; with the error text of Prometheus' library.
    """
    if text == "0":
        return 0.0
    if not text:
        message = "empty duration string"
        raise ValueError(message)
    total, largest, position = 0.0, 0, 0
    while position < len(text):
        found = re.compile(r"(\d+)(\D+)", re.ASCII).match(text, position)
        if found is None:
            message = f'not a valid duration string: "{text}"'
            raise ValueError(message)
        if found[2] not in _UNITS:
            message = f'unknown unit "{found[2]}" in duration "{text}"'
            raise ValueError(message)
        order, seconds = _UNITS[found[2]]
        if order <= largest:
            message = f'not a valid duration string: "{text}"'
            raise ValueError(message)
        largest = order
        total += int(found[1]) * seconds
        position = found.end()
    if total > LONGEST_S:
        message = "duration out of range"
        raise ValueError(message)
    return total


def go_duration_s(text: str) -> float:
    """A duration in a label, as Go reads it: from nanoseconds to hours.

    Raises:
        ValueError: It is none; in Go's words.
    """
    # Most have one unit.
    found = _ONE.fullmatch(text)
    if found is not None:
        count, unit = found.groups()
        return float(count) * _SECONDS[unit]
    if text in ("0", "+0", "-0"):
        return 0.0
    found = _GO.fullmatch(text)
    if found is not None:
        total = sum(float(count) * _SECONDS[unit] for count, unit in _PART.findall(found[2]))
        return -total if found[1] == "-" else total
    rest = text.lstrip("+-") if text[:1] in ("+", "-") else text
    while (part := re.match(r"(\d+\.?\d*|\.\d+)([^\d.]*)", rest, re.ASCII)) is not None:
        if not part[2]:
            message = f'time: missing unit in duration "{text}"'
            raise ValueError(message)
        if part[2] not in _SECONDS or part[2] in ("d", "w", "y"):
            message = f'time: unknown unit "{part[2]}" in duration "{text}"'
            raise ValueError(message)
        rest = rest[part.end() :]
    message = f'time: invalid duration "{text}"'
    raise ValueError(message)


def size_bytes(text: str) -> float:
    """`10KB`, `1.5 GiB` in whole bytes.

    Raises:
        ValueError: It is none; with the error text of the library that Loki reads sizes with.
    """
    digits = re.match(r"[\d.,]*", text, re.ASCII)
    number, unit = (digits[0], text[digits.end() :].strip().lower()) if digits else ("", text)
    try:
        count = float(number.replace(",", ""))
    except ValueError:
        message = f'strconv.ParseFloat: parsing "{number}": invalid syntax'
        raise ValueError(message) from None
    factor = _BYTES.get(unit)
    if factor is None:
        message = f"unhandled size name: {unit}"
        raise ValueError(message)
    return float(int(count * factor))


def go_float(text: str) -> float:
    """A number as Go reads it.

    Raises:
        ValueError: It is none; in Go's words.
    """
    try:
        if text.strip() == text and text.isascii():
            return float.fromhex(text) if text[:2].lower() == "0x" else float(text)
    except ValueError:
        pass
    message = f'strconv.ParseFloat: parsing "{text}": invalid syntax'
    raise ValueError(message)
