"""YAML and JSON to the byte as Go's encoders write them for kubectl.

Mappings are sorted by go-yaml's natural order, sequences are not indented below their key, strings
are plain where they can be, quoted where they would read as something else, literal blocks where
they have several lines. A string that runs beyond column 80 is folded at its next space.
"""

from __future__ import annotations

import json
import re
from functools import cmp_to_key, lru_cache
from typing import Any

import orjson

_WORDS = frozenset(
    [
        "y",
        "Y",
        "yes",
        "Yes",
        "YES",
        "n",
        "N",
        "no",
        "No",
        "NO",
        "true",
        "True",
        "TRUE",
        "false",
        "False",
        "FALSE",
        "on",
        "On",
        "ON",
        "off",
        "Off",
        "OFF",
        "null",
        "Null",
        "NULL",
        "~",
        ".nan",
        ".NaN",
        ".NAN",
        ".inf",
        ".Inf",
        ".INF",
        "+.inf",
        "+.Inf",
        "+.INF",
        "-.inf",
        "-.Inf",
        "-.INF",
        "<<",
    ]
)
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0"
    r"|(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_TIMESTAMP = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}"
    r"(?:(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d{2}:\d{2}))"
    r"|(?: \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?))?"
)
_WIDTH = 80
_SIMPLE = re.compile(r"[A-Za-z/_][A-Za-z0-9/_.\-]*")
_FIRST = frozenset("#,[]{}&*!|>'\"%@`")
_SPECIAL = re.compile("[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]")
_ESCAPES = {
    "\0": "\\0", "\a": "\\a", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\v": "\\v", "\f": "\\f",
    "\r": "\\r", "\x1b": "\\e", '"': '\\"', "\\": "\\\\", "\x85": "\\N",
    "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip


def yaml_text(value: Any) -> str:
    """A document, with a newline at its end."""
    lines: list[str] = []
    if isinstance(value, dict) and value:
        _mapping(value, "", "", lines)
    elif isinstance(value, list) and value:
        _sequence(value, "", lines)
    else:
        lines.append(_scalar(value, "", 0))
    return "\n".join(lines) + "\n"


def json_text(value: Any, in_order: bool = True) -> str:
    """Indented by four, sorted, with HTML's characters escaped; a newline at its end.

    With `in_order` false the keys stand as they come.
    """
    sort = orjson.OPT_SORT_KEYS if in_order else 0
    by_two = orjson.dumps(value, option=orjson.OPT_INDENT_2 | sort).decode()
    # Strings hold no raw newlines: what stands at the beginning of a line is indentation.
    return _escape_html("\n".join(map(_indented_twice, by_two.split("\n")))) + "\n"


@lru_cache(maxsize=8192)
def _indented_twice(line: str) -> str:
    """Lists of objects consist of few different lines."""
    return line[: len(line) - len(line.lstrip(" "))] + line


def compact_json(value: Any, in_order: bool = True) -> str:
    """On one line, as Go's `json.Marshal` writes a map; with its keys as they come, if asked."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=in_order, ensure_ascii=False)
    return _escape_html(text)


def _escape_html(text: str) -> str:
    if "<" in text or ">" in text or "&" in text:
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _mapping(value: dict[str, Any], first: str, indent: str, lines: list[str]) -> None:
    """Append the lines of a mapping; `first` stands before its first key instead of `indent`."""
    lead = first
    for key, shown in _keys(tuple(value)):
        entry = value[key]
        head = lead + shown
        lead = indent
        if type(entry) is str and "\n" not in entry:
            line = f"{head} {_string(entry)}"
            if len(line) <= _WIDTH:
                lines.append(line)
                continue
        if isinstance(entry, dict) and entry:
            lines.append(head)
            _mapping(entry, indent + "  ", indent + "  ", lines)
        elif isinstance(entry, list) and entry:
            lines.append(head)
            _sequence(entry, indent, lines)
        else:
            lines.append(f"{head} {_scalar(entry, indent + '  ', len(head) + 1)}")


def _sequence(value: list[Any], indent: str, lines: list[str]) -> None:
    _nested_sequence(value, indent + "- ", indent, lines)


def _nested_sequence(value: list[Any], first: str, indent: str, lines: list[str]) -> None:
    lead = first
    for entry in value:
        if isinstance(entry, dict) and entry:
            _mapping(entry, lead, indent + "  ", lines)
        elif isinstance(entry, list) and entry:
            _nested_sequence(entry, lead + "- ", indent + "  ", lines)
        else:
            lines.append(lead + _scalar(entry, indent + "  ", len(lead)))
        lead = indent + "- "


def _scalar(value: Any, indent: str, column: int) -> str:
    if isinstance(value, str):
        if "\n" in value and _block_allowed(value):
            return _literal(value, indent)
        text = _string(value)
        return text if len(text) + column <= _WIDTH else _folded(text, value, indent, column)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, dict):
        return "{}"
    return "[]" if isinstance(value, list) else str(value)


@lru_cache(maxsize=4096)
def _folded(text: str, value: str, indent: str, column: int) -> str:
    """A string that is too long for its line, broken at the first single space behind the edge."""
    quote = text[0] if text != value else ""
    body = text[1:-1] if quote else text
    pieces = [quote]
    begun, column = 0, column + len(quote)
    at = body.find(" ", max(0, _WIDTH - column + 1))
    while at >= 0:
        doubled = body[at + 1 : at + 2] == " "
        inside = not quote or 0 < at < len(body) - 1
        if inside and body[at - 1 : at] != " " and (quote == '"' or not doubled):
            pieces += [body[begun:at], "\n", indent, "\\" if doubled else ""]
            begun = at + 1
            room = _WIDTH - len(indent) - doubled
            at = body.find(" ", begun + max(0, room + 1))
        else:
            at = body.find(" ", at + 1)
    return "".join(pieces) + body[begun:] + quote


def go_float(value: float) -> str:
    """A float as Go prints it with %v."""
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    return re.sub(r"e([-+])(\d)$", r"e\g<1>0\2", repr(value))


@lru_cache(maxsize=4096)
def _keys(keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The keys of a mapping in order, each with its text; objects of a kind have the same ones."""
    return tuple((key, f"{_string(key)}:") for key in _sorted_keys(keys))


@lru_cache(maxsize=8192)
def _string(text: str) -> str:
    if _SIMPLE.fullmatch(text) and text not in _WORDS:
        return text
    if _reads_as_other(text) or "\n" in text:
        return _double(text)
    if _plain_allowed(text):
        return text
    if _SPECIAL.search(text):
        return _double(text)
    return "'" + text.replace("'", "''") + "'"


def _reads_as_other(text: str) -> bool:
    if not text or text in _WORDS:
        return True
    if text[0] in "+-.0123456789":
        bare = text.replace("_", "")
        return bool(
            _NUMBER.fullmatch(bare) or _BASE_60.fullmatch(text) or _TIMESTAMP.fullmatch(text)
        )
    return False


def _plain_allowed(text: str) -> bool:
    if text[0] in _FIRST or text[0] == " " or text[-1] in " :":
        return False
    if text.startswith(("---", "...")):
        return False
    if text[0] in "-?:" and text[1:2] in ("", " ", "\t"):
        return False
    if ": " in text or " #" in text or ":\t" in text or "\t#" in text:
        return False
    return not _SPECIAL.search(text)


def _block_allowed(text: str) -> bool:
    return not (" \n" in text or text[-1] == " " or _SPECIAL.search(text))


def _literal(text: str, indent: str) -> str:
    hint = "2" if text[0] in " \n" else ""
    if not text.endswith("\n"):
        chomp = "-"
    elif text == "\n" or text.endswith("\n\n"):
        chomp = "+"
    else:
        chomp = ""
    lines = text.removesuffix("\n").split("\n")
    body = "".join(f"\n{indent}{line}" if line else "\n" for line in lines)
    return f"|{hint}{chomp}{body}"


def _double(text: str) -> str:
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if not _SPECIAL.match(char):
        return char
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


def _sorted_keys(value: tuple[str, ...]) -> list[str]:
    keys = sorted(value)
    if all(map(str.isalpha, keys)):
        return keys
    return sorted(keys, key=cmp_to_key(_natural_order))


def _natural_order(left: str, right: str) -> int:
    """go-yaml's order of keys: letters after other characters, runs of digits by value."""
    for at, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b:
            continue
        if a.isalpha() and b.isalpha():
            return -1 if a < b else 1
        if a.isalpha() or b.isalpha():
            return -1 if b.isalpha() else 1
        return _digits_order(left, right, at)
    return len(left) - len(right)


def _digits_order(left: str, right: str, at: int) -> int:
    base = 0
    if "0" in (left[at], right[at]):
        before = re.search(r"\d*$", left[:at])
        base = 1 if before and before.group().strip("0") else 0
    a_digits, b_digits = (_leading_digits(text[at:]) for text in (left, right))
    a_value, b_value = (int(str(base) + digits) for digits in (a_digits, b_digits))
    if a_value != b_value:
        return -1 if a_value < b_value else 1
    if len(a_digits) != len(b_digits):
        return len(a_digits) - len(b_digits)
    return -1 if left[at] < right[at] else 1


def _leading_digits(text: str) -> str:
    found = re.match(r"\d*", text)
    return found.group() if found else ""
