"""From the text of a query to its syntax, by the grammar of Prometheus 2.

Errors have the texts of Prometheus, with line and column. That, and the words of the
language that are names where nothing else fits, need a reader of one's own.
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_regex.budget import cached

from sregym_promql.cursor import KIND_NAMES, Part, Wrong
from sregym_promql.dialect import PROMETHEUS_2, Dialect
from sregym_promql.errors import ParseError
from sregym_promql.modifiers import Modifiers
from sregym_promql.nodes import (
    Binary,
    Matching,
    Negation,
    Node,
    Number,
    Passthrough,
    Selector,
    depth,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_promql.lexing import Token

# Binding of operators, the loosest first; `^` binds to the right.
_LEVELS = (
    ("or",),
    ("and", "unless"),
    ("==", "!=", "<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "/", "%", "atan2"),
    ("^",),
)
_POWER = len(_LEVELS) - 1
_PRODUCT = _POWER - 1
_COMPARISONS = _LEVELS[2]
_SETS = ("and", "or", "unless")
_FILLS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"fill": ("left", "right"), "fill_left": ("left",), "fill_right": ("right",)}
)
# A query of more levels would overflow the stack; Prometheus' own limit is its memory.
_DEEPEST = "the query is nested too deeply"
_MOST_LEVELS = 250


@cached(1024)
def parse(query: str, dialect: Dialect = PROMETHEUS_2) -> Node:
    """The syntax of a query.

    Raises:
        ParseError: It cannot be read; the text says where and why, as Prometheus does.
    """
    reader = _Reader(query, dialect=dialect)
    if reader.is_empty():
        raise ParseError("1:1: parse error: no expression found in input", 0, 1, 1)
    found = _carried_out(query, reader.all)
    # Each operator puts what stands before it one level down.
    if depth(found) > _MOST_LEVELS:
        raise ParseError(f"1:1: parse error: {_DEEPEST}", 0, 1, 1)
    return found


@cached(64)
def parse_as_written(query: str, dialect: Dialect = PROMETHEUS_2) -> Node:
    """The syntax of a query that is to be written, not evaluated.

    Raises:
        ParseError: As `parse`.
    """
    parse(query, dialect)
    return _carried_out(query, _Reader(query, as_written=True, dialect=dialect).all)


def parse_selector(text: str, dialect: Dialect = PROMETHEUS_2) -> Selector:
    """A selector alone, as in `match[]`.

    Raises:
        ParseError: It is something else.
    """
    found = _carried_out(text, _Reader(text, dialect=dialect).selector)
    assert isinstance(found, Selector)
    return found


def _carried_out(query: str, read: Callable[[], Node]) -> Node:
    try:
        return read()
    except Wrong as wrong:
        line, column = _place(query, wrong.place)
        text = f"{line}:{column}: parse error: {wrong.text}"
        raise ParseError(text, wrong.place, line, column) from None
    except RecursionError:
        raise ParseError(f"1:1: parse error: {_DEEPEST}", 0, 1, 1) from None


def _place(query: str, at: int) -> tuple[int, int]:
    """Line and column, which counts bytes."""
    before = query[:at].encode()
    return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")


class _Reader(Modifiers):
    """Reads a whole query."""

    def is_empty(self) -> bool:
        return self._token.kind == "end"

    def selector(self) -> Node:
        token = self._token
        named = token.kind != "symbol"
        part = self._named() if named else self._selector(token.start, token.end, "")
        return self._whole(part)

    def all(self) -> Node:
        return self._whole(self._expression(0))

    def _whole(self, whole: Part) -> Node:
        if self._token.kind != "end":
            self._unexpected()
        for wrong in self._later:
            raise wrong
        return whole.node

    def _expression(self, level: int) -> Part:
        if level == len(_LEVELS):
            return self._postfix(self._primary())
        signed = level >= _PRODUCT and self._is("+", "-")
        left = self._unary() if signed else self._expression(level + 1)
        while self._is(*_LEVELS[level]):
            operator = self._take()
            returns_bool, matching = self._modifiers()
            right = self._expression(level if level == _POWER else level + 1)
            left = self._binary(left, operator, right, returns_bool, matching)
        return left

    def _unary(self) -> Part:
        """A sign binds like a product: looser than a power."""
        sign = self._take()
        inner = self._unary() if self._is("+", "-") else self._expression(_POWER)
        if inner.kind not in ("scalar", "vector"):
            self._object(
                sign.start,
                "unary expression only allowed on expressions of type scalar or instant vector, "
                f'got "{KIND_NAMES[inner.kind]}"',
            )
        node = Negation(inner.node) if sign.text == "-" else inner.node
        if sign.text == "+" and self._as_written and not isinstance(inner.node, Number):
            node = Passthrough("+", inner.node)
        return Part(node, inner.kind, sign.start, inner.end)

    def _modifiers(self) -> tuple[bool, Matching | None]:
        returns_bool = self._is("bool")
        if returns_bool:
            self._take()
        if not self._is("on", "ignoring"):
            left_fill, right_fill = self._fills()
            if left_fill is None and right_fill is None:
                return returns_bool, None
            return returns_bool, Matching(fill_left=left_fill, fill_right=right_fill)
        on = self._take().text.lower() == "on"
        labels = tuple(self._labels())
        cardinality, include = "one-to-one", []
        if self._is("group_left", "group_right"):
            left = self._take().text.lower() == "group_left"
            cardinality = "many-to-one" if left else "one-to-many"
            include = [] if self._begins() and not self._is("(") else self._labels()
        fills = self._fills()
        return returns_bool, Matching(cardinality, on, labels, tuple(include), *fills)

    def _fills(self) -> tuple[float | None, float | None]:
        """What stands for rows that the left side, and that the right side, does not have."""
        found: dict[str, float] = {}
        while (
            self._dialect.later_functions
            and (which := self._token.text.lower()) in _FILLS
            and self._following.text == "("
        ):
            self._take()
            self._take()
            sign = -1.0 if self._is("-") else 1.0
            if self._is("+", "-"):
                self._take()
            if self._token.kind not in ("number", "duration"):
                self._unexpected(which, "number")
            value = sign * float(getattr(self._primary().node, "value", math.nan))
            if not self._is(")"):
                self._unexpected(which, '")"')
            self._take()
            found.update(dict.fromkeys(_FILLS[which], value))
        return found.get("left"), found.get("right")

    def _binary(
        self,
        left: Part,
        operator: Token,
        right: Part,
        returns_bool: bool,
        matching: Matching | None,
    ) -> Part:
        name = operator.text.lower()
        scalars = left.kind == right.kind == "scalar"
        if returns_bool and name not in _COMPARISONS:
            text = "bool modifier can only be used on comparison operators"
            self._object(operator.start, text)
        if name in _COMPARISONS and not returns_bool and scalars:
            text = "comparisons between scalars must use BOOL modifier"
            self._object(operator.start, text)
        self._check_matching(left, operator, right, matching)
        if matching is None:
            matching = Matching()
        if name in _SETS:
            matching = replace(matching, cardinality="many-to-many")
        node = Binary(name, left.node, right.node, returns_bool, matching)
        return Part(node, "scalar" if scalars else "vector", left.start, right.end)

    def _check_matching(
        self, left: Part, operator: Token, right: Part, matching: Matching | None
    ) -> None:
        name = operator.text.lower()
        if matching is not None and matching.on:
            for label in matching.labels:
                if label in matching.include:
                    text = f'label "{label}" must not occur in ON and GROUP clause at once'
                    self._object(operator.start, text)
        for side in (left, right):
            if side.kind not in ("scalar", "vector"):
                text = "binary expression must contain only scalar and instant vector types"
                self._object(side.start, text)
        if left.kind != "vector" or right.kind != "vector":
            if matching is not None and matching.labels:
                text = "vector matching only allowed between instant vectors"
                self._object(left.start, text)
        elif name in _SETS and matching is not None and matching.cardinality != "one-to-one":
            self._object(left.start, f'no grouping allowed for "{name}" operation')
        if matching is not None and (matching.fill_left, matching.fill_right) != (None, None):
            if name in _SETS:
                self._object(
                    operator.start, "filling in missing series not allowed for set operators"
                )
            elif "scalar" in (left.kind, right.kind):
                text = "filling in missing series only allowed between instant vectors"
                self._object(operator.start, text)
        if name in _SETS and "scalar" in (left.kind, right.kind):
            text = f'set operator "{name}" not allowed in binary scalar expression'
            self._object(left.start, text)
