"""From the text of a query to its syntax: metric expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_promql import Matching
from sregym_regex.budget import cached
from sregym_regex.go import PatternError, compiled

from sregym_logql.errors import LogqlError
from sregym_logql.nodes import (
    Binary,
    Grouping,
    LabelReplace,
    Logs,
    Metric,
    Node,
    Number,
    RangeAggregation,
    Unwrap,
    VectorAggregation,
    VectorOf,
)
from sregym_logql.selection import PipelineReader

if TYPE_CHECKING:
    from sregym_promql.storage import Matcher

# Range aggregations that need numbers unwrapped from labels; those that cannot have them.
UNWRAPPED = frozenset(
    {
        *("avg_over_time", "first_over_time", "last_over_time", "max_over_time", "min_over_time"),
        *("quantile_over_time", "rate_counter", "stddev_over_time", "stdvar_over_time"),
        "sum_over_time",
    }
)
COUNTED = frozenset({"absent_over_time", "bytes_over_time", "bytes_rate", "count_over_time"})
RANGE_AGGREGATIONS = UNWRAPPED | COUNTED | {"rate"}
_GROUPED = frozenset(
    {
        *("avg_over_time", "first_over_time", "last_over_time", "max_over_time", "min_over_time"),
        *("quantile_over_time", "stddev_over_time", "stdvar_over_time"),
    }
)
VECTOR_AGGREGATIONS = frozenset(
    {
        *("avg", "bottomk", "count", "max", "min", "sort", "sort_desc", "stddev", "stdvar", "sum"),
        *("topk", "approx_topk"),
    }
)
_WITH_PARAMETER = frozenset({"topk", "bottomk", "approx_topk"})
_LEVELS = (
    ("or",),
    ("and", "unless"),
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%"),
    ("^",),
)
_LONGEST = 5120
# More levels would overflow the stack.
_MOST_LEVELS = 250
_TOO_DEEP = "parse error : the query is nested too deeply"
_COMPARISONS = _LEVELS[2]
_SETS = ("and", "or", "unless")


@cached(1024)
def parse(query: str) -> Node:
    """The syntax of a query.

    Raises:
        LogqlError: It cannot be read; the text says where and why.
    """
    if len(query.encode()) >= _LONGEST:
        message = f"parse error : input size too long ({len(query.encode())} > {_LONGEST})"
        raise LogqlError(message)
    reader = _Reader(query)
    try:
        node = reader.expression(0)
        if reader.token.kind != "end":
            reader.unexpected()
    except LogqlError:
        # What the grammar does not allow counts before what cannot be meant.
        reader.complain()
        raise
    except RecursionError:
        raise LogqlError(_TOO_DEEP) from None
    if _depth(node) > _MOST_LEVELS:
        raise LogqlError(_TOO_DEEP)
    return node


def _depth(node: Node) -> int:
    """How many expressions stand within each other at most; however many there are."""
    deepest, level = 0, [node]
    while level:
        deepest += 1
        level = [part for one in level for part in _parts(one)]
    return deepest


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Binary):
        return (node.left, node.right)
    return (node.inner,) if isinstance(node, VectorAggregation | LabelReplace) else ()


def parse_selector(query: str) -> tuple[Matcher, ...]:
    """The matchers of a query that is nothing but a selector of streams.

    Raises:
        LogqlError: It cannot be read, or goes on behind the selector.
    """
    node = parse(query)
    if not isinstance(node, Logs) or node.stages:
        message = "only label matchers are supported"
        raise LogqlError(message)
    return node.matchers


class _Reader(PipelineReader):
    def expression(self, level: int) -> Node:
        """An expression whose operators bind at least as `level`."""
        if level == len(_LEVELS):
            return self._primary()
        left = self.expression(level + 1)
        while self.token.text in _LEVELS[level] and self.token.kind in ("symbol", "word"):
            op = self.take().text
            returns_bool, matching = self._modifiers(op)
            power = level == len(_LEVELS) - 1
            right = self.expression(level if power else level + 1)
            left = self._operation(op, left, right, returns_bool, matching)
        return left

    def _operation(
        self, op: str, left: Node, right: Node, returns_bool: bool, matching: Matching
    ) -> Metric:
        if isinstance(left, Logs) or isinstance(right, Logs):
            side, logs = ("left", left) if isinstance(left, Logs) else ("right", right)
            kind = "PipelineExpr" if isinstance(logs, Logs) and logs.stages else "MatchersExpr"
            text = f"unexpected type for {side} leg of binary operation ({op}): *syntax.{kind}"
            self.refuse(text)
        if op in _SETS:
            for side, leg in (("left", left), ("right", right)):
                if isinstance(leg, Number):
                    text = f"unexpected literal for {side} leg of logical/set binary operation"
                    self.refuse(f"{text} ({op}): {leg.value:f}")
        return Binary(op, left, right, returns_bool, matching)

    def _modifiers(self, op: str) -> tuple[bool, Matching]:
        returns_bool = self.token.text == "bool"
        if returns_bool:
            if op not in _COMPARISONS:
                self.unexpected()
            self.take()
        cardinality = "many-to-many" if op in _SETS else "one-to-one"
        if self.token.text not in ("on", "ignoring"):
            return returns_bool, Matching(cardinality)
        on = self.take().text == "on"
        labels = self.names()
        include: tuple[str, ...] = ()
        if self.token.text in ("group_left", "group_right"):
            left = self.take().text == "group_left"
            cardinality = "many-to-one" if left else "one-to-many"
            if self.token.text == "(":
                include = self.names()
        return returns_bool, Matching(cardinality, on, labels, include)

    def names(self) -> tuple[str, ...]:
        """Names in parentheses."""
        self.expect("(")
        found: list[str] = []
        while self.token.text != ")":
            found.append(self.name())
            if self.token.text != ")":
                self.expect(",")
        self.take()
        return tuple(found)

    def _primary(self) -> Node:
        token = self.token
        if token.text == "(":
            self.take()
            inner = self.expression(0)
            self.expect(")")
            return inner
        if token.text == "{":
            return self.logs()
        if token.text in ("+", "-") and token.kind == "symbol":
            sign = -1.0 if self.take().text == "-" else 1.0
            return Number(sign * self.number())
        if token.kind == "number":
            return Number(self.number())
        if token.kind == "word" and self.following().text.lower() in ("(", "by", "without"):
            name = token.text.lower()
            if name in RANGE_AGGREGATIONS:
                return self._range_aggregation()
            if name in VECTOR_AGGREGATIONS:
                return self._vector_aggregation()
            if name == "vector":
                self.take()
                self.expect("(")
                value = self.number()
                self.expect(")")
                return VectorOf(value)
            if name == "label_replace":
                return self._label_replace()
        self.unexpected()
        return None

    def _label_replace(self) -> LabelReplace:
        self.take()
        self.expect("(")
        inner = self._metric()
        words = []
        for _ in range(4):
            self.expect(",")
            words.append(self.string())
        self.expect(")")
        try:
            compiled(words[3])
        except PatternError as error:
            self.refuse(f"invalid regex in label_replace: error parsing regexp: {error}")
        return LabelReplace(inner, (words[0], words[1], words[2], words[3]))

    def _metric(self) -> Metric:
        node = self.expression(0)
        if isinstance(node, Logs):
            self.unexpected()
        return node

    def _grouping(self) -> Grouping | None:
        if self.token.text not in ("by", "without"):
            return None
        without = self.take().text == "without"
        return Grouping(self.names(), without)

    def _vector_aggregation(self) -> VectorAggregation:
        op = self.take().text.lower()
        grouping = self._grouping()
        self.expect("(")
        parameter: str | None = None
        if self.token.kind == "number" and self.following().text == ",":
            parameter = self.take().text
            self.take()
        inner = self._metric()
        self.expect(")")
        grouping = grouping or self._grouping()
        return VectorAggregation(op, inner, self._parameter(op, parameter, grouping), grouping)

    def _parameter(self, op: str, text: str | None, grouping: Grouping | None) -> float | None:
        if op not in _WITH_PARAMETER:
            if text is not None:
                self.refuse(f"unsupported parameter for operation {op}({text},")
            if op in ("sort", "sort_desc") and grouping is not None and grouping.labels:
                self.refuse("sort and sort_desc doesn't allow grouping by ")
            return None
        if text is None:
            self.refuse(f"parameter required for operation {op}")
        if not text.isdigit():
            self.refuse(f"invalid parameter {op}({text},")
        if int(text) <= 0:
            self.refuse(f"invalid parameter (must be greater than 0) {op}({text}")
        if op == "approx_topk" and grouping is not None:
            self.refuse(f"grouping not allowed for {op} aggregation")
        return float(text)

    def _range_aggregation(self) -> RangeAggregation:
        op = self.take().text.lower()
        self.expect("(")
        parameter: float | None = None
        if self.token.kind == "number":
            text = self.token.text
            parameter = self.number()
            if op != "quantile_over_time":
                self.refuse(f"parameter {text} not supported for operation {op}")
            self.expect(",")
        logs, range_ns, offset_ns, unwrap = self._log_range()
        self.expect(")")
        grouping = self._grouping()
        if op == "quantile_over_time" and parameter is None:
            self.refuse(f"parameter required for operation {op}")
        if grouping is not None and op not in _GROUPED:
            self.refuse(f"grouping not allowed for {op} aggregation")
        if unwrap is None and op in UNWRAPPED:
            self.refuse(f"invalid aggregation {op} without unwrap")
        if unwrap is not None and op in COUNTED - {"absent_over_time"}:
            self.refuse(f"invalid aggregation {op} with unwrap")
        return RangeAggregation(op, logs, range_ns, offset_ns, unwrap, parameter, grouping)

    def _log_range(self) -> tuple[Logs, int, int, Unwrap | None]:
        """Selector, range and stages; the range stands behind the selector or the stages."""
        if self.token.text == "(":
            self.take()
            if self._ranged_inside():
                found = self._log_range()
                self.expect(")")
                return found
            logs, unwrap = self.pipeline()
            self.expect(")")
            range_ns, offset_ns = self._range()
            if unwrap is None and not logs.stages and self.token.text == "|":
                stages, unwrap = self.stages()
                logs = Logs(logs.matchers, stages)
            return logs, range_ns, offset_ns, unwrap
        matchers = self.matchers()
        if self.token.kind == "range":
            range_ns, offset_ns = self._range()
            stages, unwrap = self.stages()
            return Logs(matchers, stages), range_ns, offset_ns, unwrap
        stages, unwrap = self.stages()
        range_ns, offset_ns = self._range()
        return Logs(matchers, stages), range_ns, offset_ns, unwrap

    def _ranged_inside(self) -> bool:
        """Whether the range stands inside of the parenthesis that was just opened."""
        depth = 1
        for token in self.coming():
            depth += {"(": 1, ")": -1}.get(token.text if token.kind == "symbol" else "", 0)
            if token.kind == "range":
                return True
            if depth == 0:
                return False
        return False

    def _range(self) -> tuple[int, int]:
        range_ns = self.range_ns()
        if self.token.text != "offset":
            return range_ns, 0
        self.take()
        return range_ns, self.duration_ns()
