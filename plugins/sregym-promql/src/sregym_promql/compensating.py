"""Sums, means and variances over rows as Prometheus 3 works them out: it knows what rounding took."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sregym_promql.samples import Floats, Mask


class _Total:
    """Sums at each step, compensated as Kahan and Neumaier do."""

    def __init__(self, steps: int) -> None:
        self.sum, self.lost = np.zeros(steps), np.zeros(steps)

    def add(self, terms: Floats, there: Mask) -> None:
        after = self.sum + terms
        larger = np.abs(self.sum) >= np.abs(terms)
        rest = np.where(larger, (self.sum - after) + terms, (terms - after) + self.sum)
        # What is infinite has lost nothing.
        lost = np.where(np.isinf(after), 0.0, self.lost + rest)
        self.sum, self.lost = np.where(there, after, self.sum), np.where(there, lost, self.lost)

    def scale(self, factors: Floats, there: Mask) -> None:
        self.sum = np.where(there, self.sum * factors, self.sum)
        self.lost = np.where(there, self.lost * factors, self.lost)

    def whole(self) -> Floats:
        found: Floats = np.where(np.isinf(self.sum), self.sum, self.sum + self.lost)
        return found


def total(values: Floats, present: Mask) -> Floats:
    """The sum of the rows that are there, at each step."""
    found = _Total(values.shape[1])
    for row, there in zip(values, present, strict=True):
        found.add(row, there)
    return found.whole()


def mean(values: Floats, present: Mask) -> Floats:
    """The mean of the rows that are there: of their sum, or grown row by row if that overflows."""
    count = present.sum(axis=0)
    summed = total(values, present)
    direct: Floats = summed / np.maximum(count, 1)
    finite = np.isfinite(np.where(present, values, 0.0)).all(axis=0)
    if not (finite & ~np.isfinite(summed)).any():
        return direct
    grown = _Total(values.shape[1])
    seen = np.zeros(values.shape[1])
    for row, there in zip(values, present, strict=True):
        seen += there
        number = np.maximum(seen, 1)
        grown.scale((number - 1) / number, there)
        grown.add(row / number, there)
    return np.where(finite & ~np.isfinite(summed), grown.whole(), direct)


def variance(values: Floats, present: Mask) -> Floats:
    """Of the population; of a single value that is no finite number, none either."""
    steps = values.shape[1]
    means, squares = _Total(steps), _Total(steps)
    count = np.zeros(steps)
    for row, there in zip(values, present, strict=True):
        count += there
        off = row - means.whole()
        means.add(off / np.maximum(count, 1), there)
        squares.add(off * (row - means.whole()), there)
    found: Floats = squares.whole() / np.maximum(count, 1)
    broken = (present & ~np.isfinite(values)).any(axis=0)
    return np.where(broken, np.nan, found)
