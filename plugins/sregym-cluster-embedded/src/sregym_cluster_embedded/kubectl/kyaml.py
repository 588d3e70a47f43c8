"""`-o kyaml`: YAML in braces, with every string quoted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.yaml_text import go_float

_BARE = re.compile(r"[^\W]|[^\W](?:[^\W]|[-./])*[^\W]")
_WORDS = frozenset(["null", "true", "false", "t", "f", "y", "yes", "on", "n", "no", "off"])
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?(?:[pP][-+]?\d+)?|0[bB][01]+|0[oO]?[0-7]+|\d+"
    r"|(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|inf(?:inity)?)|nan",
    re.IGNORECASE,
)
_DATE = re.compile(r"\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?:[Tt ].*)?")
_ESCAPES = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\r": "\\r", "\t": "\t", "\v": "\\v", "\0": "\\0",
    "\x1b": "\\e", "\xa0": "\\_", "\u2028": "\\L", "\u2029": "\\P", '"': '\\"',
    "\\": "\\\\",
}  # fmt: skip

_REFUSED = re.compile("[\x7f-\x9f\ufeff\ufffe\uffff]")
_END = "\\n\\\n"
# Spaces to Python, but not to Go.
_NO_SPACE = "\x1c\x1d\x1e\x1f"


def kyaml_text(value: Any) -> str:
    """A document with its head, the fields in the order in which they stand."""
    return f"---\n{_value(value, '')}\n"


def _value(value: Any, indent: str) -> str:
    if isinstance(value, str):
        return _quoted(value, indent + "  ")
    if isinstance(value, dict):
        return _mapping(value, indent)
    if isinstance(value, list):
        return _sequence(value, indent)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return go_float(value) if isinstance(value, float) else str(value)


def _mapping(value: dict[str, Any], indent: str) -> str:
    if not value:
        return "{}"
    inner = indent + "  "
    lines = [f"{inner}{_key(key)}: {_value(entry, inner)},\n" for key, entry in value.items()]
    return "{\n" + "".join(lines) + indent + "}"


def _sequence(value: list[Any], indent: str) -> str:
    if not value:
        return "[]"
    if all(isinstance(entry, dict | list) for entry in value):
        return f"[{', '.join(_value(entry, indent) for entry in value)}]"
    inner = indent + "  "
    lines = [f"{inner}{_value(entry, inner)},\n" for entry in value]
    return "[\n" + "".join(lines) + indent + "]"


@lru_cache(maxsize=4096)
def _key(text: str) -> str:
    bare = _BARE.fullmatch(text) is not None and not _reads_as_other(text)
    return text if bare else f'"{_escaped(text, chr(92) + "n")}"'


def _reads_as_other(text: str) -> bool:
    """Whether YAML might take the text for something else than a string."""
    if text.lower() in _WORDS or _DATE.fullmatch(text):
        return True
    return _NUMBER.fullmatch(text.replace("_", "")) is not None


def _quoted(text: str, indent: str) -> str:
    """A string; one of several lines is folded, a line to each."""
    if "\n" not in text:
        return f'"{_escaped(text)}"'
    pieces = ['"\\\n']
    for line in text.split("\n"):
        lead = "\\" if line[:1].isspace() and line[0] not in _NO_SPACE else " "
        pieces.append(f"{indent}{lead}{_escaped(line)}\\n\\\n")
    # What follows the last newline stands on a line of its own, without one behind it.
    last = pieces.pop()
    if not text.endswith("\n"):
        pieces.append(f"{last.removesuffix(_END)}\\\n")
    return "".join(pieces) + f'{indent}"'


def _escaped(text: str, newline: str = "") -> str:
    if _REFUSED.search(text):
        # The binary reads what it has written as JSON, and takes these for something else.
        raise NotCovered("letters that YAML does not know")
    if text.isprintable() and '"' not in text and "\\" not in text:
        return text
    return "".join(_letter(char, newline) for char in text)


def _letter(char: str, newline: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char == "\n":
        return newline
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x20 or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
