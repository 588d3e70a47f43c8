"""Lines of pairs `key=value`, read with the same complaints as Loki's reader."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_regex.go_text import BROKEN

from sregym_logql.json_lines import NO_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is no greater than a space stands between pairs.
_GAP = re.compile(r"[\x00-\x20]*")
_KEY = re.compile(r'[^\x00-\x20="]*')
_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_BARE = re.compile("[a-zA-Z_][a-zA-Z0-9_]*")
_BLANK = " \t\n\r"
_REST = re.compile(r"[^\x00-\x20]*")


class Pair(NamedTuple):
    """A key, its value, and what is wrong where there is no pair."""

    key: str
    value: str
    wrong: str = ""


def pairs(line: str) -> Iterator[Pair]:
    """The pairs of a line; where one cannot be read, what is wrong with it, and then those behind."""
    place = _end(_GAP, line, 0)
    while place < len(line):
        start, place = place, _end(_KEY, line, place)
        key = line[start:place]
        if NO_TEXT in key:
            yield Pair("", "", _at(place, "invalid key", line))
            place = _end(_REST, line, place)
        elif place == len(line) or line[place] <= " ":
            yield Pair(key, "")
        elif line[place] == '"' or not key:
            yield Pair("", "", _unexpected(line, place))
            place = _end(_REST, line, place)
        elif line[place + 1 : place + 2] == '"':
            quoted = _QUOTED.match(line, place + 1)
            if quoted is None:
                yield Pair("", "", _at(len(line), "unterminated quoted value", line))
                return
            place = quoted.end()
            value = _unquoted(quoted[0])
            wrong = "" if value is not None else _at(place, "invalid quoted value", line)
            yield Pair(key, value or "", wrong)
        else:
            start, place = place + 1, _end(_KEY, line, place + 1)
            if place < len(line) and line[place] > " ":
                yield Pair("", "", _unexpected(line, place))
                place = _end(_REST, line, place)
            else:
                yield Pair(key, line[start:place])
        place = _end(_GAP, line, place)


def _end(pattern: re.Pattern[str], line: str, place: int) -> int:
    found = pattern.match(line, place)
    assert found is not None
    return found.end()


def _unquoted(text: str) -> str | None:
    if "\\" not in text:
        return text[1:-1]
    try:
        # Unlike elsewhere single quotes may be escaped.
        found = json.loads(_ESCAPED.sub(lambda each: "'" if each[1] == "'" else each[0], text))
    except ValueError:
        return None
    return BROKEN.sub(NO_TEXT, found) if isinstance(found, str) else None


def key_of(text: str) -> str:
    """The key that an expression names: a bare one, or one in quotes.

    Raises:
        ValueError: With the error text of Loki's reader of such expressions.
    """
    rest = text.strip(_BLANK)
    if rest.startswith('"'):
        key, _, behind = rest[1:].partition('"')
    else:
        bare = _BARE.match(rest)
        if bare is None:
            message = "syntax error: unexpected $end, expecting STRING or KEY"
            raise ValueError(message)
        key, behind = bare[0], rest[bare.end() :]
    behind = behind.lstrip(_BLANK)
    if behind:
        known = "KEY" if _BARE.match(behind) else "STRING" if behind[0] == '"' else ""
        message = f"syntax error: unexpected {known}" if known else f"unexpected char {behind[0]}"
        raise ValueError(message)
    return key


def _unexpected(line: str, place: int) -> str:
    shown = '"' if line[place] == '"' else line[place]
    return _at(place, f"unexpected '{shown}'", line)


def _at(place: int, text: str, line: str) -> str:
    # Places are counted in bytes.
    return f"logfmt syntax error at pos {len(line[:place].encode()) + 1} : {text}"
