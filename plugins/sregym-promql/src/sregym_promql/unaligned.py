"""Many series that are sampled at moments of their own, looked at together.

Each target is scraped at its own moment: series of many targets share no times. Their samples
become the rows of one table, and each row has its own places in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from sregym_promql.samples import (
    Floats,
    Labels,
    Laid,
    Rows,
    StoredSeries,
    Times,
    is_stale,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

# With fewer it is not worth it.
_FEWEST = 8
# Behind the last sample of a row.
_NEVER = 2**62
# A span that is so many times shorter than the series is cut out of each of them first.
_SMALL = 3


class Table(NamedTuple):
    """Series as rows.

    Attributes:
        labels: One set a row.
        times: Rows by samples, milliseconds; rows with fewer samples end with moments that never
            come.
        values: Rows by samples.
        stale: Whether there are marks among the values.
        spacing: Milliseconds between two samples of each row, where they are all the same; else 0.
    """

    labels: Sequence[Labels]
    times: Times
    values: Floats
    stale: bool
    spacing: int

    def until(self, moments: Times, *, inclusive: bool) -> Times:
        """How many samples of each row lie before each moment, or at it; rows by moments."""
        rows, width = self.times.shape
        if self.spacing:
            # Most often samples are evenly spaced: then there is nothing to search.
            passed = moments[np.newaxis, :] - self.times[:, :1]
            count = passed // self.spacing + 1 if inclusive else -(-passed // self.spacing)
            evenly: Times = np.clip(count, 0, width)
            return evenly
        side: Literal["left", "right"] = "right" if inclusive else "left"
        found = [np.searchsorted(row, moments, side=side) for row in self.times]
        return np.array(found, dtype=np.int64).reshape(rows, len(moments))

    def flat(self, places: Times) -> Times:
        """The same places, counted through all rows."""
        rows, width = self.times.shape
        counted: Times = places + (np.arange(rows, dtype=np.int64) * width)[:, np.newaxis]
        return counted


def table(found: Sequence[StoredSeries], start: int, end: int) -> Table | None:
    """Series with their samples of a span at least; None where they are better looked at otherwise."""
    kinds = found.kinds if isinstance(found, Laid) else len({id(one.times) for one in found})
    if kinds < _FEWEST:
        return None
    pieces = _pieces(found, start, end)
    lengths = [len(times) for times, _ in pieces]
    width = max(lengths)
    if not width or width * len(found) > 4 * sum(lengths):
        return None
    if min(lengths) == width:
        times = np.array([piece for piece, _ in pieces], dtype=np.int64)
        values = np.array([piece for _, piece in pieces], dtype=np.float64)
    else:
        times = np.full((len(found), width), _NEVER, dtype=np.int64)
        values = np.zeros((len(found), width))
        for row, (own_times, own_values) in enumerate(pieces):
            times[row, : lengths[row]] = own_times
            values[row, : lengths[row]] = own_values
    # Columns that no row needs are left out.
    first = int(np.searchsorted(times.max(axis=0), start, side="left"))
    last = int(np.searchsorted(times.min(axis=0), end, side="right"))
    if first >= last:
        first, last = 0, 1
    times = np.ascontiguousarray(times[:, first:last])
    values = np.ascontiguousarray(values[:, first:last])
    labels = found.labels if isinstance(found, Laid) else Rows([one.labels for one in found])
    return Table(labels, times, values, bool(is_stale(values).any()), _spacing(times))


def _pieces(found: Sequence[StoredSeries], start: int, end: int) -> list[tuple[Times, Floats]]:
    """Times and values, of the span only where that is a small part of them."""
    times = found[0].times
    if len(times) > 1:
        spacing = max((int(times[-1]) - int(times[0])) // (len(times) - 1), 1)
        if (end - start) // spacing * _SMALL < len(times):
            pieces = []
            for series in found:
                low = int(series.times.searchsorted(start))
                high = int(series.times.searchsorted(end, "right"))
                pieces.append((series.times[low:high], series.values[low:high]))
            return pieces
    return [(series.times, series.values) for series in found]


def _spacing(times: Times) -> int:
    if times.shape[1] < 2:
        return 0
    step = int(times[0, 1] - times[0, 0])
    return step if step > 0 and bool((times[:, 1:] - times[:, :-1] == step).all()) else 0
