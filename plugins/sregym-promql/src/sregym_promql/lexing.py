"""The words of a query with their places, and what is said of characters that make none."""

from __future__ import annotations

import re
from typing import NamedTuple

from sregym_regex.budget import spend
from sregym_regex.go_text import of_bytes, quoted, readable

from sregym_promql.dialect import PROMETHEUS_2, Dialect

AGGREGATORS = frozenset(
    {
        *("avg", "bottomk", "count", "count_values", "group", "max", "min", "quantile", "stddev"),
        *("stdvar", "sum", "topk"),
    }
)
LATER_AGGREGATORS = frozenset({"limit_ratio", "limitk"})
OPERATORS = frozenset({"and", "or", "unless", "atan2"})
KEYWORDS = frozenset(
    {"offset", "by", "without", "on", "ignoring", "group_left", "group_right", "bool"}
)
_BOUNDS = frozenset({"start", "end"})
_NUMBERS = frozenset({"inf", "nan"})
_SYMBOLS = ("==", "!=", ">=", "<=", *"(){[],@+-*/%^<>=")
_OPERATOR_SYMBOLS = frozenset(
    {"+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<=", "=~", "!~"}
)
_SHOWN = 10

_BLANK = " \t\n\r"
# What may follow the number of a duration: at least one unit, further numbers each with theirs.
_UNITS = re.compile(r"[smhdwy]s?(?:[0-9]+[smhdw]s?)*")
_DECIMAL = re.compile(r"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]*)?")
_DECIMAL_IN_GROUPS = re.compile(r"[0-9_]*\.?[0-9_]*(?:[eE][+-]?[0-9_]*)?")
_HEXADECIMAL_IN_GROUPS = re.compile(r"0[xX][0-9a-fA-F_]+")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*(?:[eE][+-]?[0-9]*)?")
_WORD = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_ALPHANUMERIC = re.compile(r"[a-zA-Z0-9_]")
_END = "\N{REPLACEMENT CHARACTER}"

# What it takes to read a character of a query, up to the tree that it becomes; a text in quotes
# becomes one node, however long it is.
_LETTER_STEPS = 12
_QUOTED = re.compile(r"""\"[^"\\]*\"|'[^'\\]*'""")


class Token(NamedTuple):
    """One word.

    Attributes:
        kind: `word` for names, `string`, `number`, `duration`, `keyword`, `operator`, `aggregator`,
            `bound`, `symbol`, `end`, or `error`.
        text: As written; the message of an error.
        start: Place of its first character.
        end: Place behind its last.
    """

    kind: str
    text: str
    start: int
    end: int

    def described(self) -> str:
        """What a message calls it."""
        if self.kind == "end":
            return "end of input"
        if self.kind == "word":
            what = "metric identifier" if ":" in self.text else "identifier"
            return f"{what} {quoted(self.text)}"
        if self.kind == "keyword":
            return f"<{self.text}>"
        if self.kind == "operator":
            return f"<op:{self.text}>"
        if self.kind == "aggregator":
            return f"<aggr:{self.text}>"
        shown = quoted(self.text)
        if len(self.text) > _SHOWN:
            shown = f"{quoted(self.text[:_SHOWN])}..."
        if self.text == "@" and self.kind == "symbol":
            # Prometheus 2 has no name for it but that of its parser.
            return '"<Item 57385>" <op:@>'
        if self.kind == "symbol":
            return f"<op:{self.text}>" if self.text in _OPERATOR_SYMBOLS else shown
        if self.kind == "bound":
            return shown
        return f"{self.kind} {shown}"


def words(query: str, dialect: Dialect = PROMETHEUS_2) -> list[Token]:
    """All words up to the end, or up to the first error, which is then the last."""
    return _Lexer(query, dialect).all()


