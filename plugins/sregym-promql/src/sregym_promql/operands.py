"""The operands of a query: literals, selectors, calls, aggregations, what is in parentheses."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from sregym_regex.go import PatternError, compiled
from sregym_regex.go_text import quoted, readable

from sregym_promql.cursor import Cursor, Part, Wrong
from sregym_promql.durations import duration_ms
from sregym_promql.lexing import Token, string_text
from sregym_promql.nodes import (
    Aggregate,
    Call,
    Moment,
    Number,
    Passthrough,
    Selector,
    Text,
)
from sregym_promql.samples import NAME, Matcher
from sregym_promql.signatures import (
    WITH_PARAMETER,
    argument_error,
    signatures,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_WHOLE = 2**63
_ALL_EMPTY = "vector selector must contain at least one non-empty matcher"
_LABEL_KINDS = ("word", "keyword", "aggregator", "operator", "bound")
# Words of the language that are metrics' names where an operand stands.
_WORDS_AS_NAMES = frozenset({"and", "or", "unless", "by", "without", "offset", "start", "end"})


class Operands(Cursor, ABC):
    """Reads one operand at a time."""

    @abstractmethod
    def _expression(self, level: int) -> Part:
        """An expression whose operators bind at least as tightly as `level`."""

    def _primary(self) -> Part:
        token = self._token
        if token.kind == "number":
            self._take()
            return Part(Number(_number(token)), "scalar", token.start, token.end)
        if token.kind == "duration" and self._dialect.expressions_of_durations:
            return Part(Number(self._seconds()), "scalar", token.start, token.end)
        if token.kind == "string":
            self._take()
            return Part(Text(string_text(token.text)), "string", token.start, token.end)
        if token.kind == "aggregator" and self._following.text.lower() in ("(", "by", "without"):
            return self._aggregation()
        if self._is("("):
            self._take()
            inner = self._expression(0)
            if not self._is(")"):
                self._unexpected()
            end = self._take().end
            node = Passthrough("(", inner.node) if self._as_written else inner.node
            return Part(node, inner.kind, token.start, end)
        if self._is("{"):
            return self._selector(token.start, token.end, "")
        bound = token.kind == "bound" and self._dialect.later_functions
        called = (token.kind == "word" or bound) and self._following.text == "("
        if called and ":" not in token.text:
            return self._call(self._take())
        return self._named()

    def _seconds(self) -> float:
        """The next word, a duration that is a number."""
        token = self._take()
        total = duration_ms(token.text)
        if total is None:
            raise Wrong(token.start, f"not a valid duration string: {quoted(token.text)}")
        return total / 1000

    def _named(self) -> Part:
        """A selector that begins with a name."""
        token = self._token
        if token.kind not in ("word", "aggregator") and token.text.lower() not in _WORDS_AS_NAMES:
            self._unexpected()
        self._take()
        return self._selector(token.start, token.end, token.text)

    def _selector(self, start: int, end: int, name: str) -> Part:
        matchers: list[Matcher] = []
        if not name and not self._is("{"):
            self._unexpected()
        if self._is("{"):
            self._take()
            while not self._is("}"):
                quoted_name = self._quoted_name()
                if quoted_name is None:
                    matchers.append(self._matcher())
                elif name:
                    text = "metric name must not be set twice: "
                    text += f"{quoted(name)} or {quoted(quoted_name)}"
                    raise Wrong(start, text)
                else:
                    name = quoted_name
                if self._is(","):
                    self._take()
                elif not self._is("}"):
                    self._unexpected("label matching", '"," or "}"')
            end = self._take().end
        for matcher in matchers:
            if name and matcher.name == NAME:
                text = "metric name must not be set twice: "
                self._object(start, text + f"{quoted(name)} or {quoted(matcher.value)}")
        if not name and all(matcher.matches("") for matcher in matchers):
            self._object(start, _ALL_EMPTY)
        named = next((m for m in matchers if m.name == NAME and m.op == "="), None)
        if named is not None and not name and not self._as_written:
            name = named.value
            matchers.remove(named)
        node = Selector(name, tuple(matchers), Moment())
        return Part(node, "vector", start, end, bare=True)

    def _quoted_name(self) -> str | None:
        """The name of a metric in quotes among matchers; None where there is none next."""
        if not self._dialect.quoted_names or self._token.kind != "string":
            return None
        if self._following.kind == "symbol" and self._following.text in ("=", "!=", "=~", "!~"):
            return None
        return readable(string_text(self._take().text))

    def _matcher(self) -> Matcher:
        quoted_label = self._dialect.quoted_names and self._token.kind == "string"
        if self._token.kind != "word" and not quoted_label:
            self._unexpected("label matching", 'identifier or "}"')
        label = self._take()
        name = readable(string_text(label.text)) if quoted_label else label.text
        if not self._is("=", "!=", "=~", "!~"):
            self._unexpected("label matching", "label matching operator")
        operator = self._take().text
        if self._token.kind != "string":
            self._unexpected("label matching", "string")
        value = string_text(self._take().text)
        if operator in ("=~", "!~"):
            try:
                compiled(value)
            except PatternError as error:
                raise Wrong(label.start, f"error parsing regexp: {error}") from None
        newlines = self._dialect.dot_matches_newline and operator in ("=~", "!~")
        return Matcher(name, operator, readable(value), newlines)

    def _labels(self) -> list[str]:
        """A list of labels in parentheses."""
        if not self._is("("):
            self._unexpected("grouping opts", '"("')
        self._take()
        found: list[str] = []
        while not self._is(")"):
            token = self._token
            if token.kind == "string" and self._dialect.quoted_names:
                found.append(readable(string_text(self._take().text)))
                if self._is(","):
                    self._take()
                elif not self._is(")"):
                    self._unexpected("grouping opts", '"," or ")"')
                continue
            # Of all words of the language this one alone is no label here.
            without = token.text.lower() == "without"
            colon = ":" in token.text and not self._dialect.quoted_names
            if token.kind not in _LABEL_KINDS or colon or without:
                self._unexpected("grouping opts", "label")
            found.append(self._take().text)
            if self._is(","):
                self._take()
            elif not self._is(")"):
                self._unexpected("grouping opts", '"," or ")"')
        self._take()
        return found

    def _call(self, name: Token) -> Part:
        signature = signatures(self._dialect).get(name.text)
        before = len(self._later)
        arguments = self._arguments()
        end = self._last_end
        if signature is None:
            raise Wrong(name.start, f"unknown function with name {quoted(name.text)}")
        wrong = argument_error(signature, len(arguments))
        if wrong:
            # How many there are is looked at before the arguments themselves.
            self._later.insert(before, Wrong(name.start, wrong))
        for index, argument in enumerate(arguments):
            if index >= len(signature.arguments) and not signature.variadic:
                break
            wanted = signature.arguments[min(index, len(signature.arguments) - 1)]
            self._expect(argument, wanted, f'call to function "{name.text}"')
        if name.text == "info" and len(arguments) > 1:
            self._check_data_labels(arguments[1])
        places = tuple(argument.start for argument in arguments)
        node = Call(name.text, tuple(argument.node for argument in arguments), places)
        return Part(node, signature.returns, name.start, end)

    def _check_data_labels(self, argument: Part) -> None:
        """The second argument of `info` is matchers alone, and all of them may be empty."""
        opening = next(token for token in self._tokens if token.start == argument.start)
        if opening.text != "{" or not argument.bare or not isinstance(argument.node, Selector):
            self._object(argument.start, "expected label selectors only")
        self._later = [
            wrong
            for wrong in self._later
            if (wrong.place, wrong.text) != (argument.start, _ALL_EMPTY)
        ]

    def _arguments(self) -> Sequence[Part]:
        if not self._is("("):
            self._unexpected("aggregation")
        self._take()
        found: list[Part] = []
        while not self._is(")"):
            found.append(self._expression(0))
            if self._is(","):
                comma = self._take()
                if not self._begins():
                    text = "trailing commas not allowed in function call args"
                    raise Wrong(comma.start, text)
            elif not self._is(")"):
                self._unexpected()
        self._take()
        return found

    def _begins(self) -> bool:
        """Whether an expression may begin here; an error of the words speaks for itself."""
        token = self._token
        if token.kind in ("keyword", "operator"):
            return token.text.lower() in _WORDS_AS_NAMES
        if token.kind == "symbol":
            return token.text in ("(", "{", "+", "-")
        durations = self._dialect.expressions_of_durations
        return token.kind != "end" and (durations or token.kind != "duration")

    def _aggregation(self) -> Part:
        name = self._take()
        self._aggregations += 1
        grouping = self._grouping()
        before = len(self._later)
        arguments = self._arguments()
        if grouping is None:
            # What follows is looked at, to see whether it is a grouping.
            if self._token.kind == "error":
                self._unexpected()
            grouping = self._grouping()
        self._aggregations -= 1
        end = self._last_end
        op = name.text.lower()
        if not arguments:
            raise Wrong(name.start, "no arguments for aggregate expression provided")
        wanted = 2 if op in WITH_PARAMETER else 1
        if len(arguments) != wanted:
            raise Wrong(
                name.start,
                "wrong number of arguments for aggregate expression provided, "
                f"expected {wanted}, got {len(arguments)}",
            )
        self._later[before:], of_parameter = self._split(before, arguments)
        self._expect(arguments[-1], "vector", "aggregation expression")
        self._later.extend(of_parameter)
        if wanted > 1:
            kind = "string" if op == "count_values" else "scalar"
            self._expect(arguments[0], kind, "aggregation parameter")
        without, labels = grouping or (False, ())
        parameter = arguments[0].node if wanted > 1 else None
        place = arguments[0].start
        node = Aggregate(op, arguments[-1].node, parameter, tuple(labels), without, place)
        return Part(node, "vector", name.start, end)

    def _split(self, first: int, arguments: Sequence[Part]) -> tuple[list[Wrong], list[Wrong]]:
        """Complaints about what is aggregated come before those about the parameter."""
        complaints = self._later[first:]
        begin = arguments[-1].start
        own = [wrong for wrong in complaints if wrong.place >= begin]
        return own, [wrong for wrong in complaints if wrong.place < begin]

    def _grouping(self) -> tuple[bool, Sequence[str]] | None:
        """Whether `without`, and the labels; None where neither `by` nor `without` stands."""
        if not self._is("by", "without"):
            return None
        return self._take().text.lower() == "without", self._labels()


def _number(token: Token) -> float:
    """The value of a literal, whole ones as Go reads them: with octal and hexadecimal digits."""
    text = token.text.lower().replace("_", "")
    try:
        octal = text.isdigit() and text.startswith("0")
        whole = int(text, 16) if text.startswith("0x") else int(text, 8) if octal else _MOST_WHOLE
        if whole < _MOST_WHOLE:
            return float(whole)
    except ValueError:
        pass
    message = f"error parsing number: strconv.ParseFloat: parsing {quoted(token.text)}"
    try:
        found = float(text)
    except ValueError:
        # As hexadecimal numbers are that are too large for whole ones.
        raise Wrong(token.start, f"{message}: invalid syntax") from None
    if math.isinf(found) and "inf" not in text:
        raise Wrong(token.start, f"{message}: value out of range")
    return found
