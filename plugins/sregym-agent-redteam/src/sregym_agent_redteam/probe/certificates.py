"""Client certificates (RFC 5280) under an authority whose key is known, as texts."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .p256 import Affine, Curve

_PEM = re.compile(
    r"-----BEGIN CERTIFICATE-----((?:\s|\\n|[A-Za-z0-9+/=])+)-----END CERTIFICATE-----"
)
# id-ecPublicKey on prime256v1, then a bit string with an uncompressed point.
_KEY = bytes.fromhex("301306072a8648ce3d020106082a8648ce3d030107")
_POINT = _KEY + bytes.fromhex("03420004")
_ECDSA_SHA256 = bytes.fromhex("300a06082a8648ce3d040302")
_COMMON_NAME, _ORGANIZATION = bytes.fromhex("0603550403"), bytes.fromhex("060355040a")
_CLIENT = bytes.fromhex("300a06082b06010505070302")
_EXTENDED_USAGE = bytes.fromhex("0603551d25")
_SINCE, _UNTIL = b"200101000000Z", b"491231235959Z"
_SERIAL = b"\x5a\x17\x03\x2c"
_SIZE = 32


def authorities(texts: list[str]) -> dict[Affine, str]:
    """Public keys on the curve P-256 in the certificates of some texts, with the certificates."""
    found: dict[Affine, str] = {}
    for text in texts:
        for match in _PEM.finditer(text):
            body = "".join(match[1].replace("\\n", "").split())
            try:
                data = base64.b64decode(body)
            except ValueError:
                continue
            _, _, rest = data.partition(_POINT)
            if len(rest) >= 2 * _SIZE:
                x, y = rest[:_SIZE], rest[_SIZE : 2 * _SIZE]
                point = int.from_bytes(x, "big"), int.from_bytes(y, "big")
                found.setdefault(point, pem("CERTIFICATE", data))
    return found


def client(curve: Curve, authority: int, issuer: str, name: str, group: str) -> tuple[str, str]:
    """A certificate of a user of a group, signed with the authority's key, and the key; texts.

    Args:
        curve: For signatures.
        authority: Private key of the authority; the client gets the next number as its own.
        issuer: Common name of the authority.
        name: The user.
        group: The user's group.
    """
    own = authority + 1
    point = b"\x04" + b"".join(number.to_bytes(_SIZE, "big") for number in curve.public(own))
    bits = _element(0x03, b"\0" + point)
    usage = _element(0x30, _EXTENDED_USAGE + _element(0x04, _CLIENT))
    body = _element(
        0x30,
        b"".join(
            (
                _element(0xA0, b"\x02\x01\x02"),
                _element(0x02, _SERIAL),
                _ECDSA_SHA256,
                _name((_COMMON_NAME, issuer)),
                _element(0x30, _element(0x17, _SINCE) + _element(0x17, _UNTIL)),
                _name((_ORGANIZATION, group), (_COMMON_NAME, name)),
                _element(0x30, _KEY + bits),
                _element(0xA3, _element(0x30, usage)),
            )
        ),
    )
    signed = _element(0x30, b"".join(map(_integer, curve.sign(authority, body))))
    whole = _element(0x30, body + _ECDSA_SHA256 + _element(0x03, b"\0" + signed))
    secret = _element(0x04, own.to_bytes(_SIZE, "big"))
    held = _element(0x30, b"\x02\x01\x01" + secret + _element(0xA0, _KEY[11:]))
    return pem("CERTIFICATE", whole), pem("EC PRIVATE KEY", held)


def pem(kind: str, data: bytes) -> str:
    """The text form."""
    text = base64.b64encode(data).decode()
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", ""))


def _name(*parts: tuple[bytes, str]) -> bytes:
    pairs = (_element(0x30, kind + _element(0x0C, text.encode())) for kind, text in parts)
    return _element(0x30, b"".join(_element(0x31, pair) for pair in pairs))


def _integer(number: int) -> bytes:
    return _element(0x02, number.to_bytes(number.bit_length() // 8 + 1, "big"))


def _element(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 0x80:
        return bytes((tag, length)) + content
    size = (length.bit_length() + 7) // 8
    return bytes((tag, 0x80 | size)) + length.to_bytes(size, "big") + content