class _Lexer:
    def __init__(self, query: str, dialect: Dialect) -> None:
        self._dialect = dialect
        spend(_LETTER_STEPS * len(_QUOTED.sub("", query)) + len(query) // 8)
        self._query = query
        self._at = 0
        self._parentheses = 0
        self._brace = False
        self._bracket = False
        self._colon = False
        self._tokens: list[Token] = []

    def all(self) -> list[Token]:
        while not self._tokens or self._tokens[-1].kind not in ("end", "error"):
            self._next()
        return self._tokens

    def _add(self, kind: str, end: int) -> None:
        self._tokens.append(Token(kind, self._query[self._at : end], self._at, end))
        self._at = end

    def _fail(self, message: str, place: int | None = None) -> None:
        at = self._at if place is None else place
        self._tokens.append(Token("error", message, at, len(self._query)))

    def _letter(self, ahead: int = 0) -> str:
        """A character in front; empty behind the last."""
        return self._query[self._at + ahead : self._at + ahead + 1]

    def _skip(self) -> None:
        while (letter := self._letter()) and letter in _BLANK + "#":
            if letter == "#":
                newline = self._query.find("\n", self._at)
                self._at = len(self._query) if newline < 0 else newline
            else:
                self._at += 1

    def _next(self) -> None:
        self._skip()
        letter = self._letter()
        if not letter:
            self._finish()
        elif self._brace:
            self._inside_braces(letter)
        elif letter.isascii() and (letter.isdigit() or (letter == "." and _digit(self._letter(1)))):
            self._number()
        elif letter in "\"'`":
            self._string(letter)
        elif _WORD.match(letter) is not None:
            if self._bracket and (letter == ":" or not self._dialect.expressions_of_durations):
                self._colon_of_subquery(letter)
            else:
                self._word()
        else:
            self._symbol(letter)

    def _finish(self) -> None:
        if self._brace:
            self._fail("unexpected end of input inside braces")
        elif self._parentheses:
            self._fail("unclosed left parenthesis")
        elif self._bracket:
            self._fail("unclosed left bracket")
        else:
            self._add("end", self._at)

    def _string(self, quote: str) -> None:
        query = self._query
        position = self._at + 1
        while position < len(query):
            letter = query[position]
            if letter == quote:
                self._add("string", position + 1)
                return
            if letter == "\\" and quote != "`":
                wrong, length = _escape(query[position + 1 :], quote)
                if wrong:
                    self._fail(wrong)
                    return
                position += length
            elif letter == "\n" and quote != "`":
                break
            position += 1
        self._fail("unterminated raw string" if quote == "`" else "unterminated quoted string")

    def _inside_braces(self, letter: str) -> None:
        found = _LABEL.match(self._query, self._at)
        if found is not None:
            self._add("word", found.end())
        elif letter in "\"'`":
            self._string(letter)
        elif letter == "{":
            self._fail("unexpected left brace '{'")
        elif letter == "}":
            self._brace = False
            self._add("symbol", self._at + 1)
        elif letter == ",":
            self._add("symbol", self._at + 1)
        elif letter in "=!":
            following = self._letter(1)
            if following == "~" or (letter == "!" and following == "="):
                self._add("symbol", self._at + 2)
            elif letter == "!":
                self._fail(f"unexpected character after '!' inside braces: {_rune(following)}")
            else:
                self._add("symbol", self._at + 1)
        else:
            self._fail(f"unexpected character inside braces: {_rune(letter)}")

    def _scanned(self) -> tuple[int, bool]:
        """Behind a number, and whether nothing that could belong to a word follows."""
        pattern = _HEXADECIMAL if _HEXADECIMAL.match(self._query, self._at) else _DECIMAL
        if self._dialect.expressions_of_durations:
            hexadecimal = _HEXADECIMAL_IN_GROUPS.match(self._query, self._at)
            pattern = _HEXADECIMAL_IN_GROUPS if hexadecimal else _DECIMAL_IN_GROUPS
        found = pattern.match(self._query, self._at)
        assert found is not None
        end = found.end()
        return end, _ALPHANUMERIC.match(self._query, end) is None

    def _number(self) -> None:
        end, alone = self._scanned()
        if alone:
            self._add("number", end)
        else:
            self._duration(end, "bad number or duration syntax")

    def _duration(self, end: int, otherwise: str) -> None:
        """A duration whose first number ends at `end`."""
        found = _UNITS.match(self._query, end)
        if found is None:
            self._fail(f"{otherwise}: {quoted(self._query[self._at : end])}")
        elif _ALPHANUMERIC.match(self._query, found.end()) is not None:
            behind = min(_behind(self._query, found.end()), len(self._query))
            self._fail(f"{otherwise}: {quoted(self._query[self._at : behind])}")
        else:
            self._add("duration", found.end())

    def _colon_of_subquery(self, letter: str) -> None:
        # Within brackets any letter is as good as a colon; what it means is told by the grammar.
        if self._colon:
            self._fail(f"unexpected colon {_rune(letter)}")
        else:
            self._colon = True
            self._tokens.append(Token("symbol", ":", self._at, self._at + 1))
            self._at += 1

    def _word(self) -> None:
        found = (_LABEL if self._bracket else _WORD).match(self._query, self._at)
        assert found is not None
        low = found[0].lower()
        kind = "word"
        later = self._dialect.later_functions and low in LATER_AGGREGATORS
        if low in AGGREGATORS or later:
            kind = "aggregator"
        elif low in OPERATORS:
            kind = "operator"
        elif low in KEYWORDS:
            kind = "keyword"
        elif low in _BOUNDS:
            kind = "bound"
        elif low in _NUMBERS:
            kind = "number"
        self._add(kind, found.end())

    def _symbol(self, letter: str) -> None:
        following = self._letter(1)
        if letter == ")" and not self._parentheses:
            self._fail("unexpected right parenthesis ')'", self._at + 1)
        elif letter == "]" and not self._bracket:
            self._fail("unexpected right bracket ']'")
        elif letter == "=" and following == "~":
            self._fail("unexpected character after '=': '~'")
        elif letter == "!" and following != "=":
            self._fail(f"unexpected character after '!': {_rune(following)}")
        elif letter == "[" and self._bracket:
            self._fail("unexpected left bracket '['")
        elif letter == "[":
            self._add("symbol", self._at + 1)
            self._bracket, self._colon = True, False
            if not self._dialect.expressions_of_durations:
                self._range()
        else:
            self._plain_symbol(letter)

    def _plain_symbol(self, letter: str) -> None:
        for symbol in _SYMBOLS:
            if self._query.startswith(symbol, self._at):
                self._parentheses += {"(": 1, ")": -1}.get(symbol, 0)
                self._brace = self._brace or symbol == "{"
                self._bracket = self._bracket and symbol != "]"
                self._add("symbol", self._at + len(symbol))
                return
        self._fail(f"unexpected character: {_rune(letter)}")

    def _range(self) -> None:
        """Behind an opening bracket only a duration may stand."""
        while self._letter() and self._letter() in _BLANK:
            self._at += 1
        end, alone = self._scanned()
        if alone:
            self._fail("missing unit character in duration")
        else:
            self._duration(end, "bad duration syntax")


def _behind(query: str, at: int) -> int:
    """Where the reader of a duration gives up: it takes digits, and a letter behind them."""
    digits = re.compile("[0-9]*").match(query, at)
    assert digits is not None
    return digits.end() if digits.end() > at else at + 1


def _digit(letter: str) -> bool:
    return "0" <= letter <= "9"


def _escape(rest: str, quote: str) -> tuple[str, int]:
    """What is wrong with an escape sequence, and how long it is behind its backslash."""
    letter = rest[:1]
    if not letter:
        return "escape sequence not terminated", 0
    if letter in "abfnrtv\\" or letter == quote:
        return "", 1
    if letter in "01234567":
        start, digits, base, most = 0, 3, 8, 255
    elif letter in "xuU":
        start, base = 1, 16
        digits, most = {"x": (2, 255), "u": (4, 0x10FFFF), "U": (8, 0x10FFFF)}[letter]
    else:
        return f"unknown escape sequence {_code_point(letter)}", 1
    value = 0
    for position in range(start, start + digits):
        digit = rest[position : position + 1]
        if not digit:
            return "escape sequence not terminated", 0
        number = int(digit, 16) if digit in "0123456789abcdefABCDEF" else base
        if number >= base:
            return f"illegal character {_code_point(digit)} in escape sequence", 1
        value = value * base + number
    if value > most or 0xD800 <= value < 0xE000:
        return "escape sequence is an invalid Unicode code point", 1
    return "", start + digits


def _code_point(letter: str) -> str:
    return f"U+{ord(letter):04X} '{letter}'"


def _rune(letter: str) -> str:
    shown = f"\\{letter}" if letter and letter in "\\'" else letter
    return f"'{shown or _END}'"


_SIMPLE = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ESCAPED = re.compile(
    r"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)


def string_value(text: str) -> str:
    """What a string stands for, with a sign for each byte that belongs to no character."""
    return readable(string_text(text))


def string_text(text: str) -> str:
    """What a string stands for, of whose escape sequences all are good."""
    inside = text[1:-1]
    if text[0] == "`" or "\\" not in inside:
        return inside
    whole = bytearray()
    position = 0
    for found in _ESCAPED.finditer(inside):
        whole += inside[position : found.start()].encode()
        octal, byte, short, long, letter = found.groups()
        if octal or byte:
            whole.append(int(octal, 8) if octal else int(byte, 16))
        elif short or long:
            whole += chr(int(short or long, 16)).encode()
        else:
            whole += chr(_SIMPLE[letter]).encode() if letter in _SIMPLE else letter.encode()
        position = found.end()
    whole += inside[position:].encode()
    return of_bytes(bytes(whole))
