"""The values of numbers and texts as Go's source has them."""

from __future__ import annotations

import math
import re

from sregym_regex.go_text import of_bytes

_ESCAPE = re.compile(
    r"\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_LETTERS = {
    **{"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"},
    **{"\\": "\\", '"': '"', "'": "'"},
}
_MOST_BYTE, _MOST = 0xFF, 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)
_LARGEST, _SMALLEST = 2**64 - 1, -(2**63)
_OCTAL = re.compile(r"^([+-]?)0(?=[0-7_])")
_IN_ORDER = re.compile(r"[+-]?(?:0[xXbBoO]_?)?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*")


def unquoted(text: str) -> str:
    """The value of a text between double quotes; bytes that are no characters are lone surrogates.

    Raises:
        ValueError: It stands for none: `invalid syntax`.
    """
    inside = text[1:-1]
    if "\\" not in inside:
        return inside
    whole = bytearray()
    position = 0
    for found in _ESCAPE.finditer(inside):
        whole += inside[position : found.start()].encode(errors="surrogatepass")
        whole += _meant(text[0], *found.groups())
        position = found.end()
    whole += inside[position:].encode(errors="surrogatepass")
    return of_bytes(bytes(whole))


def _meant(quote: str, *groups: str | None) -> bytes:
    """What an escape sequence stands for; its groups are those of the pattern."""
    octal, byte, short, long, letter = groups
    if octal or byte:
        code = int(octal, 8) if octal else int(byte or "", 16)
        if code <= _MOST_BYTE:
            return bytes((code,))
    elif short or long:
        code = int(short or long or "", 16)
        if code <= _MOST and code not in _SURROGATES:
            return chr(code).encode()
    elif letter in _LETTERS and (letter not in "\"'" or letter == quote):
        return _LETTERS[letter].encode()
    raise ValueError("invalid syntax")


def number(text: str) -> int | float:
    """The value of a number.

    Raises:
        ValueError: It has none; the message is Go's.
    """
    plain = _OCTAL.sub(r"\g<1>0o", text)
    if _IN_ORDER.fullmatch(text) and (whole := _whole(plain)) is not None:
        if not _SMALLEST <= whole <= _LARGEST:
            message = f'integer overflow: "{text}"'
            raise ValueError(message)
        return whole
    try:
        hexadecimal = "0x" in text[:3].lower()
        value = float.fromhex(text.replace("_", "")) if hexadecimal else float(text)
    except (ValueError, OverflowError):
        value = math.inf
    if math.isinf(value):
        message = f'illegal number syntax: "{text}"'
        raise ValueError(message)
    return value


def _whole(text: str) -> int | None:
    if len(text) > 80:
        # Longer than any that fits.
        return _LARGEST + 1 if text.lstrip("+-").isdecimal() else None
    try:
        return int(text, 0)
    except ValueError:
        return None
