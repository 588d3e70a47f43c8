"""`limitk` and `limit_ratio`: some rows of each group, whatever their values are."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from sregym_promql.samples import Labels, Vector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_promql.samples import Floats

_MOST = 2**31
_SPAN = 2.0**64


def first_rows(vector: Vector, groups: Mapping[Labels, list[int]], sizes: Floats) -> Vector:
    """As many rows of each group as asked for at each step: those that come first."""
    chosen = np.zeros(vector.present.shape, dtype=np.bool_)
    wanted = np.clip(np.nan_to_num(sizes), 0, _MOST).astype(np.int64)
    for rows in groups.values():
        there = vector.present[rows]
        chosen[rows] = there & (np.cumsum(there, axis=0) <= wanted)
    return Vector(vector.labels, vector.values, chosen)


def share_of_rows(vector: Vector, ratios: Floats) -> Vector:
    """A share of all rows, which are always the same ones; the others for a ratio below zero."""
    places = np.array([_place(labels) for labels in vector.labels])[:, np.newaxis]
    ratios = np.clip(ratios, -1.0, 1.0)
    chosen = np.where(ratios >= 0, places < ratios, places >= 1.0 + ratios)
    return Vector(vector.labels, vector.values, vector.present & chosen)


def _place(labels: Labels) -> float:
    """Where a row stands between 0 and 1, by its labels alone."""
    text = "\0".join(part for pair in labels for part in pair)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / _SPAN
