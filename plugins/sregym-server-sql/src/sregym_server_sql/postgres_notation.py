"""PostgreSQL's casts, arithmetic of times and sets, put as calls of functions that SQLite is given."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

_WORD = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|\d+\.\d+|[\w.]+|\s+|::|\|\||->>?|[<>!]=|<>|.", re.S)
_TYPE = re.compile(
    r"\s*(timestamp\s+with(?:out)?\s+time\s+zone|double\s+precision|character\s+varying|\w+)"
    r"(?:\(\d+(?:,\s*\d+)?\))?(?:\[\])?",
    re.I,
)
# Types whose casts change values -> what the cast is told.
_KINDS = {
    "date": "date", "time": "time", "interval": "interval", "timestamp": "timestamp",
    "timestamptz": "timestamptz", "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp", "int": "integer", "integer": "integer",
    "int2": "integer", "int4": "integer", "int8": "integer", "bigint": "integer", "smallint": "integer",
}  # fmt: skip
_TIMES = frozenset(("now", "date_trunc", "clock_timestamp", "age"))
# The machine below has a clock of its own, which must not be seen.
_TODAY = {"current_date": "date", "current_time": "time", "localtime": "time"}
_PASSING = frozenset(("min", "max", "coalesce", "greatest", "least"))
_KEYWORDS = frozenset(
    {"select", "distinct", "from", "where", "and", "or", "not", "in", "on", "by", "having", "group"}
    | {"order", "limit", "offset", "union", "then", "else", "when", "case", "end", "between", "as"}
    | {
        "like",
        "ilike",
        "is",
        "set",
        "values",
        "returning",
        "join",
        "cross",
        "inner",
        "left",
        "using",
    }
)
_ENDS = frozenset(("where", "group", "having", "order", "limit", "offset", "union", "returning"))
_SERIES = "generate_series"
# Brackets in brackets that are still read.
_DEEPEST = 150


class _Part(NamedTuple):
    """A piece of a statement.

    Attributes:
        text: How it is put.
        operand: Whether an operator may stand beside it.
        timed: Whether it gives a date, a moment or an interval.
        series: What a call of generate_series is given; empty for everything else.
    """

    text: str
    operand: bool = False
    timed: bool = False
    series: str = ""

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def word(self) -> str:
        return self.text.lower()


def notated(statement: str, times: Collection[str]) -> str:
    """A statement with what SQLite cannot say as calls of functions.

    Args:
        statement: In PostgreSQL's words.
        times: Columns that hold dates, moments or intervals, lower case.
    """
    return _notated(statement, frozenset(times))


@lru_cache(maxsize=128)
def _notated(statement: str, times: frozenset[str]) -> str:
    # Scripts of a first start come again with each server that is made from them.
    depth = list(accumulate((char == "(") - (char == ")") for char in statement))
    if max(depth, default=0) > _DEEPEST:
        return statement
    words = [(found.group(), found.end()) for found in _WORD.finditer(statement)]
    return _Reader(statement, words, times).sequence().text


class _Reader:
    def __init__(self, text: str, words: list[tuple[str, int]], times: Collection[str]) -> None:
        self._text, self._words, self._times, self._at = text, words, times, 0

    def sequence(self) -> _Part:
        """All up to the end, or to the bracket that closes."""
        parts: list[_Part] = []
        while self._at < len(self._words):
            word, end = self._words[self._at]
            self._at += 1
            if word == ")":
                break
            if word == "(":
                self._bracket(parts)
            elif word == "::":
                self._cast(parts, end)
            elif word[0] == "'" and self._literal(parts, word):
                continue
            else:
                bare = word.rpartition(".")[2].lower().strip('"')
                named = bool(re.match(r"[\w'\"]", word))
                if bare in _TODAY:
                    parts.append(_called("now()", _TODAY[bare]))
                    continue
                timed = bare in self._times or bare == "current_timestamp"
                operand = named and bare not in _KEYWORDS
                parts.append(_Part(word, operand, operand and timed))
        parts = _joined(_joined(parts, {"*": "pg_times"}), {"+": "pg_plus", "-": "pg_minus"})
        parts = _with_series(parts)
        return _Part("".join(part.text for part in parts), True, any(part.timed for part in parts))

    def _bracket(self, parts: list[_Part]) -> None:
        inner = self.sequence()
        name = parts[-1].word if parts and parts[-1].operand else ""
        if not re.fullmatch(r"[a-z_][\w.]*", name):
            parts.append(_Part(f"({inner.text})", True, inner.timed and "select" not in inner.word))
            return
        head = parts.pop().text
        found = re.fullmatch(r"(.*\S)\s+as\s+(.+)", inner.text, re.I | re.S)
        if name == "cast" and found is not None:
            kind = _kind_of(found.group(2))
            if kind:
                parts.append(_called(found.group(1), kind))
                return
        bare = name.removeprefix("pg_catalog.")
        timed = bare in _TIMES or (bare in _PASSING and inner.timed)
        series = inner.text if bare == _SERIES else ""
        parts.append(_Part(f"{head}({inner.text})", True, timed, series))

    def _cast(self, parts: list[_Part], end: int) -> None:
        found = _TYPE.match(self._text, end)
        if found is None:
            parts.append(_Part("::"))
            return
        while self._at < len(self._words) and self._words[self._at][1] <= found.end():
            self._at += 1
        kind = _kind_of(found.group())
        if kind and not found.group().endswith("[]") and parts and parts[-1].operand:
            parts.append(_called(parts.pop().text, kind))
        elif parts and parts[-1].operand:
            parts.append(_Part(f"{parts.pop().text}::{found.group().strip()}", True))
        else:
            parts.append(_Part(f"::{found.group()}", True))

    @staticmethod
    def _literal(parts: list[_Part], word: str) -> bool:
        """Take `date '2024-05-06'` together."""
        place = len(parts) - 1
        while place >= 0 and parts[place].blank:
            place -= 1
        kind = _KINDS.get(parts[place].word, "") if place >= 0 else ""
        if kind in ("", "integer"):
            return False
        del parts[place:]
        parts.append(_called(word, kind))
        return True


def _kind_of(text: str) -> str:
    return _KINDS.get(" ".join(re.sub(r"\(.*", "", text).lower().split()), "")


def _called(text: str, kind: str) -> _Part:
    return _Part(f"pg_cast({text}, '{kind}')", True, kind != "integer")


def _joined(parts: list[_Part], names: dict[str, str]) -> list[_Part]:
    """Operators beside a time as calls."""
    found: list[_Part] = []
    place = 0
    while place < len(parts):
        part = parts[place]
        place += 1
        after = place
        while part.text in names and after < len(parts) and parts[after].blank:
            after += 1
        if part.text in names and after < len(parts):
            before = _last(found, len(found))
            one, two = found[before] if before >= 0 else _Part(""), parts[after]
            earlier = found[_last(found, before)].text if _last(found, before) >= 0 else ""
            timed = one.timed or two.timed
            if timed and one.operand and two.operand and earlier not in ("*", "/"):
                del found[before:]
                place = _product(parts, after)
                right = "".join(piece.text for piece in parts[after:place])
                found.append(_Part(f"{names[part.text]}({one.text}, {right})", True, True))
                continue
        found.append(part)
    return found


def _product(parts: list[_Part], place: int) -> int:
    """Behind an operand and all that it is multiplied with or divided by."""
    end = place + 1
    after = end
    while after < len(parts):
        if parts[after].text in ("*", "/") or parts[after].blank:
            after += 1
        elif parts[after].operand and any(one.text in ("*", "/") for one in parts[end:after]):
            end = after = after + 1
        else:
            break
    return end


def _last(parts: list[_Part], end: int) -> int:
    """Where the last piece before a place stands that is not blank; -1 without one."""
    place = end - 1
    while place >= 0 and parts[place].blank:
        place -= 1
    return place


def _with_series(parts: list[_Part]) -> list[_Part]:
    """Calls of generate_series as tables: where they stand after FROM, or alone in a SELECT."""
    found = list(parts)
    for place in reversed([n for n, part in enumerate(parts) if part.series]):
        words = [part.word for part in found[:place] if not part.blank]
        begin = next((n for n in range(len(words) - 1, -1, -1) if words[n] in ("select", "from", "join")), None)  # fmt: skip
        if begin is None:
            continue
        if words[begin] != "select":
            _as_table(found, place)
            continue
        rest = [n for n in range(place, len(found)) if found[n].word in (*_ENDS, "from", ";")]
        at = rest[0] if rest else len(found)
        if rest and found[at].word == "from":
            continue
        table = _Part(f" FROM {_rows(found[place].series, _SERIES)} AS {_SERIES} ")
        found[place] = _Part(f"{_SERIES}.{_SERIES}", True)
        found.insert(at, table)
    return found


def _as_table(found: list[_Part], place: int) -> None:
    """Name the column as the alias does, or what is listed behind it."""
    column, alias, end = _SERIES, _SERIES, place + 1
    text = "".join(part.text for part in found[place + 1 :])
    named = re.match(r"\s+(?:as\s+)?([a-z_]\w*)\s*(?:\(\s*(\w+)\s*\))?", text, re.I)
    if named is not None and named[1].lower() not in _KEYWORDS:
        alias, column = named[1], named[2] or named[1]
        left = len(named.group())
        while left > 0:
            left -= len(found[end].text)
            end += 1
    found[place:end] = [_Part(f"{_rows(found[place].series, column)} AS {alias}", True)]


def _rows(given: str, column: str) -> str:
    step = given if _commas(given) > 1 else f"{given}, 1"
    return f"(SELECT value AS {column} FROM json_each(pg_series({step})))"  # noqa: S608 - a database in memory, and what its user sent


def _commas(text: str) -> int:
    depth, count = 0, 0
    for word in _WORD.findall(text):
        depth += (word == "(") - (word == ")")
        count += word == "," and depth == 0
    return count
