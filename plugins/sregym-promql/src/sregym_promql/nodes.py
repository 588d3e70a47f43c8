"""The syntax of a query as the evaluator walks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from sregym_regex.go_text import readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_promql.samples import Matcher


@dataclass(frozen=True)
class Number:
    """A literal."""

    value: float


@dataclass(frozen=True)
class Text:
    """A string literal.

    Attributes:
        bare: What it stands for; it may hold bytes that are no characters.
    """

    bare: str

    @property
    def value(self) -> str:
        """What can be shown of it."""
        return readable(self.bare)


@dataclass(frozen=True)
class Length:
    """A duration that is an expression, in seconds.

    Attributes:
        op: `number`, `step` and `range` (of the whole query), `negative`, `min`, `max`, or an
            operator: `+ - * / % ^`.
        parts: What it works on.
        seconds: Of a number.
        place: In the query: characters before it.
    """

    op: str
    parts: tuple[Length, ...] = ()
    seconds: float = 0.0
    place: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Moment:
    """Which moment a selector looks at.

    Attributes:
        offset_ms: How far back.
        at: `@`: milliseconds since 1970, `start`, `end`, or None for each step itself.
        offset: How far back, where that is an expression.
    """

    offset_ms: int = 0
    at: int | str | None = None
    offset: Length | None = None


@dataclass(frozen=True)
class Selector:
    """An instant vector selector; `edges` is `anchored`, `smoothed`, or empty."""

    name: str
    matchers: tuple[Matcher, ...]
    moment: Moment
    edges: str = ""


@dataclass(frozen=True)
class Range:
    """A range vector selector; `length` where its duration is an expression."""

    selector: Selector
    range_ms: int
    length: Length | None = None


@dataclass(frozen=True)
class Subquery:
    """An expression evaluated over a range; the default step when `step_ms` is None.

    `length` and `step_length` stand in place of the numbers where these are expressions.
    """

    inner: Node
    range_ms: int
    step_ms: int | None
    moment: Moment
    length: Length | None = None
    step_length: Length | None = None


@dataclass(frozen=True)
class Call:
    """A function call.

    Attributes:
        name: Of the function.
        arguments: What it is called with.
        places: Of the arguments in the query.
    """

    name: str
    arguments: tuple[Node, ...]
    places: tuple[int, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class Aggregate:
    """An aggregation over groups by, or without, some labels; `place` is that of the parameter."""

    op: str
    inner: Node
    parameter: Node | None
    labels: tuple[str, ...]
    without: bool
    place: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Matching:
    """How the rows of two vectors find each other.

    Attributes:
        cardinality: `one-to-one`, `many-to-one` (group_left), `one-to-many` or `many-to-many`.
        on: Whether `labels` are those that count, or those that do not.
        labels: Their names.
        include: Labels taken over from the "one" side.
        fill_left: What stands for a row that the left side does not have; None for nothing.
        fill_right: The same for the right side.
    """

    cardinality: str = "one-to-one"
    on: bool = False
    labels: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    fill_left: float | None = None
    fill_right: float | None = None


@dataclass(frozen=True)
class Binary:
    """An operation on two sides; `returns_bool` for comparisons with `bool`."""

    op: str
    left: Node
    right: Node
    returns_bool: bool
    matching: Matching


@dataclass(frozen=True)
class Negation:
    """Unary minus."""

    inner: Node


@dataclass(frozen=True)
class Passthrough:
    """What stands in a query and changes nothing: `(` around an expression, `+` before it.

    There are none in queries that are read to be evaluated.
    """

    sign: str
    inner: Node


Node: TypeAlias = (
    Number | Text | Selector | Range | Subquery | Call | Aggregate | Binary | Negation | Passthrough
)

SCALAR_FUNCTIONS = frozenset({"end", "pi", "range", "scalar", "start", "step", "time"})


def is_scalar(node: Node) -> bool:
    """Whether the value is one number a step instead of a vector."""
    if isinstance(node, Number):
        return True
    if isinstance(node, Call):
        return node.name in SCALAR_FUNCTIONS
    if isinstance(node, Binary):
        return is_scalar(node.left) and is_scalar(node.right)
    return isinstance(node, Negation) and is_scalar(node.inner)


def children(node: Node) -> tuple[Node, ...]:
    """The expressions of which an expression is made."""
    if isinstance(node, Call):
        return node.arguments
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, Aggregate):
        return (node.inner,) if node.parameter is None else (node.parameter, node.inner)
    if isinstance(node, Range):
        return (node.selector,)
    return (node.inner,) if isinstance(node, Subquery | Negation | Passthrough) else ()


def walk(node: Node) -> Iterator[Node]:
    """An expression and all those within it, outer ones first."""
    yield node
    for part in children(node):
        yield from walk(part)


def depth(node: Node) -> int:
    """How many expressions stand within each other at most; however many there are."""
    deepest, level = 0, [node]
    while level:
        deepest += 1
        level = [part for one in level for part in children(one)]
    return deepest


def has_selectors(node: Node) -> bool:
    """Whether anything is selected anywhere in an expression."""
    return isinstance(node, Selector) or any(has_selectors(part) for part in children(node))
