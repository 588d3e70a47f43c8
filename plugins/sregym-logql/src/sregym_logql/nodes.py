"""The syntax of a query as the evaluator walks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sregym_promql import Matching
    from sregym_promql.storage import Matcher


@dataclass(frozen=True)
class LineFilter:
    """`|= "a" or "b"`: op is `|=`, `!=`, `|~`, `!~`, `|>` or `!>`; `ip` for the function of it."""

    op: str
    texts: tuple[str, ...]
    ip: bool = False


@dataclass(frozen=True)
class Parser:
    """`json`, `logfmt`, `regexp`, `pattern`, `unpack` with what stands behind it.

    Attributes:
        kind: Which.
        text: The expression of regexp and pattern.
        wanted: Label and the expression it is taken from; all fields when there are none.
        flags: Of logfmt: `strict`, `keep-empty`.
    """

    kind: str
    text: str = ""
    wanted: tuple[tuple[str, str], ...] = ()
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """One label compared.

    Attributes:
        label: Its name.
        op: `=`, `!=`, `=~`, `!~`, `>`, `>=`, `<`, `<=`, `==`.
        kind: `string`, `number`, `duration`, `bytes` or `ip`.
        text: The value as written.
        value: Its number, where it has one: seconds, bytes.
    """

    label: str
    op: str
    kind: str
    text: str
    value: float = 0.0


@dataclass(frozen=True)
class Both:
    """Two conditions joined by `and` or `or`."""

    op: str
    left: Condition
    right: Condition


Condition: TypeAlias = Comparison | Both


def condition_labels(condition: Condition) -> set[str]:
    """The labels that a condition looks at."""
    if isinstance(condition, Both):
        return condition_labels(condition.left) | condition_labels(condition.right)
    return {condition.label}


@dataclass(frozen=True)
class LabelFilter:
    """`| status >= 500 and method="GET"`."""

    condition: Condition


@dataclass(frozen=True)
class LineFormat:
    """`| line_format "{{.a}}"`."""

    template: str


@dataclass(frozen=True)
class LabelFormat:
    """`| label_format a=b, c="{{.d}}"`: target, source, whether the source is a template."""

    changes: tuple[tuple[str, str, bool], ...]


@dataclass(frozen=True)
class Choose:
    """`| drop a, b="x"` or `| keep ...`: names, each with a matcher or None."""

    keep: bool
    labels: tuple[tuple[str, Matcher | None], ...]


@dataclass(frozen=True)
class Decolorize:
    """`| decolorize`."""


Stage: TypeAlias = (
    LineFilter | Parser | LabelFilter | LineFormat | LabelFormat | Choose | Decolorize
)


@dataclass(frozen=True)
class Logs:
    """A selector of streams and what is done with their lines."""

    matchers: tuple[Matcher, ...]
    stages: tuple[Stage, ...] = ()


@dataclass(frozen=True)
class Unwrap:
    """`| unwrap duration(x) | __error__=""`: label, conversion, filters behind it."""

    label: str
    conversion: str = ""
    filters: tuple[LabelFilter, ...] = ()


@dataclass(frozen=True)
class Grouping:
    """`by (a)` or `without (a)`."""

    labels: tuple[str, ...]
    without: bool


@dataclass(frozen=True)
class RangeAggregation:
    """`rate({a="b"} [5m])`."""

    op: str
    logs: Logs
    range_ns: int
    offset_ns: int = 0
    unwrap: Unwrap | None = None
    parameter: float | None = None
    grouping: Grouping | None = None


@dataclass(frozen=True)
class VectorAggregation:
    """`sum by (a) (...)`."""

    op: str
    inner: Metric
    parameter: float | None = None
    grouping: Grouping | None = None


@dataclass(frozen=True)
class Binary:
    """An operation on two sides."""

    op: str
    left: Metric
    right: Metric
    returns_bool: bool
    matching: Matching


@dataclass(frozen=True)
class Number:
    """A literal."""

    value: float


@dataclass(frozen=True)
class VectorOf:
    """`vector(1)`."""

    value: float


@dataclass(frozen=True)
class LabelReplace:
    """`label_replace(v, "target", "$1", "source", "pattern")`."""

    inner: Metric
    words: tuple[str, str, str, str] = field(default=("", "", "", ""))


Metric: TypeAlias = RangeAggregation | VectorAggregation | Binary | Number | VectorOf | LabelReplace
Node: TypeAlias = Logs | Metric
