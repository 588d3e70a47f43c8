"""PromQL over any storage of float samples: an evaluator with the semantics of Prometheus 2.

`Engine` answers instant and range queries; `Storage` is what it reads. Whole grids of
steps are evaluated at once, in arrays of series by steps.
"""

from __future__ import annotations

from sregym_promql.data import (
    Labels,
    Matcher,
    Series,
    Storage,
    StoredSeries,
    is_stale,
    labels_of,
)
from sregym_promql.engine import Engine
from sregym_promql.errors import EvaluationError, ParseError
from sregym_promql.results import InstantAnswer, RangeAnswer

__all__ = [
    "Engine",
    "EvaluationError",
    "InstantAnswer",
    "Labels",
    "Matcher",
    "ParseError",
    "RangeAnswer",
    "Series",
    "Storage",
    "StoredSeries",
    "is_stale",
    "labels_of",
]
