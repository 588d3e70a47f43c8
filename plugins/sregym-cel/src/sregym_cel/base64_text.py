"""Base64 as Go's decoder takes it, and what that says of a text that is none."""

from __future__ import annotations

import base64

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_STANDARD = frozenset(_LETTERS + b"+/")
_URL = frozenset(_LETTERS + b"-_")
_BREAKS = b"\r\n"
_PAD = ord("=")


class Base64Error(ValueError):
    """A text that is no base64; the message is the decoder's."""


def decode(text: str, *, url: bool = False) -> bytes:
    """The bytes that a text stands for.

    Args:
        text: In the standard alphabet with padding; line breaks do not count.
        url: Whether it is in the alphabet for addresses, without padding.

    Raises:
        Base64Error: It cannot be decoded: `illegal base64 data at input byte 4`.
    """
    raw = text.encode(errors="surrogatepass")
    alphabet = _URL if url else _STANDARD
    digits = bytearray()
    place, padded = 0, False
    while place < len(raw):
        byte = raw[place]
        if byte in alphabet:
            digits.append(byte)
        elif byte == _PAD and not url:
            place = _behind_padding(raw, place, len(digits) % 4)
            padded = True
            break
        elif byte not in _BREAKS:
            raise _illegal(place)
        place += 1
    loose = len(digits) % 4
    if (loose == 1) if url else (loose and not padded):
        # Where the last group of four begins, line breaks in it not counted.
        raise _illegal(len(raw) - loose)
    digits += b"=" * (-len(digits) % 4)
    return base64.b64decode(bytes(digits), b"-_" if url else None)


def _behind_padding(raw: bytes, place: int, loose: int) -> int:
    """The end of the text whose padding begins at `place`, behind `loose` digits of a group."""
    if loose < 2:
        raise _illegal(place)
    place += 1
    if loose == 2:
        place = _skipped(raw, place)
        if place == len(raw):
            raise _illegal(place)
        if raw[place] != _PAD:
            raise _illegal(place - 1)
        place += 1
    place = _skipped(raw, place)
    if place < len(raw):
        raise _illegal(place)
    return place


def _skipped(raw: bytes, place: int) -> int:
    while place < len(raw) and raw[place] in _BREAKS:
        place += 1
    return place


def _illegal(place: int) -> Base64Error:
    return Base64Error(f"illegal base64 data at input byte {place}")
