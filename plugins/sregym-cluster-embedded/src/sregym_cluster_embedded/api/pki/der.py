"""The encoding of certificates (ITU-T X.690): what they need of it, and no more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

INTEGER, BITS, OCTETS, NAME = 0x02, 0x03, 0x04, 0x06
UTF8, IA5 = 0x0C, 0x16
SEQUENCE, SET = 0x30, 0x31


class DerError(ValueError):
    """Bytes that are no DER."""


class Element(NamedTuple):
    """One value with its tag, and where it stood.

    Attributes:
        tag: Its first byte.
        content: Without tag and length.
        whole: With them.
    """

    tag: int
    content: bytes
    whole: bytes


def element(tag: int, content: bytes) -> bytes:
    """A value with tag and length before it."""
    length = len(content)
    if length < 0x80:
        return bytes((tag, length)) + content
    size = (length.bit_length() + 7) // 8
    return bytes((tag, 0x80 | size)) + length.to_bytes(size, "big") + content


def sequence(*parts: bytes) -> bytes:
    """SEQUENCE of encoded parts."""
    return element(SEQUENCE, b"".join(parts))


def integer(number: int) -> bytes:
    """INTEGER that is not negative."""
    return element(INTEGER, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def identifier(dotted: str) -> bytes:
    """OBJECT IDENTIFIER of `1.2.840...`."""
    first, second, *rest = map(int, dotted.split("."))
    content = bytearray((first * 40 + second,))
    for number in rest:
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        content += bytes(reversed(groups))
    return element(NAME, bytes(content))


def bits(content: bytes) -> bytes:
    """BIT STRING of whole bytes."""
    return element(BITS, b"\0" + content)


def octets(content: bytes) -> bytes:
    """OCTET STRING."""
    return element(OCTETS, content)


def moment(unix_s: float) -> bytes:
    """UTCTime, or GeneralizedTime from 2050 on."""
    at = datetime.fromtimestamp(unix_s, UTC)
    if at.year < 2050:
        return element(0x17, at.strftime("%y%m%d%H%M%SZ").encode())
    return element(0x18, at.strftime("%Y%m%d%H%M%SZ").encode())


def elements(data: bytes) -> list[Element]:
    """The values that stand one after the other in `data`.

    Raises:
        DerError: It is cut off, or has lengths without end.
    """
    found = []
    at = 0
    while at < len(data):
        start, length_at = at, at + 1
        if length_at >= len(data):
            raise DerError("a length is missing")
        length, at = data[length_at], length_at + 1
        if length & 0x80:
            size = length & 0x7F
            if not 0 < size <= 4:
                raise DerError("a length is not definite")
            length, at = int.from_bytes(data[at : at + size], "big"), at + size
        if at + length > len(data):
            raise DerError("a value is cut off")
        content, at = data[at : at + length], at + length
        found.append(Element(data[start], content, data[start:at]))
    return found
