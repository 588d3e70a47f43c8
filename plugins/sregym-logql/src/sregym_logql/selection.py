"""From the text of a query to its syntax: selectors and pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from sregym_promql.storage import Matcher
from sregym_regex.go import PatternError, compiled

from sregym_logql.complaints import refusal, shown
from sregym_logql.errors import SELECTS_ALL, LogqlError
from sregym_logql.formatter import stage_text
from sregym_logql.lexing import Token, tokens_of, wrong
from sregym_logql.nodes import (
    Both,
    Choose,
    Comparison,
    Condition,
    Decolorize,
    LabelFilter,
    LabelFormat,
    LineFilter,
    LineFormat,
    Logs,
    Parser,
    Stage,
    Unwrap,
)
from sregym_logql.stages import check_stage
from sregym_logql.strings import unquoted
from sregym_logql.units import (
    LONGEST_S,
    duration_s,
    prometheus_duration_s,
    size_bytes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LINE_FILTERS = ("|=", "|~", "!=", "!~", "|>", "!>")
_ORDERED = (">", ">=", "<", "<=", "==", "!=", "=")
_JOINS = {"or": 1, "and": 2}


class PipelineReader:
    """Reads words one after the other.

    Args:
        query: The text.
    """

    def __init__(self, query: str) -> None:
        self.query = query
        self._tokens = tokens_of(query)
        self._next = 0

    @property
    def token(self) -> Token:
        """The next word."""
        return self._tokens[self._next]

    def following(self) -> Token:
        """The word behind the next."""
        return self._tokens[min(self._next + 1, len(self._tokens) - 1)]

    def coming(self) -> Sequence[Token]:
        """The next word and all behind it."""
        return self._tokens[self._next :]

    def take(self) -> Token:
        """The next word, which is then behind us."""
        token = self.token
        self._next += 1
        return token

    def unexpected(self, expected: str = "") -> NoReturn:
        """Refuse the next word."""
        token = self.token
        if token.kind == "bad":
            raise LogqlError(wrong(self.query, token, token.text))
        text = f"syntax error: unexpected {shown(token.terminal)}"
        text += f", expecting {expected}" if expected else ""
        raise LogqlError(wrong(self.query, token, text))

    def refuse(self, text: str) -> NoReturn:
        """Refuse what can be read but means nothing."""
        raise LogqlError(f"parse error : {text}")

    def complain(self) -> None:
        """Refuse the query where the grammar does, with what the grammar expects.

        Raises:
            LogqlError: The grammar does not allow it.
        """
        kinds = [token.terminal or "$end" for token in self._tokens]
        found = refusal(kinds)
        bad = self._tokens[-1].kind == "bad"
        if found is not None and not (bad and found[0] == len(kinds) - 1):
            raise LogqlError(wrong(self.query, self._tokens[found[0]], found[1]))
        if bad:
            raise LogqlError(wrong(self.query, self._tokens[-1], self._tokens[-1].text))

    def expect(self, text: str) -> Token:
        """Take a certain word."""
        if self.token.text != text or self.token.kind not in ("symbol", "word"):
            self.unexpected(text)
        return self.take()

    def name(self) -> str:
        """Take a label's name."""
        if self.token.kind != "word":
            self.unexpected("IDENTIFIER")
        return self.take().text

    def string(self) -> str:
        """Take a string and give its value."""
        if self.token.kind != "string":
            self.unexpected("STRING")
        return unquoted(self.take().text)

    def number(self) -> float:
        """Take a number, possibly signed."""
        sign = 1.0
        while self.token.text in ("+", "-") and self.token.kind == "symbol":
            sign = -sign if self.take().text == "-" else sign
        if self.token.kind != "number":
            self.unexpected("NUMBER")
        text = self.take().text
        return sign * (float(int(text, 16)) if "x" in text.lower() else float(text))

    def duration_ns(self) -> int:
        """Take a duration."""
        if self.token.kind != "quantity":
            self.unexpected("DURATION")
        if abs(duration_s(self.token.text)) > LONGEST_S:
            self.refuse("duration out of range")
        return round(duration_s(self.take().text) * 1e9)

    def range_ns(self) -> int:
        """Take a duration in brackets."""
        if self.token.kind != "range":
            self.unexpected("RANGE")
        return round(prometheus_duration_s(self.take().text[1:-1]) * 1e9)

    def logs(self) -> Logs:
        """A selector and its pipeline, without unwrap."""
        logs, unwrap = self.pipeline()
        if unwrap is not None:
            self.unexpected()
        return logs

    def pipeline(self) -> tuple[Logs, Unwrap | None]:
        """A selector and its stages."""
        matchers = self.matchers()
        stages, unwrap = self.stages()
        return Logs(matchers, stages), unwrap

    def matchers(self) -> tuple[Matcher, ...]:
        """The selector of streams."""
        self.expect("{")
        found: list[Matcher] = []
        while self.token.text != "}":
            label = self.name()
            if self.token.text not in ("=", "!=", "=~", "!~"):
                self.unexpected("= or != or =~ or !~")
            op = self.take().text
            found.append(Matcher(label, op, self._pattern(self.string(), op)))
            if self.token.text != "}":
                self.expect(",")
                if self.token.text == "}":
                    self.unexpected("IDENTIFIER")
        self.take()
        if not any(one.op in ("=", "=~") and not one.matches("") for one in found):
            self.refuse(SELECTS_ALL)
        return tuple(found)

    def _pattern(self, text: str, op: str) -> str:
        if op in ("=~", "!~"):
            try:
                compiled(text)
            except PatternError as error:
                self.refuse(f"error parsing regexp: {error}")
        return text

    def stages(self) -> tuple[tuple[Stage, ...], Unwrap | None]:
        """What is done with the lines; an unwrap ends it."""
        found: list[Stage] = []
        while True:
            token = self.token
            if token.text in _LINE_FILTERS and token.kind == "symbol":
                found.append(self._line_filter())
            elif token.text == "|" and token.kind == "symbol":
                self.take()
                if self.token.text == "unwrap":
                    return tuple(found), self._unwrap()
                found.append(self._stage())
            else:
                return tuple(found), None

    def _line_filter(self) -> LineFilter:
        op = self.take().text
        texts: list[str] = []
        ip = False
        while True:
            if self.token.terminal == "IP":
                self.take()
                self.expect("(")
                ip = not texts
                texts.append(self.string())
                self.expect(")")
            else:
                texts.append(self.string())
            if self.token.text != "or":
                break
            self.take()
        wanted = LineFilter(op, tuple(texts), ip)
        self.check(wanted)
        return wanted

    def check(self, stage: Stage) -> None:
        """Refuse a stage that cannot be carried out.

        Raises:
            LogqlError: It cannot.
        """
        try:
            check_stage(stage)
        except ValueError as error:
            self.refuse(f"stage '{stage_text(stage)}' : {error}")

    def _stage(self) -> Stage:
        token = self.token
        if token.kind != "word" and token.text != "(":
            self.unexpected()
        readers: dict[str, Callable[[], Stage]] = {
            "json": self._json,
            "logfmt": self._logfmt,
            "regexp": self._expression_parser,
            "pattern": self._expression_parser,
            "line_format": self._line_format,
            "label_format": self._label_format,
            "drop": self._choose,
            "keep": self._choose,
        }
        compared = self.following().text in (*_ORDERED, "=~", "!~")
        if token.text in readers and not compared:
            return readers[token.text]()
        if token.text in ("unpack", "decolorize"):
            self.take()
            return Parser("unpack") if token.text == "unpack" else Decolorize()
        return LabelFilter(self._condition())

    def _json(self) -> Parser:
        self.take()
        return self._checked(Parser("json", wanted=self._wanted()))

    def _checked(self, parser: Parser) -> Parser:
        self.check(parser)
        return parser

    def _logfmt(self) -> Parser:
        self.take()
        flags = []
        while self.token.kind == "flag":
            flags.append(self.take().text.removeprefix("--"))
        return self._checked(Parser("logfmt", wanted=self._wanted(), flags=tuple(flags)))

    def _wanted(self) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        while self.token.kind == "word":
            label = self.take().text
            source = label
            if self.token.text == "=":
                self.take()
                source = self.string()
            found.append((label, source))
            if self.token.text != ",":
                break
            self.take()
        return tuple(found)

    def _expression_parser(self) -> Parser:
        parser = Parser(self.take().text, self.string())
        try:
            check_stage(parser)
        except ValueError as error:
            self.refuse(f"invalid {parser.kind} parser: {error}")
        return parser

    def _line_format(self) -> LineFormat:
        self.take()
        stage = LineFormat(self.string())
        self.check(stage)
        return stage

    def _label_format(self) -> LabelFormat:
        self.take()
        changes: list[tuple[str, str, bool]] = []
        while True:
            target = self.name()
            self.expect("=")
            if self.token.kind == "string":
                changes.append((target, self.string(), True))
            else:
                changes.append((target, self.name(), False))
            if self.token.text != ",":
                break
            self.take()
        stage = LabelFormat(tuple(changes))
        self.check(stage)
        return stage

    def _choose(self) -> Choose:
        keep = self.take().text == "keep"
        labels: list[tuple[str, Matcher | None]] = []
        while True:
            name = self.name()
            matcher = None
            if self.token.text in ("=", "!=", "=~", "!~"):
                op = self.take().text
                matcher = Matcher(name, op, self.string())
            labels.append((name, matcher))
            if self.token.text != ",":
                return Choose(keep, tuple(labels))
            self.take()

    def _unwrap(self) -> Unwrap:
        self.take()
        conversion = ""
        label = self.name()
        if self.token.text == "(":
            if label not in ("duration", "duration_seconds", "bytes"):
                self.unexpected()
            self.take()
            conversion, label = label, self.name()
            self.expect(")")
        filters: list[LabelFilter] = []
        while self.token.text == "|":
            self.take()
            filters.append(LabelFilter(self._condition()))
        return Unwrap(label, conversion, tuple(filters))

    def _condition(self, binds: int = 0) -> Condition:
        """Conditions joined: `and` binds more than `or`, a comma or nothing joins all behind it."""
        left = self._comparison()
        while True:
            token = self.token
            if token.text == "," or self._goes_on():
                if token.text == ",":
                    self.take()
                left = Both("and", left, self._condition())
            elif token.text in _JOINS and _JOINS[token.text] > binds:
                self.take()
                left = Both(token.text, left, self._condition(_JOINS[token.text]))
            else:
                return left

    def _goes_on(self) -> bool:
        if self.token.text == "(" or self.token.terminal == "IDENTIFIER":
            return True
        # Names of functions are names where nothing is called.
        return self.token.kind == "word" and self.following().text in (*_ORDERED, "=~", "!~")

    def _comparison(self) -> Condition:
        if self.token.text == "(":
            self.take()
            inner = self._condition()
            self.expect(")")
            return inner
        label = self.name()
        if self.token.text not in (*_ORDERED, "=~", "!~"):
            self.unexpected()
        op = self.take().text
        token = self.token
        if token.terminal == "IP":
            return self._address(label, op)
        if token.kind == "string":
            if op in (">", ">=", "<", "<=", "=="):
                self.unexpected()
            return Comparison(label, op, "string", self._pattern(self.string(), op))
        if op in ("=~", "!~"):
            self.unexpected("STRING")
        if token.kind == "quantity":
            self.take()
            return Comparison(label, op, "duration", token.text, duration_s(token.text))
        if token.kind == "size":
            self.take()
            return Comparison(label, op, "bytes", token.text, size_bytes(token.text))
        return Comparison(label, op, "number", token.text, self.number())

    def _address(self, label: str, op: str) -> Comparison:
        if op not in ("=", "!="):
            self.unexpected()
        self.take()
        self.expect("(")
        condition = Comparison(label, op, "ip", self.string())
        self.expect(")")
        self.check(LabelFilter(condition))
        return condition
