"""What an answer is said to be taken with care for: warnings and infos, as Prometheus 3 gives them.

Those that there can be with float samples and classic histograms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.samples import NAME, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_promql.samples import Floats, Labels

WARNING, INFO = "PromQL warning", "PromQL info"
_COUNTERS = ("_total", "_sum", "_count", "_bucket")
_BOUND = "le"
# Counts that differ by less, relative to their sum, are as good as the same.
_CLOSE, _SMALLEST = 1e-12, 2.2250738585072014e-308
_FORCED = (
    "input to histogram_quantile needed to be fixed for monotonicity "
    "(see https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile)"
)
# Exponents that `%g` writes out.
_LEAST, _MOST = -4, 5


@dataclass(frozen=True, order=True)
class Note:
    """One warning or info.

    Attributes:
        place: Of the part of the query that it is about: characters before it.
        kind: `PromQL warning` or `PromQL info`.
        text: What is said.
    """

    place: int
    kind: str
    text: str

    def shown(self, query: str) -> str:
        """The text with line and column, which counts bytes."""
        before = query[: self.place].encode()
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        return f"{self.kind}: {self.text} ({line}:{column})"

    @property
    def bare(self) -> str:
        """The text without its place."""
        return f"{self.kind}: {self.text}"


def of_levels(levels: Iterable[float], place: int) -> set[Note]:
    """About levels of quantiles."""
    wrong = {repr(level): level for level in levels if not 0 <= level <= 1}
    text = "quantile value should be between 0 and 1, got"
    return {Note(place, WARNING, f"{text} {_in_go(level)}") for level in wrong.values()}


def of_ratios(ratios: Sequence[float], place: int) -> set[Note]:
    """About the share of rows that `limit_ratio` is asked for."""
    text = "ratio value should be between -1 and 1, got"
    wrong = [(max(ratios), 1), (min(ratios), -1)]
    return {
        Note(place, WARNING, f"{text} {_in_go(ratio)}, capping to {most}")
        for ratio, most in wrong
        if ratio * most > 1
    }


def of_counters(labels: Iterable[Labels], place: int) -> set[Note]:
    """About what is taken for counters."""
    names = {value_of(one, NAME) for one in labels}
    text = "metric might not be a counter, name does not end in _total/_sum/_count/_bucket"
    return {
        Note(place, INFO, f'{text}: "{name}"')
        for name in names
        if name and not name.endswith(_COUNTERS)
    }


def is_counter(name: str) -> bool:
    """Whether a metric's name is one of a counter."""
    return name.endswith(_COUNTERS)


def of_bounds(labels: Iterable[Labels], place: int) -> set[Note]:
    """About buckets whose bound cannot be read."""
    text = f'bucket label "{_BOUND}" is missing or has a malformed value of'
    found = set()
    for one in labels:
        name = value_of(one, NAME)
        metric = f' for metric name "{name}"' if name else ""
        found.add(Note(place, WARNING, f'{text} "{value_of(one, _BOUND)}"{metric}'))
    return found


def of_order(place: int) -> Note:
    """About counts of buckets that fall."""
    return Note(place, INFO, _FORCED)


def is_decreasing(levels: Floats, counts: Floats) -> bool:
    """Whether counts of buckets, by bound (rows) and step, fall by more than rounding.

    Args:
        levels: At each step; where they are none of a quantile, nothing is looked at.
        counts: NaN where there is no bucket.
    """
    less = counts[1:] < np.fmax.accumulate(counts, axis=0)[:-1]
    if not less.any():
        return False
    steps = less.any(axis=0) & (levels >= 0) & (levels <= 1)
    return any(_falls(counts[:, step].tolist()) for step in np.flatnonzero(steps))


def _falls(counts: Sequence[float]) -> bool:
    known = [count for count in counts if not math.isnan(count)]
    before = known[0]
    for count in known[1:]:
        if close(before, count):
            continue
        if count < before:
            return True
        before = count
    return False


def close(one: float, other: float) -> bool:
    """Whether two counts differ by rounding alone."""
    if one == other:
        return True
    size, apart = abs(one) + abs(other), abs(one - other)
    if one == 0 or other == 0 or size < _SMALLEST:
        return apart < _CLOSE * _SMALLEST
    return apart / size < _CLOSE


def _in_go(value: float) -> str:
    """A number as Go's `%g`."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    text = np.format_float_scientific(value, trim="-", exp_digits=2)
    if _LEAST <= int(text.partition("e")[2]) <= _MOST:
        return np.format_float_positional(value, trim="-")
    return text
