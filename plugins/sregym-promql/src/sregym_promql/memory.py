"""A storage that holds all its samples in memory, and the text form that fills it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sregym_promql.samples import (
    NAME,
    Labels,
    Matcher,
    StoredSeries,
    Times,
    labels_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_LINE = re.compile(
    r"(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r'(?:[ \t]*\{(?P<labels>(?:[^"}]|"(?:[^"\\]|\\.)*")*)\}[ \t]*|[ \t]+)'
    r"(?P<value>[^\s#]+)(?:[ \t]+(?P<time>[^\s#]+))?(?:[ \t]+#[ \t].*)?"
)
_LABEL = re.compile(r'\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|$)')
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
# A float as Go reads it; hexadecimal ones apart.
_NUMBER = re.compile(
    r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:inf|infinity)|nan", re.IGNORECASE
)
_HEXADECIMAL = re.compile(r"[+-]?0x[0-9a-f]*\.?[0-9a-f]*(?:p[+-]?\d+)?", re.IGNORECASE)
_TYPES = frozenset(
    {"counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset", "unknown", "untyped"}
)  # fmt: skip
_METADATA = re.compile(r"#[ \t]+(?P<kind>TYPE|HELP|UNIT)[ \t]+(?P<name>\S+)(?:[ \t]+(?P<rest>.*))?")
_END = "# EOF"
# Moments are milliseconds in 64 bits.
_MOST_SECONDS = 2.0**53


class SamplesError(ValueError):
    """A text of samples that cannot be read; names the line."""


class Sample(NamedTuple):
    """One sample: milliseconds since 1970."""

    labels: Labels
    at_ms: int
    value: float


class Memory:
    """Implements `Storage`.

    Args:
        samples: In any order; of two at the same moment the later one counts.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        collected: dict[Labels, dict[int, float]] = {}
        for sample in samples:
            collected.setdefault(sample.labels, {})[sample.at_ms] = sample.value
        # Series with the same times share one array, so that they are evaluated together.
        shared: dict[tuple[int, ...], Times] = {}
        self._series: list[StoredSeries] = []
        for labels in sorted(collected):
            points = sorted(collected[labels].items())
            moments = tuple(at for at, _ in points)
            times = shared.setdefault(moments, np.array(moments, dtype=np.int64))
            values = np.array([value for _, value in points], dtype=np.float64)
            self._series.append(StoredSeries(labels, times, values))

    def select(
        self,
        matchers: Sequence[Matcher],
        start_ms: int,
        end_ms: int,
    ) -> Sequence[StoredSeries]:
        """The series that all matchers select."""
        return [series for series in self._series if selects(matchers, dict(series.labels))]

    def newest_ms(self) -> int:
        """When the last sample of all was taken; 0 without any."""
        return max((int(series.times[-1]) for series in self._series), default=0)


def selects(matchers: Sequence[Matcher], labels: Mapping[str, str]) -> bool:
    """Whether all matchers match."""
    return all(matcher.matches(labels.get(matcher.name, "")) for matcher in matchers)


def parse_openmetrics(text: str, default_ms: int | None = None) -> list[Sample]:
    """The samples of a text in the OpenMetrics or Prometheus format; times are Unix seconds.

    Args:
        text: Lines; comments and metadata are passed over.
        default_ms: The moment of samples without one.

    Raises:
        SamplesError: A line cannot be read, or has no time and there is no default.
    """
    found = []
    ended = False
    # Other characters that end lines elsewhere may stand in values of labels.
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if not stripped:
            continue
        if ended:
            message = f"line {number}: text after {_END!r}: {stripped!r}"
            raise SamplesError(message)
        if stripped.startswith("#"):
            ended = stripped == _END
            _check_comment(stripped, number)
        else:
            found.append(_sample(stripped, number, default_ms))
    return found


def _check_comment(line: str, number: int) -> None:
    """Refuse metadata that say nothing."""
    metadata = _METADATA.fullmatch(line)
    if metadata is not None and metadata["kind"] == "TYPE":
        kind = (metadata["rest"] or "").strip()
        if kind not in _TYPES:
            message = f"line {number}: not a type of metrics: {kind!r}"
            raise SamplesError(message)


def _sample(line: str, number: int, default_ms: int | None) -> Sample:
    parts = _LINE.fullmatch(line)
    if parts is None:
        message = f"line {number}: not a sample: {line!r}"
        raise SamplesError(message)
    labels = {NAME: parts["name"], **_labels(parts["labels"] or "", number)}
    value = _number(parts["value"], number)
    if parts["time"] is not None:
        seconds = _number(parts["time"], number)
        if not abs(seconds) < _MOST_SECONDS:
            message = f"line {number}: not a time: {parts['time']!r}"
            raise SamplesError(message)
        at_ms = round(seconds * 1000)
    elif default_ms is not None:
        at_ms = default_ms
    else:
        message = f"line {number}: the sample has no time: {line!r}"
        raise SamplesError(message)
    return Sample(labels_of(labels), at_ms, value)


def _labels(text: str, number: int) -> dict[str, str]:
    labels: dict[str, str] = {}
    position = 0
    while text[position:].strip():
        found = _LABEL.match(text, position)
        if found is None:
            message = f"line {number}: labels that cannot be read: {text[position:]!r}"
            raise SamplesError(message)
        if found[1] in labels:
            message = f"line {number}: the label {found[1]!r} is there twice"
            raise SamplesError(message)
        labels[found[1]] = re.sub(r"\\.", lambda part: _ESCAPES.get(part[0], part[0]), found[2])
        position = found.end()
    return labels


def _number(text: str, number: int) -> float:
    if _NUMBER.fullmatch(text):
        return float(text)
    if _HEXADECIMAL.fullmatch(text):
        try:
            return float.fromhex(text)
        except ValueError:
            pass
    message = f"line {number}: not a number: {text!r}"
    raise SamplesError(message)
