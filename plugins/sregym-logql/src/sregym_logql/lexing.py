"""The words of a query with their places, as the scanner of Loki finds them."""

from __future__ import annotations

import re
from typing import NamedTuple

from sregym_logql.grammar import FUNCTIONS, KEYWORDS
from sregym_logql.strings import is_meant, well_escaped
from sregym_logql.units import prometheus_duration_s

_TOKEN = re.compile(
    r"(?P<space>\s+|\#[^\n]*)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*\"|`[^`]*`)"
    r"|(?P<flag>--(?:strict|keep-empty)(?![a-z-]))"
    r"|(?P<range>\[[^\]]*\])"
    r"|(?P<quantity>-?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|[smhdwy](?![iI]?[bB]))(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|[smhdwy]))*(?![A-Za-z0-9_]))"
    r"|(?P<size>(?:\d+\.?\d*|\.\d+)(?:[kKMGTP]i?B?|B)(?![A-Za-z0-9_]))"
    r"|(?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_]))"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<symbol>\|=|\|~|\|>|!=|!~|!>|=~|==|>=|<=|[{}()\[\],|=<>+\-*/%^:.])"
)
_TERMINALS = {
    "string": "STRING",
    "number": "NUMBER",
    "quantity": "DURATION",
    "size": "BYTES",
    "flag": "PARSER_FLAG",
    "range": "RANGE",
    "end": "$end",
}
_CALLED = re.compile(r"\s*(?:\(|(?:by|without)\s*\()", re.IGNORECASE)


class Token(NamedTuple):
    """One word.

    Attributes:
        kind: `string`, `flag`, `quantity`, `size`, `number`, `range`, `word`, `symbol`, `end`, or
            `bad` for what makes no word.
        text: As written; of a bad one what is wrong.
        start: Its place.
        terminal: Its name in the grammar.
    """

    kind: str
    text: str
    start: int
    terminal: str

    @property
    def peeked(self) -> bool:
        """Whether the scanner looked beyond its first part, and so lost count of the lines."""
        if self.kind in ("quantity", "size", "range", "flag"):
            return True
        return self.kind == "symbol" and len(self.text) > 1


def tokens_of(query: str) -> list[Token]:
    """All words; the last one is the end, or a bad one."""
    found: list[Token] = []
    position = 0
    while position < len(query):
        match = _TOKEN.match(query, position)
        if match is None:
            token = _unmatched(query, position)
        elif match.lastgroup == "space":
            position = match.end()
            continue
        else:
            token = _token(query, match)
        found.append(token)
        if token.kind == "bad":
            return found
        position += len(token.text)
    found.append(Token("end", "", len(query), "$end"))
    return found


def _token(query: str, match: re.Match[str]) -> Token:
    kind, text, start = match.lastgroup or "", match[0], match.start()
    if kind == "string" and text[0] == '"':
        if not well_escaped(text[1:-1]):
            return Token("bad", "invalid char escape", start, "")
        if not is_meant(text[1:-1]):
            return Token("bad", "invalid syntax", start, "")
    if kind == "range":
        try:
            prometheus_duration_s(text[1:-1])
        except ValueError as error:
            return Token("bad", str(error), start, "")
    if kind == "symbol" and text == "[":
        return Token("bad", "missing closing ']' in duration", start, "")
    named = _TERMINALS.get(kind)
    if named is not None:
        return Token(kind, text, start, named)
    known = text.lower()
    terminal = KEYWORDS.get(known, "IDENTIFIER")
    if known in FUNCTIONS:
        called = _CALLED.match(query, match.end()) is not None
        terminal = FUNCTIONS[known] if called else "IDENTIFIER"
    # Words of the language are read in either case.
    return Token(kind, known if terminal != "IDENTIFIER" else text, start, terminal)


def _unmatched(query: str, position: int) -> Token:
    """Strings without end, single quotes, and characters that are words of their own."""
    character = query[position]
    if character in '"`':
        return Token("bad", "literal not terminated", position, "")
    if character == "'":
        closing = re.compile(r"'(?:[^'\\\n]|\\.)*'").match(query, position)
        if closing is None:
            return Token("bad", "literal not terminated", position, "")
        if len(closing[0]) != 3:
            return Token("bad", "illegal char literal", position, "")
        return Token("word", closing[0], position, "IDENTIFIER")
    if character.isdigit():
        digits = re.compile(r"\d+\.?\d*").match(query, position)
        assert digits is not None
        return Token("number", digits[0], position, "NUMBER")
    return Token("word", character, position, "IDENTIFIER")


def wrong(query: str, token: Token, text: str) -> str:
    """A parse error with its place, as Loki puts it."""
    before = query[: token.start]
    line = 0 if token.peeked or text.startswith("missing closing") else before.count("\n") + 1
    if token.kind == "bad" and query[token.start] == "[":
        line = 0
    return f"parse error at line {line}, col {token.start - before.rfind(chr(10))}: {text}"
