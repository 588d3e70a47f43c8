"""What stands behind an operand: ranges, subqueries, offsets and `@`."""

from __future__ import annotations

import math
from abc import ABC
from dataclasses import replace

from sregym_regex.go_text import quoted

from sregym_promql.cursor import KIND_NAMES, Part, Wrong
from sregym_promql.durations import duration_ms
from sregym_promql.nodes import Length, Moment, Node, Range, Selector, Subquery
from sregym_promql.operands import Operands

# Go counts durations, and times, in 64 bits.
_MOST = 2**63 - 1
_NS = 1_000_000
# How the ends of a range take the samples beside it.
_EDGES = ("anchored", "smoothed")
# No sample lies so far away; arrays of milliseconds still hold it, with ranges added.
_FAR_MS = 2**61
# Each puts what stands before it one level down.
_MOST_LENGTH_OPERATORS = 100
# Binding of the operators of lengths, the loosest first; `^` binds to the right.
_LENGTH_LEVELS = (("+", "-"), ("*", "/", "%"), ("^",))


class Modifiers(Operands, ABC):
    """Reads what moves an operand in time, or makes a range of it."""

    def _postfix(self, part: Part) -> Part:
        while True:
            if self._is("["):
                part = self._range(part)
            elif self._is("offset"):
                part = self._offset(part)
            elif self._is("@"):
                part = self._at(part)
            elif self._token.text in _EDGES and self._dialect.later_functions:
                part = self._edges(part)
            else:
                return part

    def _range(self, part: Part) -> Part:
        opening = self._take()
        if self._dialect.expressions_of_durations:
            range_ms, length = self._positive_length("subquery selector", "number or duration")
        else:
            if self._token.kind != "duration":
                self._unexpected("subquery selector", "duration")
            range_ms, length = self._duration(), None
        if self._is(":"):
            return self._subquery(part, range_ms, length)
        if not self._is("]"):
            self._unexpected("subquery or range", '":" or "]"')
        end = self._take().end
        if not isinstance(part.node, Selector) or not part.bare:
            raise Wrong(opening.start, "ranges only allowed for vector selectors")
        if part.moved:
            raise Wrong(opening.start, "no offset modifiers allowed before range")
        if part.node.moment.at is not None:
            raise Wrong(opening.start, "no @ modifiers allowed before range")
        node = Range(part.node, range_ms, length)
        return Part(node, "matrix", part.start, end, bare=True)

    def _subquery(self, part: Part, range_ms: int, length: Length | None) -> Part:
        self._take()
        step_ms, step_length = self._step_of_subquery()
        end = self._take().end
        if part.kind != "vector":
            found = "matrix" if part.kind == "matrix" else KIND_NAMES[part.kind]
            text = f"subquery is only allowed on instant vector, got {found} instead"
            self._object(part.start, text)
        node = Subquery(part.node, range_ms, step_ms, Moment(), length, step_length)
        return Part(node, "matrix", part.start, end, bare=True)

    def _step_of_subquery(self) -> tuple[int | None, Length | None]:
        """What stands between the colon and the closing bracket, which comes next then."""
        if self._is("]"):
            return None, None
        length = None
        if self._dialect.expressions_of_durations:
            expected = 'number or duration or "]"'
            step_ms, length = self._positive_length("subquery selector", expected)
        elif self._token.kind == "duration":
            step_ms = self._duration()
        else:
            self._unexpected("subquery selector", 'duration or "]"')
        if not self._is("]"):
            self._unexpected("subquery selector", '"]"')
        return step_ms, length

    def _edges(self, part: Part) -> Part:
        token = self._take()
        node = part.node
        selector = node.selector if isinstance(node, Range) else node
        if not isinstance(selector, Selector) or not part.bare or selector.edges:
            text = f"{token.text} modifier must be preceded by a vector selector or range selector"
            raise Wrong(part.start, text)
        selector = replace(selector, edges=token.text)
        moved = replace(node, selector=selector) if isinstance(node, Range) else selector
        return part.with_node(moved, token.end)

    def _positive_length(self, context: str, expected: str) -> tuple[int, Length | None]:
        """A length that must not be zero: milliseconds, or the expression that says them."""
        place = self._token.start
        length = self._length(0, context, expected)
        if length.op != "number":
            return 0, length
        if length.seconds <= 0:
            raise Wrong(place, "duration must be greater than 0")
        return self._milliseconds(length), None

    def _milliseconds(self, length: Length) -> int:
        nanoseconds = length.seconds * 1e9
        if not abs(nanoseconds) <= _MOST:
            raise Wrong(length.place, "duration out of range")
        return int(_nearest(nanoseconds) / _NS)

    def _length(self, level: int, context: str, expected: str) -> Length:
        """An expression of lengths whose operators bind at least as tightly as `level`."""
        if level == len(_LENGTH_LEVELS):
            return self._length_operand(context, expected)
        place = self._token.start
        if level >= 1 and self._is("+", "-"):
            negative = self._take().text == "-"
            found = self._length(1 if self._is("+", "-") else 2, context, expected)
            left = _negative(found, place) if negative else found
        else:
            left = self._length(level + 1, context, expected)
        while self._is(*_LENGTH_LEVELS[level]):
            self._length_operators += 1
            if self._length_operators > _MOST_LENGTH_OPERATORS:
                raise Wrong(place, f"too many operators in a duration: {_MOST_LENGTH_OPERATORS}")
            operator = self._take().text
            tighter = level if operator == "^" else level + 1
            right = self._length(tighter, context, expected)
            left = Length(operator, (left, right), place=place)
        return left

    def _length_operand(self, context: str, expected: str) -> Length:
        token = self._token
        word = token.text.lower()
        if token.kind == "duration":
            return Length("number", seconds=self._seconds(), place=token.start)
        if token.kind == "number":
            number = getattr(self._primary().node, "value", math.nan)
            return Length("number", seconds=float(number), place=token.start)
        if self._is("("):
            self._take()
            found = self._length(0, context, expected)
            self._closing()
            return found
        if word in ("step", "range") and self._following.text == "(":
            self._take()
            self._take()
            self._closing()
            return Length(word, place=token.start)
        if word not in ("min", "max") or self._following.text != "(":
            self._unexpected(context, expected)
        self._take()
        self._take()
        left = self._length(0, context, expected)
        if not self._is(","):
            self._unexpected(context)
        self._take()
        right = self._length(0, context, expected)
        self._closing()
        return Length(word, (left, right), place=token.start)

    def _closing(self) -> None:
        if not self._is(")"):
            self._unexpected()
        self._take()

    def _duration(self) -> int:
        """The next word, a duration, in milliseconds."""
        token = self._take()
        total = duration_ms(token.text)
        if total is None:
            raise Wrong(token.start, f"not a valid duration string: {quoted(token.text)}")
        if total * _NS > _MOST:
            raise Wrong(token.start, "duration out of range")
        if total == 0:
            raise Wrong(token.start, "duration must be greater than 0")
        return total

    def _offset(self, part: Part) -> Part:
        self._take()
        negative = False
        if self._dialect.expressions_of_durations:
            while self._is("+", "-"):
                negative ^= self._take().text == "-"
        elif self._is("-"):
            negative = bool(self._take())
        length = None
        if self._dialect.expressions_of_durations:
            found = self._length_operand("offset", "number or duration")
            found = _negative(found, found.place) if negative else found
            plain = found.op == "number"
            offset_ms, length = (self._milliseconds(found), None) if plain else (0, found)
        else:
            if self._token.kind != "duration":
                self._unexpected("offset", "duration")
            offset_ms = self._duration() * (-1 if negative else 1)
        moment = self._moment_of(part, "offset modifier")
        if part.moved:
            raise Wrong(part.start, "offset may not be set multiple times")
        node = _at_moment(part.node, replace(moment, offset_ms=offset_ms, offset=length))
        return part.with_node(node, self._last_end, moved=True)

    def _at(self, part: Part) -> Part:
        self._take()
        at = self._timestamp()
        moment = self._moment_of(part, "@ modifier")
        if isinstance(at, float):
            if not math.isfinite(at) or abs(at) >= _MOST:
                shown = _shown(at)
                raise Wrong(part.start, f"timestamp out of bounds for @ modifier: {shown}")
            at = max(-_FAR_MS, min(_FAR_MS, _nearest(at * 1000)))
        if moment.at is not None:
            raise Wrong(part.start, "@ <timestamp> may not be set multiple times")
        return part.with_node(_at_moment(part.node, replace(moment, at=at)), self._last_end)

    def _timestamp(self) -> float | str:
        sign = 1.0
        signed = self._is("+", "-")
        if signed:
            sign = -1.0 if self._take().text == "-" else 1.0
        token = self._token
        durations = self._dialect.expressions_of_durations
        if token.kind == "number" or (durations and token.kind == "duration"):
            number = self._primary().node
            return sign * float(getattr(number, "value", math.nan))
        if signed or token.kind != "bound":
            self._unexpected("@", "timestamp")
        self._take()
        for symbol in ("(", ")"):
            if not self._is(symbol):
                self._unexpected("@", "timestamp")
            self._take()
        return token.text.lower()

    def _moment_of(self, part: Part, what: str) -> Moment:
        """The moment at which an expression looks.

        Raises:
            Wrong: It looks at none of its own.
        """
        node = part.node
        if part.bare:
            if isinstance(node, Range):
                return node.selector.moment
            if isinstance(node, Selector | Subquery):
                return node.moment
        raise Wrong(
            part.start,
            f"{what} must be preceded by an instant vector selector or range vector selector "
            "or a subquery",
        )


def _negative(length: Length, place: int) -> Length:
    if length.op == "number":
        return replace(length, seconds=-length.seconds)
    return Length("negative", (length,), place=place)


def _at_moment(node: Node, moment: Moment) -> Node:
    if isinstance(node, Range):
        return replace(node, selector=replace(node.selector, moment=moment))
    assert isinstance(node, Selector | Subquery)
    return replace(node, moment=moment)


def _nearest(number: float) -> int:
    """The nearest whole number, halves away from zero, as Go rounds."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def _shown(at: float) -> str:
    if math.isinf(at):
        return "+Inf" if at > 0 else "-Inf"
    return "NaN" if math.isnan(at) else f"{at:f}"
