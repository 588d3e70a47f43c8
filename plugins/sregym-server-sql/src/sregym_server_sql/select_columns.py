"""Columns of the result of a SELECT: the names that servers give them, and their types."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBERS = frozenset(
    {"int", "integer", "int2", "int4", "int8", "bigint", "smallint", "serial", "bigserial", "real"}
    | {"numeric", "decimal", "double", "float", "float4", "float8", "oid", "tinyint", "mediumint"}
)
_COUNTS = {"count": "bigint", "length": "integer", "pg_backend_pid": "integer", "cardinality": "integer",
           "inet_server_port": "integer", "pg_database_size": "bigint", "row_number": "bigint",
           "pg_relation_size": "bigint", "pg_total_relation_size": "bigint", "generate_series": "integer",
           "extract": "numeric", "char_length": "integer"}  # fmt: skip
_TRUTHS = (
    "exists",
    "pg_terminate_backend",
    "pg_cancel_backend",
    "pg_reload_conf",
    "pg_is_in_recovery",
    "pg_is_wal_replay_paused",
    "pg_promote",
)
_WORDS = re.compile(r"\b(?:is|like|ilike|between|in|and|or|similar)\b|[=<>!~]", re.I)
_TYPE = (
    r"(?:timestamp\s+with(?:out)?\s+time\s+zone|double\s+precision|character\s+varying|\w+)"
    r"(?:\(\d+(?:,\s*\d+)?\))?"
)
_LONG_TYPE = re.compile(r"::\s*(?:timestamp\s+with(?:out)?\s+time\s+zone|double\s+precision|character\s+varying)$", re.I)  # fmt: skip
_TIMES = ("date", "time", "timestamp", "timestamptz", "interval")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`")


class Item(NamedTuple):
    """One item of a list.

    Attributes:
        text: The expression.
        alias: The name that it is given; empty when it has none.
    """

    text: str
    alias: str

    @property
    def function(self) -> str:
        """The function that it calls, lower case; empty when it is no call."""
        found = re.fullmatch(r"(?:\w+\.)?(\w+)\s*\(.*\)", self.text, re.S)
        whole = found is not None and _closes_last(self.text)
        return found.group(1).lower() if found is not None and whole else ""

    @property
    def column(self) -> str:
        """The column that it names, without its table; empty when it is more than that."""
        found = re.fullmatch(r"(?:[\w\"`]+\.)*([\w\"`]+)", self.text)
        bare = found.group(1).strip('"`') if found is not None else ""
        return "" if bare[:1].isdigit() else bare

    @property
    def cast(self) -> str:
        """The type that it is cast to; empty when it is not."""
        return self._parted[1]

    @property
    def bare(self) -> str:
        """What is cast; the whole text when nothing is."""
        return self._parted[0]

    @property
    def _parted(self) -> tuple[str, str]:
        whole = re.fullmatch(rf"cast\s*\((.*\S)\s+as\s+({_TYPE})\s*\)", self.text, re.I | re.S)
        typed = re.fullmatch(rf"({_TYPE})\s*('(?:[^']|'')*')", self.text, re.I)
        found = re.fullmatch(rf"(.*?)\s*::\s*({_TYPE})", self.text, re.I | re.S)
        if whole is not None and _closes_last(self.text):
            return whole[1], _plain_type(whole[2])
        if typed is not None and _plain_type(typed[1]) in _TIMES:
            return typed[2], _plain_type(typed[1])
        while found is not None:
            bare, kind = found[1], found[2]
            inner = re.sub(rf"(\s*::\s*{_TYPE})+$", "", bare, flags=re.I)
            if re.fullmatch(r"'(?:[^']|'')*'|[\w.\"`]+", inner) or _is_call(inner):
                return bare, _plain_type(kind)
            break
        return self.text, ""


def _plain_type(text: str) -> str:
    return " ".join(re.sub(r"\(.*", "", text).lower().split())


def _is_call(text: str) -> bool:
    return re.match(r"[\w.]*\s*\(", text) is not None and _closes_last(text)


def items_of(statement: str) -> list[Item]:
    """What stands between SELECT and FROM, one by one; nothing for other statements."""
    bare = re.sub(r"^\s*with\b.*?\)\s*(?=select\b)", "", statement, flags=re.I | re.S)
    found = re.match(r"\s*select\s+(?:distinct\s+(?:on\s*\([^)]*\)\s*)?)?", bare, re.I)
    if found is None:
        return []
    parts, depth, present = [], 0, ""
    for word in re.findall(
        r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\w+|\s+|.", bare[found.end() :], re.S
    ):
        lower = word.lower()
        if depth == 0 and lower in ("from", "where", "order", "limit", "group", "union"):
            break
        depth += (word == "(") - (word == ")")
        if depth == 0 and word == ",":
            parts.append(present)
            present = ""
        else:
            present += word
    parts.append(present)
    return [_item(part.strip()) for part in parts if part.strip()]


def _item(text: str) -> Item:
    found = re.fullmatch(r"(.*\S)\s+as\s+([\w\"`]+)", text, re.I | re.S)
    if found is None:
        found = re.fullmatch(
            r"(.*[\w\"')\]])\s+(?!end\b|is\b|null\b|not\b)([a-z_]\w*)", text, re.I | re.S
        )
        if found is not None and (_WORDS.search(found.group(2)) or _LONG_TYPE.search(text)):
            found = None
    if found is None:
        return Item(text, "")
    return Item(found.group(1).strip(), found.group(2).strip('"`'))


def _closes_last(text: str) -> bool:
    depth = 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char == ")":
            return place == len(text) - 1
    return False


def _truth(text: str) -> bool:
    outside, depth = "", 0
    for char in _QUOTED.sub("''", text):
        depth += (char == "(") - (char == ")")
        outside += char if depth == 0 else ""
    bare = outside.strip().lower()
    if bare.startswith("case"):
        return False
    bare = bare.replace("->", "").replace("::", "")
    return bare in ("true", "false") or bare.startswith("not ") or bool(_WORDS.search(bare))


def type_of(item: Item, columns: dict[str, str]) -> str:
    """The type of what an item gives, lower case; empty when nothing tells it.

    Args:
        item: The item.
        columns: Type of each column of the tables that the statement names.
    """
    if item.cast:
        return item.cast
    name = item.column.lower()
    if name in ("true", "false"):
        return "boolean"
    if name:
        return columns.get(name, "")
    function = item.function
    if function in _TRUTHS:
        return "boolean"
    if function in _COUNTS:
        return _COUNTS[function]
    if function in ("sum", "avg", "min", "max", "coalesce", "abs", "nullif", "greatest", "least"):
        inner = item.text.partition("(")[2].rpartition(")")[0].split(",")[0].strip()
        known = type_of(Item(inner, ""), columns)
        if function == "sum" and known in ("integer", "int", "int4"):
            return "bigint"
        if function == "avg" and not known.startswith(("real", "double", "float")):
            return "numeric"
        return known
    if not function and _truth(item.text):
        return "boolean"
    return ""


def is_number(kind: str) -> bool:
    """Whether values of a type stand at the right."""
    return kind.split("(", maxsplit=1)[0].split(" ", maxsplit=1)[0].lower() in _NUMBERS


# Types whose names differ in the catalogue, after which columns are called.
_ALIKE = {
    "integer": "int4", "int": "int4", "bigint": "int8", "smallint": "int2", "boolean": "bool",
    "timestamp with time zone": "timestamptz", "timestamp without time zone": "timestamp",
    "character varying": "varchar", "char": "bpchar", "decimal": "numeric", "real": "float4",
    "double precision": "float8", "float": "float8",
}  # fmt: skip


def name_of(item: Item) -> str:
    """What PostgreSQL calls a column."""
    if item.alias:
        return item.alias
    if item.cast:
        found = name_of(Item(item.bare, ""))
        own = Item(item.bare, "").cast
        known = found not in ("?column?", "case", "bool") and not own
        return found if known else _ALIKE.get(item.cast, item.cast)
    bare = re.sub(r"\)\s*(?:filter|over)\s*(?:\(.*\)|\w+)$", ")", item.text, flags=re.I | re.S)
    while (
        bare.startswith("(") and _closes_last(bare) and not re.match(r"\(\s*select\b", bare, re.I)
    ):
        bare = bare[1:-1].strip()
    if bare != item.text:
        return name_of(Item(bare, ""))
    if bare.startswith("(") and _closes_last(bare):
        chosen = items_of(bare[1:-1])
        return name_of(chosen[0]) if chosen else "?column?"
    plain = Item(bare, "")
    if plain.column.lower() in ("true", "false"):
        return "bool"
    if plain.column:
        return "?column?" if plain.column.lower() == "null" else plain.column
    if plain.function:
        return plain.function
    if bare.lower().startswith("case"):
        return "case"
    return "?column?"
