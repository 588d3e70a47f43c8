"""The words of nginx's configuration files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class ConfigurationError(Exception):
    """What nginx says against its configuration, with the place where it stands."""


class Statement(NamedTuple):
    """Words up to a semicolon or a brace.

    Attributes:
        words: As they count, without quotes.
        end: `;`, `{`, `}`, or empty at the end of the file.
        line: Of the character that ends it.
    """

    words: tuple[str, ...]
    end: str
    line: int


_ESCAPES = {"t": "\t", "r": "\r", "n": "\n"}
_KEPT = ('"', "'", "\\")


def statements(text: str, file: str) -> Iterator[Statement]:
    """Take a file apart.

    Raises:
        ConfigurationError: A character stands where none may.
    """
    words: list[str] = []
    at, line = 0, 1
    while True:
        at, line = _blank(text, at, line)
        if at >= len(text):
            yield Statement(tuple(words), "", line)
            return
        char = text[at]
        if char in ";{}":
            if (char == "}") == bool(words):
                raise ConfigurationError(f'unexpected "{char}" in {file}:{line}')
            yield Statement(tuple(words), char, line)
            words = []
            at += 1
        elif char in "\"'":
            end = _closing(text, at)
            if end < 0:
                lines = text.count("\n") + 1
                missing = 'unexpected end of file, expecting ";" or "}"'
                raise ConfigurationError(f"{missing} in {file}:{lines}")
            words.append(_unescaped(text[at + 1 : end]))
            line += text.count("\n", at, end)
            at = end + 1
            if at < len(text) and text[at] not in " \t\r\n;{)":
                raise ConfigurationError(f'unexpected "{text[at]}" in {file}:{line}')
        else:
            end = _word_end(text, at)
            words.append(_unescaped(text[at:end]))
            at = end


def _blank(text: str, at: int, line: int) -> tuple[int, int]:
    """Past spaces and comments."""
    while at < len(text):
        if text[at] == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif text[at] in " \t\r\n":
            line += text[at] == "\n"
            at += 1
        else:
            break
    return at, line


def _closing(text: str, at: int) -> int:
    """Where the quote is that ends what begins here."""
    quote, at = text[at], at + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == quote:
            return at
        at += 1
    return -1


def _word_end(text: str, at: int) -> int:
    variable = False
    while at < len(text):
        char = text[at]
        if char == "{" and variable:
            variable = False
            at += 1
            continue
        variable = char == "$"
        if char == "\\":
            at += 2
            continue
        if char in " \t\r\n;{":
            break
        at += 1
    return min(at, len(text))


def _unescaped(word: str) -> str:
    """A word without the backslashes that only protect what follows; others stay, for patterns."""
    if "\\" not in word:
        return word
    out, at = "", 0
    while at < len(word):
        char, following = word[at], word[at + 1 : at + 2]
        if char == "\\" and following in _KEPT and following:
            out, at = out + following, at + 2
        elif char == "\\" and following in _ESCAPES:
            out, at = out + _ESCAPES[following], at + 2
        else:
            out, at = out + char, at + 1
    return out
