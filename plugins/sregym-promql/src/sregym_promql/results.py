"""What queries answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.notes import Note
    from sregym_promql.samples import Labels, Series


@dataclass(frozen=True)
class InstantAnswer:
    """What a query is at one moment.

    Attributes:
        kind: `vector`, `scalar`, `string` or `matrix`.
        rows: Labels and value of a vector; one row without labels for a scalar.
        series: The samples of a matrix.
        text: The value of a string.
        notes: Warnings and infos, in the order of the query.
        samples: How many were looked at.
    """

    kind: str
    rows: Sequence[tuple[Labels, float]] = ()
    series: Sequence[Series] = ()
    text: str = ""
    notes: Sequence[Note] = ()
    samples: int = 0


@dataclass(frozen=True)
class RangeAnswer:
    """What a query is at each step: a matrix, sorted by labels; the rest is as at one moment."""

    series: Sequence[Series]
    notes: Sequence[Note] = ()
    samples: int = 0
