"""For engines of other languages with the same arithmetic, such as LogQL: the operations on whole grids of steps.

Values are arrays of series by steps. Operators and aggregations take a node of this library's tree, which says which one.
"""

from __future__ import annotations

from sregym_promql.aggregation import aggregate
from sregym_promql.binary import scalars as binary_of_scalars
from sregym_promql.binary import vectors as binary_of_vectors
from sregym_promql.binary import with_scalar as binary_with_scalar
from sregym_promql.errors import TOO_MANY
from sregym_promql.nodes import has_selectors
from sregym_promql.over_time import FUNCTIONS as OVER_TIME
from sregym_promql.relabelling import added as added_labels
from sregym_promql.relabelling import replaced as label_replace
from sregym_promql.samples import Vector, empty
from sregym_promql.series_selection import Group, Windows

__all__ = [
    "OVER_TIME",
    "TOO_MANY",
    "Group",
    "Vector",
    "Windows",
    "added_labels",
    "aggregate",
    "binary_of_scalars",
    "binary_of_vectors",
    "binary_with_scalar",
    "empty",
    "has_selectors",
    "label_replace",
]
