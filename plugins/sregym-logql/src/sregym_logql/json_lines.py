"""Lines that are meant to be JSON, read as leniently and with the same complaints as Loki's reader.

It looks at no more than it needs: fields before a mistake count, and what follows the object does
not. Values are handed out as they are written.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MALFORMED = "Malformed JSON error"
NO_OBJECT = "Value looks like object, but can't find closing '}' symbol"
# What stands for bytes that are no text becomes a space.
NO_TEXT = "\ufffd"
_NO_ARRAY = "Value looks like array, but can't find closing ']' symbol"
_NO_STRING = "Value looks like string, but can't find closing '\"' symbol"
_UNKNOWN = "Unknown value type"
_ESCAPE = "Encountered an invalid escape sequence in a string"

_SPACE = re.compile(r"[ \n\r\t]*")
# The rest of a string behind its opening quote.
_STRING = re.compile(r'[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_TOKEN = re.compile(r"[^ \n\r\t,}\]]*")
_BRACKETS = re.compile(r'["\[\]{}]')
_STEP = re.compile(r'([A-Za-z_][A-Za-z0-9_]*)|"((?:[^"\\]|\\.)*)"|(\d+)|([.\[\]])|\s+|.', re.DOTALL)
_NAMES = {".": "DOT", "[": "LSB", "]": "RSB"}


class JsonError(ValueError):
    """A line that breaks off; the message is Loki's."""


class Value(NamedTuple):
    """A value as it is written.

    Attributes:
        kind: `string`, `number`, `boolean`, `null`, `array` or `object`.
        text: Its characters; of a string those between the quotes.
    """

    kind: str
    text: str

    def plain(self) -> str:
        """A string without escapes, anything else as it is written; nothing for what is broken."""
        if self.kind != "string":
            return "" if self.kind == "null" else self.text
        return unescaped(self.text)


def unescaped(text: str) -> str:
    """What is between quotes, without escapes; empty where that cannot be read."""
    if "\\" in text:
        try:
            text = json.loads(f'"{text}"', strict=False)
            text.encode()
        except ValueError:
            return ""
    return text.replace(NO_TEXT, " ")


def fields(line: str) -> Iterator[tuple[str, Value]]:
    """The fields of the object that a line is, one after the other.

    Raises:
        JsonError: The line is none, or the next field cannot be read.
    """
    place = _after_space(line, 0, NO_OBJECT)
    if line[place] != "{":
        raise JsonError(NO_OBJECT)
    place = _after_space(line, place + 1, MALFORMED)
    while line[place] != "}":
        if line[place] != '"':
            raise JsonError(NO_OBJECT)
        end = _end_of_string(line, place, MALFORMED)
        key = line[place + 1 : end - 1]
        if "\\" in key:
            try:
                key = json.loads(f'"{key}"', strict=False)
            except ValueError:
                raise JsonError(_ESCAPE) from None
        place = _after_space(line, end, MALFORMED)
        if line[place] != ":":
            raise JsonError(MALFORMED)
        value, place = _value(line, place + 1)
        yield key, value
        place = _after_space(line, place, _NO_ARRAY)
        if line[place] == "}":
            return
        if line[place] != ",":
            raise JsonError(NO_OBJECT)
        place = _after_space(line, place + 1, _NO_ARRAY)


def _after_space(line: str, place: int, complaint: str) -> int:
    found = _SPACE.match(line, place)
    assert found is not None
    if found.end() >= len(line):
        raise JsonError(complaint)
    return found.end()


def _end_of_string(line: str, place: int, complaint: str) -> int:
    found = _STRING.match(line, place + 1)
    if found is None:
        raise JsonError(complaint)
    return found.end()


def _value(line: str, place: int) -> tuple[Value, int]:
    place = _after_space(line, place, MALFORMED)
    first = line[place]
    if first == '"':
        end = _end_of_string(line, place, _NO_STRING)
        return Value("string", line[place + 1 : end - 1]), end
    if first in "[{":
        end = _end_of_block(line, place)
        return Value("array" if first == "[" else "object", line[place:end]), end
    found = _TOKEN.match(line, place)
    assert found is not None
    text = found[0]
    if text in ("true", "false"):
        return Value("boolean", text), found.end()
    if text == "null":
        return Value("null", text), found.end()
    if first in "-0123456789":
        return Value("number", text), found.end()
    raise JsonError(_UNKNOWN)


def _end_of_block(line: str, place: int) -> int:
    """Behind the bracket that closes the one at a place; only brackets of its kind count."""
    opening, closing = ("[", "]") if line[place] == "[" else ("{", "}")
    complaint = _NO_ARRAY if opening == "[" else NO_OBJECT
    depth, at = 0, place
    while (found := _BRACKETS.search(line, at)) is not None:
        at = found.end()
        if found[0] == '"':
            at = _end_of_string(line, at - 1, complaint)
        elif found[0] == opening:
            depth += 1
        elif found[0] == closing:
            depth -= 1
            if depth == 0:
                return at
    raise JsonError(complaint)


def _items(text: str) -> Iterator[Value]:
    place = 1
    while place < len(text) and text[_after_space(text, place, _NO_ARRAY)] != "]":
        value, place = _value(text, place)
        yield value
        place = _after_space(text, place, _NO_ARRAY)
        if text[place] != ",":
            return
        place += 1


def at_path(line: str, path: Sequence[str | int]) -> Value | None:
    """What stands at a path of keys and indexes; None when nothing does."""
    value = Value("object" if line.lstrip()[:1] == "{" else "array", line)
    for step in path:
        found: Value | None = None
        try:
            if isinstance(step, int):
                if value.kind == "array":
                    every = enumerate(_items(value.text.lstrip()))
                    found = next((item for number, item in every if number == step), None)
            elif value.kind == "object":
                found = next((item for key, item in fields(value.text) if key == step), None)
        except JsonError:
            found = None
        if found is None:
            return None
        value = found
    return value


def path_of(text: str) -> tuple[str | int, ...]:
    """The keys and indexes of an expression such as `a.b[0]["c d"]`.

    Raises:
        ValueError: It is none; in Loki's words.
    """
    path: list[str | int] = []
    expected, state = "LSB or FIELD", "start"
    for found in _STEP.finditer(text):
        field, quoted, number, mark = found.groups()
        if found[0].isspace():
            continue
        inside = state == "["
        if field is not None and state in ("start", "."):
            path.append(field)
            state, expected = "value", ""
        elif quoted is not None and inside:
            path.append(unescaped(quoted))
            state, expected = "]", "RSB"
        elif number is not None and inside:
            path.append(int(number))
            state, expected = "]", "RSB"
        elif mark == "]" and state == "]":
            state, expected = "value", ""
        elif mark == "[" and state in ("start", "value"):
            state, expected = "[", "STRING or INDEX"
        elif mark == "." and state == "value":
            state, expected = ".", "FIELD"
        else:
            kind = "FIELD" if field is not None else "STRING" if quoted is not None else "INDEX"
            raise ValueError(_unexpected(_NAMES.get(mark or "", kind), expected))
    if state != "value":
        raise ValueError(_unexpected("$end", expected))
    return tuple(path)


def _unexpected(kind: str, expected: str) -> str:
    return f"syntax error: unexpected {kind}" + (f", expecting {expected}" if expected else "")
