"""awk programs as tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

KEYWORDS = frozenset(
    (
        *("BEGIN", "END", "function", "func", "if", "else", "while", "for", "do", "break"),
        *("continue", "next", "nextfile", "exit", "return", "delete", "in", "getline"),
        *("print", "printf"),
    )
)
_TOKEN = re.compile(
    r"(?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\*\*=|\+\+|--|\*\*|&&|\|\||>>|[-+*/%^=!<>]=|!~|[-+*/%^=!<>~?:,;{}()\[\]$|\n])"
    r"|(?P<space>[ \t\r]+|\\\r?\n|\#[^\n]*)"
)
_SIMPLE = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/", "r": "\r", "a": "\a", "b": "\b"}
_SIMPLE |= {"f": "\f", "v": "\v"}


class AwkSyntaxError(ValueError):
    """The text is no awk program.

    Attributes:
        kind: What is wrong: `token`, `end`, `string`, `regex`, `character`, `brace`, `paren`,
            `extra`, `function` or `misuse`.
        text: What stands there.
        line: Where, from 1.
    """

    def __init__(self, kind: str, text: str, line: int) -> None:
        super().__init__(f"{kind} {text} in line {line}")
        self.kind, self.text, self.line = kind, text, line


class Token(NamedTuple):
    """A word of a program.

    Attributes:
        kind: `number`, `string`, `regex`, `name`, `keyword`, `op` or `end`.
        text: What it says; of a string or an expression, what stands between the marks.
        line: Where it stands, from 1.
        touches: Whether a bracket follows without a space.
    """

    kind: str
    text: str
    line: int
    touches: bool = False


def tokens_of(text: str) -> list[Token]:
    """A program, word by word; the last is of the kind `end`.

    Raises:
        AwkSyntaxError: A character has no meaning, or a string or expression does not end.
    """
    found: list[Token] = []
    at, line = 0, 1
    while at < len(text):
        if text[at] == '"':
            end = _end_of(text, at, '"', line)
            found.append(Token("string", unescaped(text[at + 1 : end]), line))
            at = end + 1
            continue
        if text[at] == "/" and not _is_value(found):
            end = _end_of(text, at, "/", line)
            found.append(Token("regex", text[at + 1 : end].replace("\\/", "/"), line))
            at = end + 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise AwkSyntaxError("character", text[at], line)
        kind, word, at = match.lastgroup or "", match.group(), match.end()
        if kind == "name":
            kind = "keyword" if word in KEYWORDS else "name"
        if kind != "space":
            found.append(Token(kind, word, line, text[at : at + 1] == "("))
        line += word.count("\n")
    found.append(Token("end", "", line))
    return found


def unescaped(text: str) -> str:
    """What a string stands for; a backslash before anything unknown stays."""

    def one(match: re.Match[str]) -> str:
        word = match.group(1)
        if word[0] in "01234567":
            return chr(int(word, 8) & 255)
        if word[0] == "\n":
            return ""
        return _SIMPLE.get(word, "\\" + word)

    return re.sub(r"\\([0-7]{1,3}|.|\n)", one, text)


def _end_of(text: str, at: int, mark: str, line: int) -> int:
    end, bracket = at + 1, False
    while end < len(text) and (text[end] != mark or bracket):
        if text[end] == "\n":
            break
        if mark == "/" and text[end] in "[]":
            bracket = text[end] == "["
        end += 2 if text[end] == "\\" else 1
    if end >= len(text) or text[end] != mark:
        kind = "string" if mark == '"' else "regex"
        raise AwkSyntaxError(kind, text[at:].split("\n", 1)[0], line)
    return end


def _is_value(found: list[Token]) -> bool:
    """Whether a slash divides what stands before it."""
    if not found:
        return False
    last = found[-1]
    if last.kind in ("number", "string", "name", "regex"):
        return True
    return last.text in (")", "]", "$", "++", "--") and last.kind == "op"
