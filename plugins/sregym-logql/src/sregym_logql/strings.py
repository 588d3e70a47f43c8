"""Strings of queries and templates: from what is written to what is meant."""

from __future__ import annotations

import re

from sregym_regex.go_text import of_bytes

_ESCAPE = re.compile(
    r"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_GOOD = re.compile(
    r'(?:[^\\]|\\(?:[abfnrtv\\"]|[0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}))*'
)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_MOST_BYTE, _MOST = 0xFF, 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def well_escaped(inside: str) -> bool:
    """Whether the escape sequences between double quotes have the form of some."""
    return _GOOD.fullmatch(inside) is not None


def is_meant(inside: str) -> bool:
    """Whether sequences of a good form stand for characters, or for bytes."""
    for found in _ESCAPE.finditer(inside):
        octal, _, short, long, _ = found.groups()
        if octal and int(octal, 8) > _MOST_BYTE:
            return False
        code = int(short or long or "0", 16)
        if code > _MOST or code in _SURROGATES:
            return False
    return True


def unquoted(text: str) -> str:
    """The value of a string as written; bytes that are no characters stand as lone surrogates."""
    inside = text[1:-1]
    if text.startswith("`") or "\\" not in inside:
        return inside
    whole = bytearray()
    position = 0
    for found in _ESCAPE.finditer(inside):
        whole += inside[position : found.start()].encode()
        octal, byte, short, long, letter = found.groups()
        if octal or byte:
            whole.append(int(octal, 8) if octal else int(byte, 16))
        elif short or long:
            whole += chr(int(short or long, 16)).encode()
        else:
            whole += _LETTERS.get(letter, letter).encode()
        position = found.end()
    whole += inside[position:].encode()
    return of_bytes(bytes(whole))
