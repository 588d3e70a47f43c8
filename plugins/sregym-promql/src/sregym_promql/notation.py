"""The notation of samples in promqltest scripts: `metric{a="b"} 0+10x5 _ stale 7`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_promql.lexing import string_value
from sregym_promql.samples import NAME, STALE, Labels, labels_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_METRIC = re.compile(
    r"\s*([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*(?:\{((?:[^}\"]|\"(?:[^\"\\]|\\.)*\")*)\})?"
)
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?')
_NAMED = re.compile(r'[{,]\s*__name__\s*=\s*"([^"\\]*)"')
_QUOTED_LABEL = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?')
_QUOTED_NAME = re.compile(r'\s*("(?:[^"\\]|\\.)*")\s*(?:,|$)')
_NUMBER = r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[iI]nf|[nN]a[nN])"
_STEPS = re.compile(rf"(?P<first>{_NUMBER})(?:(?P<change>[+-].*?))?x(?P<times>\d+)")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_DURATION = re.compile(r"(\d+)(ms|[smhdwy])")
_UNITS_MS = {
    "ms": 1,
    "s": 1000,
    "m": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "w": 604_800_000,
    "y": 31_536_000_000,
}


class NotationError(ValueError):
    """Something that is no series, value or duration."""


class Line(NamedTuple):
    """A metric and its values; None where a value is missing."""

    labels: Labels
    values: tuple[float | None, ...]


class Lost(NamedTuple):
    """A series of which samples are missing.

    Attributes:
        labels: As far as they are known.
        known: Whether these are all; else only the name is, if it is among them.
        native: Whether a native histogram is missing.
    """

    labels: Labels
    known: bool
    native: bool


def lost_series(text: str, *, native: bool) -> Lost:
    """The series that a line is about that need not be good otherwise."""
    try:
        return Lost(_series(text)[0], True, native)
    except NotationError:
        pass
    found = _METRIC.match(text)
    if found is not None and found[1]:
        return Lost(((NAME, found[1]),), False, native)
    named = _NAMED.search(text)
    return Lost(((NAME, named[1]),) if named else (), False, native)


def parse_line(text: str) -> Line:
    """A metric followed by values.

    Raises:
        NotationError: It is none.
    """
    if "{{" in _QUOTED.sub("", text):
        message = "native histograms are not supported: only float samples and classic histograms"
        raise NotationError(message)
    labels, end = _series(text)
    return Line(labels, tuple(_values(text[end:])))


def _series(text: str) -> tuple[Labels, int]:
    """The labels that a line begins with, and where they end."""
    found = _METRIC.match(text)
    if found is None or not found[0].strip():
        message = f"not a series: {text.strip()!r}"
        raise NotationError(message)
    labels = {} if found[1] is None else {NAME: found[1]}
    inside = found[2] or ""
    position = 0
    while inside[position:].strip():
        label = _LABEL.match(inside, position) or _QUOTED_LABEL.match(inside, position)
        if label is None:
            named = None if labels.get(NAME) else _QUOTED_NAME.match(inside, position)
            if named is None:
                message = f"labels that cannot be read: {inside[position:]!r}"
                raise NotationError(message)
            labels[NAME] = string_value(named[1])
            position = named.end()
            continue
        name = string_value(label[1]) if label[1].startswith('"') else label[1]
        labels[name] = string_value(f'"{label[2]}"')
        position = label.end()
    return labels_of(labels), found.end()


def _values(text: str) -> Iterator[float | None]:
    for word in text.split():
        if word == "stale":
            yield STALE
        elif word == "_":
            yield None
        elif (skipped := re.fullmatch(r"_x(\d+)", word)) is not None:
            yield from [None] * int(skipped[1])
        elif (steps := _STEPS.fullmatch(word)) is not None:
            first = number(steps["first"])
            change = number(steps["change"]) if steps["change"] else 0.0
            value = first
            for _ in range(int(steps["times"]) + 1):
                yield value
                value += change
        else:
            yield number(word)


def number(text: str) -> float:
    """A float as Go reads it.

    Raises:
        NotationError: It is none.
    """
    try:
        return float(int(text, 16)) if "0x" in text.lower() else float(text)
    except ValueError:
        message = f"not a number: {text!r}"
        raise NotationError(message) from None


def duration_ms(text: str) -> int:
    """`1h30m`, or a number of seconds.

    Raises:
        NotationError: It is neither.
    """
    parts = _DURATION.findall(text)
    if parts and "".join(count + unit for count, unit in parts) == text:
        return sum(int(count) * _UNITS_MS[unit] for count, unit in parts)
    return round(number(text) * 1000)
