"""PromQL: parser, typed tree and evaluator over any storage of float samples.

`parse` reads a query into a tree (`Node`), `Engine` answers instant and range queries about a
`Storage`, and `Dialect` says whether as Prometheus 2.42 or as Prometheus 3. Whole grids of steps are
evaluated at once, in arrays of series by steps.

The names here and those of the modules `storage`, `formats` and `evaluation` are what this library promises; its other
modules are free to change.
"""

from __future__ import annotations

from sregym_regex.budget import (
    Budget,
    BudgetExceededError,
    CancelledError,
    OutOfMemoryError,
    OutOfStepsError,
    under,
)

from sregym_promql.dialect import DIALECTS, PROMETHEUS_2, PROMETHEUS_3, Dialect, dialect_named
from sregym_promql.engine import Engine
from sregym_promql.errors import EvaluationError, ParseError
from sregym_promql.formatter import line, pretty
from sregym_promql.memory import Memory, Sample, SamplesError, parse_openmetrics, selects
from sregym_promql.nodes import (
    Aggregate,
    Binary,
    Call,
    Length,
    Matching,
    Moment,
    Negation,
    Node,
    Number,
    Passthrough,
    Range,
    Selector,
    Subquery,
    Text,
    children,
    walk,
)
from sregym_promql.notes import Note
from sregym_promql.parsing import parse, parse_as_written, parse_selector
from sregym_promql.response_json import annotations_json, instant_data, range_data
from sregym_promql.results import InstantAnswer, RangeAnswer
from sregym_promql.samples import (
    STALE,
    Labels,
    Matcher,
    Series,
    Storage,
    StoredSeries,
    is_stale,
    labels_of,
)
from sregym_promql.script import Outcome, run_script

__all__ = [
    "DIALECTS",
    "PROMETHEUS_2",
    "PROMETHEUS_3",
    "STALE",
    "Aggregate",
    "Binary",
    "Budget",
    "BudgetExceededError",
    "Call",
    "CancelledError",
    "Dialect",
    "Engine",
    "EvaluationError",
    "InstantAnswer",
    "Labels",
    "Length",
    "Matcher",
    "Matching",
    "Memory",
    "Moment",
    "Negation",
    "Node",
    "Note",
    "Number",
    "OutOfMemoryError",
    "OutOfStepsError",
    "Outcome",
    "ParseError",
    "Passthrough",
    "Range",
    "RangeAnswer",
    "Sample",
    "SamplesError",
    "Selector",
    "Series",
    "Storage",
    "StoredSeries",
    "Subquery",
    "Text",
    "annotations_json",
    "children",
    "dialect_named",
    "instant_data",
    "is_stale",
    "labels_of",
    "line",
    "parse",
    "parse_as_written",
    "parse_openmetrics",
    "parse_selector",
    "pretty",
    "range_data",
    "run_script",
    "selects",
    "under",
    "walk",
]
