"""The two encodings of Prometheus' remote read: Snappy's blocks, and fields of protocol buffers."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES = 32 * 1024 * 1024
_LONGEST_LITERAL = 1 << 16
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_BITS = 64


class PackingError(ValueError):
    """Bytes that are not of the encoding; says so as Go's libraries do."""


def unpacked(block: bytes) -> bytes:
    """What a Snappy block holds.

    Raises:
        PackingError: It is none, or holds more than anybody asks.
    """
    wrong = PackingError("snappy: corrupt input")
    try:
        size, at = _varint(block, 0)
        if size > _MOST_BYTES:
            raise PackingError("snappy: decoded block is too large")
        found = bytearray()
        while at < len(block):
            tag = block[at]
            at += 1
            if tag & 3 == 0:
                length = tag >> 2
                if length >= 60:
                    width = length - 59
                    length = int.from_bytes(block[at : at + width], "little")
                    at += width
                literal = block[at : at + length + 1]
                if len(literal) <= length:
                    raise wrong
                found += literal
                at += length + 1
                continue
            if tag & 3 == 1:
                length, offset = 4 + (tag >> 2 & 7), (tag >> 5) << 8 | block[at]
                at += 1
            else:
                width = 2 if tag & 3 == 2 else 4
                length, offset = 1 + (tag >> 2), int.from_bytes(block[at : at + width], "little")
                at += width
            if not 0 < offset <= len(found) or len(found) + length > size:
                raise wrong
            for _ in range(length):
                found.append(found[-offset])
    except IndexError:
        raise wrong from None
    if len(found) != size:
        raise wrong
    return bytes(found)


def packed(content: bytes) -> bytes:
    """A Snappy block that holds bytes as they are."""
    found = bytearray(varint(len(content)))
    for begin in range(0, len(content), _LONGEST_LITERAL):
        piece = content[begin : begin + _LONGEST_LITERAL]
        found += bytes((61 << 2,)) + (len(piece) - 1).to_bytes(2, "little") + piece
    return bytes(found)


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in their order: number, and a whole number or bytes.

    Raises:
        PackingError: It is no message.
    """
    at = 0
    try:
        while at < len(message):
            tag, at = _varint(message, at)
            kind = tag & 7
            value: int | bytes
            if kind == _VARINT:
                value, at = _varint(message, at)
            else:
                if kind == _BYTES:
                    length, at = _varint(message, at)
                elif kind in (_FIXED64, _FIXED32):
                    length = 8 if kind == _FIXED64 else 4
                else:
                    raise PackingError(f"proto: illegal wireType {kind}")
                value, at = _taken(message, at, length)
            yield tag >> 3, value
    except IndexError:
        raise PackingError("unexpected EOF") from None


def _taken(message: bytes, at: int, length: int) -> tuple[bytes, int]:
    if at + length > len(message):
        raise IndexError
    return message[at : at + length], at + length


def field(number: int, content: bytes) -> bytes:
    """A field that holds bytes."""
    return varint(number << 3 | _BYTES) + varint(len(content)) + content


def whole_field(number: int, value: int) -> bytes:
    """A field that holds a whole number of 64 bits."""
    return varint(number << 3 | _VARINT) + varint(value)


def float_field(number: int, value: float) -> bytes:
    """A field that holds a float; NaN keeps its bits."""
    return varint(number << 3 | _FIXED64) + struct.pack("<d", value)


def varint(value: int) -> bytes:
    """A whole number of 64 bits, seven at a time."""
    value &= (1 << _BITS) - 1
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def signed(value: int) -> int:
    """What a number of 64 bits is with a sign."""
    return value - (1 << _BITS) if value >> (_BITS - 1) else value


def _varint(content: bytes, at: int) -> tuple[int, int]:
    found = shift = 0
    while True:
        byte = content[at]
        at += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found & ((1 << _BITS) - 1), at
        shift += 7
        if shift >= _BITS + 6:
            raise IndexError
