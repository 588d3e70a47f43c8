"""From the text of a template to tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_regex.budget import spend

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACE = " \t\r\n"
KEYWORDS = frozenset(
    (*("block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"),)
)
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
      | (?P<declare>:=)
      | (?P<assign>=)
      | (?P<pipe>\|)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*")
      | (?P<raw>`[^`]*`)
      | (?P<char>'(?:[^'\\\n]|\\[^\n])*')
      | (?P<variable>\$\w*)
      | (?P<number>[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?
          |0[bB][01_]*|0[oO][0-7_]*
          |(?:(?=[0-9]|\.[0-9])|(?<=[+-]))[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?))
      | (?P<field>\.\w*)
      | (?P<word>\w+)
      | (?P<sign>[!-~])""",
    re.VERBOSE,
)
_UNTERMINATED = {
    '"': "unterminated quoted string",
    "`": "unterminated raw quoted string",
    "'": "unterminated character constant",
    ":": "expected :=",
}
_QUOTED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# What may stand behind a name, beside the end of the action.
_TERMINATORS = frozenset(f"{_SPACE}.,|:()")


class Token(NamedTuple):
    """One word of a template.

    Attributes:
        kind: `text`, `left`, `right`, `space`, `declare`, `assign`, `pipe`, `string`, `raw`,
            `char`, `variable`, `number`, `field`, `dot`, `word`, `keyword`, `sign`, `end`, and
            `error`, whose text says what is wrong.
        text: As written.
        pos: Where it begins, in characters.
        line: The line in which it begins, from 1.
    """

    kind: str
    text: str
    pos: int
    line: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "EOF"
        if self.kind == "error":
            return self.text
        if self.kind in ("dot", "keyword") or (self.kind == "word" and self.text == "nil"):
            return f"<{self.text}>"
        return quoted(self.text[:10]) + ("..." if len(self.text) > 10 else "")


def quoted(text: str) -> str:
    """A text as Go's `%q`."""
    inside = "".join(_QUOTED.get(sign, sign) for sign in text)
    return f'"{inside}"'


def tokens_of(text: str) -> list[Token]:
    """All tokens, up to the end or the first error."""
    found: list[Token] = []
    line, at = 1, 0
    for kind, begin, end, words in _lexed(text):
        spend(2)
        line += text.count("\n", at, begin)
        at = begin
        found.append(Token(kind, text[begin:end] if words is None else words, begin, line))
    return found


def _lexed(text: str) -> Iterator[tuple[str, int, int, str | None]]:
    """Kind, begin and end of each token, and its text where it is another."""
    at = 0
    while True:
        opened = text.find("{{", at)
        if opened < 0:
            if at < len(text):
                yield "text", at, len(text), None
            yield "end", len(text), len(text), ""
            return
        trims = text[opened + 2 : opened + 3] == "-" and text[opened + 3 : opened + 4] in _SPACE
        trims = trims and opened + 3 < len(text)
        before = text[at:opened]
        kept = before.rstrip(_SPACE) if trims else before
        if kept:
            yield "text", at, at + len(kept), None
        inside = opened + (4 if trims else 2)
        if text.startswith("/*", inside):
            closed = text.find("*/", inside)
            if closed < 0:
                yield "error", inside, inside, "unclosed comment"
                return
            end, trimmed = _right(text, closed + 2)
            if not end:
                yield "error", inside, inside, "comment ends before closing delimiter"
                return
        else:
            yield "left", opened, opened + 2, None
            end, trimmed = 0, False
            depth = 0
            place = inside
            while not end:
                end, trimmed = _right(text, place)
                if end:
                    if depth:
                        yield "error", place, place, "unclosed left paren"
                        return
                    yield "right", place, end, "}}"
                    break
                kind, stop, told = _next(text, place)
                depth += {"(": 1, ")": -1}.get(text[place], 0) if kind == "sign" else 0
                if depth < 0:
                    kind, told = "error", "unexpected right paren"
                yield kind, place, stop, told
                if kind == "error":
                    return
                place = stop
        at = end
        while trimmed and at < len(text) and text[at] in _SPACE:
            at += 1


def _right(text: str, at: int) -> tuple[int, bool]:
    """The end of the closing delimiter that stands here, or 0, and whether it trims."""
    if text.startswith("}}", at):
        return at + 2, False
    if text.startswith("-}}", at + 1) and text[at] in _SPACE:
        return at + 4, True
    return 0, False


def _next(text: str, at: int) -> tuple[str, int, str | None]:
    """Kind and end of the token that begins here, and what is said in place of its text."""
    if at >= len(text):
        return "error", at, "unclosed action"
    found = _TOKEN.match(text, at)
    if found is None:
        return "error", at, f"unrecognized character in action: {_named(text[at])}"
    kind, end = str(found.lastgroup), found.end()
    if kind == "sign" and text[at] in _UNTERMINATED:
        return "error", at, _UNTERMINATED[text[at]]
    if kind == "space" and text.startswith("-}}", end):
        # The last of the spaces belongs to the closing delimiter.
        end -= 1
    elif kind == "number" and end < len(text) and (text[end].isalnum() or text[end] == "_"):
        return "error", at, f'bad number syntax: "{text[at : end + 1]}"'
    elif kind in ("field", "variable", "word"):
        if not _ended(text, end):
            return "error", at, f"bad character {_named(text[end])}"
        if found[0] == ".":
            kind = "dot"
        elif kind == "word" and found[0] in KEYWORDS:
            kind = "keyword"
    return kind, end, None


def _ended(text: str, at: int) -> bool:
    return at >= len(text) or text[at] in _TERMINATORS or text.startswith("}}", at)


def _named(sign: str) -> str:
    """A character as Go's `%#U`."""
    shown = f" '{sign}'" if sign.isprintable() else ""
    return f"U+{ord(sign):04X}{shown}"
