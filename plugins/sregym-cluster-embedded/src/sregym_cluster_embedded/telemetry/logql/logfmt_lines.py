"""Lines of pairs `key=value`, read with the same complaints as Loki's reader."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is no greater than a space stands between pairs.
_GAP = re.compile(r"[\x00-\x20]*")
_KEY = re.compile(r'[^\x00-\x20="]*')
_QUOTED = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
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
        if place == len(line) or line[place] <= " ":
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
        found = json.loads(text, strict=False)
    except ValueError:
        return None
    return found if isinstance(found, str) else None


def _unexpected(line: str, place: int) -> str:
    shown = '"' if line[place] == '"' else line[place]
    return _at(place, f"unexpected '{shown}'", line)


def _at(place: int, text: str, line: str) -> str:
    # Places are counted in bytes.
    return f"logfmt syntax error at pos {len(line[:place].encode()) + 1} : {text}"
