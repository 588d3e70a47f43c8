"""histogram_quantile of classic histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sregym_cluster_embedded.telemetry.promql.data import (
    NAME,
    Floats,
    Labels,
    Rows,
    Vector,
    empty,
    value_of,
)
from sregym_cluster_embedded.telemetry.promql.quantiles import (
    bucket_quantile,
    bucket_quantiles,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BOUND = "le"


class _Histogram(NamedTuple):
    """The rows of one histogram: from the lowest bound to the highest."""

    bounds: list[float]
    rows: list[int]


def histogram_quantile(levels: Floats, buckets: Vector) -> Vector:
    """The φ-quantile of each histogram at each step; its buckets differ in the label `le`."""
    labels = buckets.labels
    groups = (
        labels.made(_BOUND, lambda: _histograms(labels))
        if isinstance(labels, Rows)
        else (_histograms(labels))
    )
    steps = buckets.values.shape[1]
    if not groups:
        return empty(steps)
    values = np.full((len(groups), steps), np.nan)
    present = np.zeros((len(groups), steps), dtype=np.bool_)
    for position, (bounds, rows) in enumerate(groups.values()):
        counts, there = buckets.values[rows], buckets.present[rows]
        present[position] = there.any(axis=0)
        whole = there.all(axis=0)
        if whole.any():
            values[position, whole] = bucket_quantiles(levels[whole], bounds, counts[:, whole])
        for step in np.flatnonzero(present[position] & ~whole):
            known = there[:, step]
            at = [bound for bound, is_there in zip(bounds, known, strict=True) if is_there]
            counted = counts[known, step].tolist()
            values[position, step] = bucket_quantile(float(levels[step]), at, counted)
    return Vector(list(groups), values, present)


def _histograms(every: Sequence[Labels]) -> Mapping[Labels, _Histogram]:
    """By all labels but the bound and the name."""
    groups: dict[Labels, list[tuple[float, int]]] = {}
    for row, labels in enumerate(every):
        bound = _number(value_of(labels, _BOUND))
        if bound is not None:
            key = tuple(pair for pair in labels if pair[0] not in (_BOUND, NAME))
            groups.setdefault(key, []).append((bound, row))
    return {
        key: _Histogram(
            [bound for bound, _ in sorted(members)], [row for _, row in sorted(members)]
        )
        for key, members in groups.items()
    }


def _number(text: str) -> float | None:
    try:
        return float(text.replace("Inf", "inf")) if text else None
    except ValueError:
        return None
