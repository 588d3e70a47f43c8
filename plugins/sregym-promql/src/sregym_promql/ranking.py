"""`topk` and `bottomk`: which rows stay of each group, and in which order.

Of rows with the same value those stay, and stand first, that do in Prometheus: it goes through the
rows with a heap of Go's standard library, so that is what decides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.samples import Vector

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sregym_promql.samples import Floats, Labels


def ranked(
    vector: Vector,
    groups: Mapping[Labels, list[int]],
    sizes: Floats,
    *,
    largest: bool,
    replaces: bool = False,
) -> Vector:
    """The largest or smallest rows of each group, as many as asked for at each step.

    NaN comes last. With `replaces` a better row takes the place of the least one at once, as in
    Prometheus 3, instead of being put in after that one was taken out. Rows keep their labels; those of one step stand from the best one on.
    """
    steps = vector.values.shape[1]
    sign = 1.0 if largest else -1.0
    chosen = np.zeros(vector.present.shape, dtype=np.bool_)
    places: list[int] = []
    for rows in groups.values():
        values = (vector.values[rows] * sign).T.tolist()
        there = vector.present[rows].T.tolist()
        for step in range(steps):
            size = _whole(float(sizes[step]))
            if not size:
                continue
            known = zip(values[step], rows, there[step], strict=True)
            best = _best(
                ((value, row) for value, row, is_there in known if is_there),
                size,
                replaces=replaces,
            )
            chosen[best, step] = True
            if steps == 1:
                places.extend(best)
        if steps > 1:
            places.extend(row for row in rows if chosen[row].any())
    labels = [vector.labels[row] for row in places]
    return Vector(labels, vector.values[places], chosen[places])


def _best(entries: Iterable[tuple[float, int]], size: int, *, replaces: bool) -> list[int]:
    """The rows with the largest values, the largest first."""
    heap: list[tuple[float, int]] = []
    for entry in entries:
        if len(heap) < size:
            _push(heap, entry)
        elif heap[0][0] < entry[0] or math.isnan(heap[0][0]):
            if size > 1 and replaces:
                heap[0] = entry
                _sink(heap)
            elif size > 1:
                _pop(heap)
                _push(heap, entry)
            else:
                heap[0] = entry
    numbers = sorted((one for one in heap if not math.isnan(one[0])), key=lambda one: -one[0])
    # Each that is no number moves before those that were there before.
    others = [one for one in reversed(heap) if math.isnan(one[0])]
    return [row for _, row in (*numbers, *others)]


def _less(heap: Sequence[tuple[float, int]], left: int, right: int) -> bool:
    value = heap[left][0]
    return math.isnan(value) or value < heap[right][0]


def _push(heap: list[tuple[float, int]], entry: tuple[float, int]) -> None:
    heap.append(entry)
    place = len(heap) - 1
    while place:
        parent = (place - 1) // 2
        if not _less(heap, place, parent):
            return
        heap[place], heap[parent] = heap[parent], heap[place]
        place = parent


def _pop(heap: list[tuple[float, int]]) -> None:
    """Take the least entry out."""
    last = heap.pop()
    heap[0] = last
    _sink(heap)


def _sink(heap: list[tuple[float, int]]) -> None:
    """Move the first entry to where it belongs."""
    place = 0
    while 2 * place + 1 < len(heap):
        child = 2 * place + 1
        if child + 1 < len(heap) and _less(heap, child + 1, child):
            child += 1
        if not _less(heap, child, place):
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


def _whole(number: float) -> int:
    return 0 if math.isnan(number) or number < 1 else int(min(number, 2**31))
