"""Texts as Go has them: bytes that need not be UTF-8.

A byte that belongs to no character stands in a text as the lone surrogate that Python makes of it
(`surrogateescape`). Such a text never leaves a query: `readable` is what can be shown.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BROKEN = re.compile("[\ud800-\udfff]")
_SHORT: Mapping[str, str] = MappingProxyType(
    {
        **{"\\": "\\\\", '"': '\\"', "\a": "\\a", "\b": "\\b", "\f": "\\f"},
        **{"\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"},
    }
)
_BYTES_FROM, _BYTES_TO = 0xDC80, 0xDCFF
_LAST_SHORT = 0xFFFF


def of_bytes(data: bytes) -> str:
    """A text of bytes."""
    return data.decode(errors="surrogateescape")


def readable(text: str) -> str:
    """A text with the sign for what is no character in place of each byte that belongs to none."""
    if BROKEN.search(text) is None:
        return text
    return text.encode(errors="surrogateescape").decode(errors="replace")


def quoted(text: str) -> str:
    """A text as `%q` writes it."""
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(letter: str) -> str:
    short = _SHORT.get(letter)
    if short is not None:
        return short
    if letter.isprintable():
        return letter
    code = ord(letter)
    if _BYTES_FROM <= code <= _BYTES_TO:
        return f"\\x{code & 0xFF:02x}"
    if code < ord(" ") or code == 0x7F:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _LAST_SHORT else f"\\U{code:08x}"
