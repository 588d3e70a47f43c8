"""The dates in a certificate (RFC 5280): read, and replaced in place."""

from __future__ import annotations

from base64 import b64decode, b64encode
from datetime import UTC, datetime
from typing import NamedTuple

from sregym_core.errors import WorldError

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
_VERSION, _UTC_TIME = 0xA0, 0x17
_SHORT, _LONG = "%y%m%d%H%M%SZ", "%Y%m%d%H%M%SZ"
# Before the dates: serial number, algorithm, issuer.
_BEFORE = 3


class _Element(NamedTuple):
    """An element of DER: its tag, where its content begins, and where it ends."""

    tag: int
    begin: int
    end: int


def dates(text: str) -> tuple[datetime, datetime]:
    """From when until when the first certificate of a PEM text is good.

    Raises:
        WorldError: There is none that can be read.
    """
    data = _data(text)
    since, until = (_moment(data, one) for one in _validity(data))
    return since, until


def with_dates(text: str, since: datetime, until: datetime) -> str:
    """The first certificate of a PEM text with other dates.

    Its signature stays, which fits no more: clients that look at signatures before dates say so.

    Raises:
        WorldError: There is none that can be read.
    """
    data = bytearray(_data(text))
    for element, moment in zip(_validity(bytes(data)), (since, until), strict=True):
        form = _SHORT if element.tag == _UTC_TIME else _LONG
        data[element.begin : element.end] = moment.astimezone(UTC).strftime(form).encode()
    coded = b64encode(bytes(data)).decode()
    lines = [coded[at : at + 64] for at in range(0, len(coded), 64)]
    return "\n".join((_BEGIN, *lines, _END, ""))


def _data(text: str) -> bytes:
    _, begin, rest = text.partition(_BEGIN)
    body, end, _ = rest.partition(_END)
    try:
        if begin and end:
            return b64decode("".join(body.split()), validate=True)
    except ValueError:
        pass
    raise WorldError(
        f"a certificate was expected, and this is none in PEM: {text[:40]!r}; the Secret of the "
        "Ingress needs one under tls.crt"
    )


def _validity(data: bytes) -> tuple[_Element, _Element]:
    """The two dates."""
    try:
        body = _inside(data, _inside(data, _element(data, 0))[0])
        place = _BEFORE + (body[0].tag == _VERSION)
        since, until = _inside(data, body[place])
    except (IndexError, ValueError):
        raise WorldError(
            "the certificate in the Secret of the Ingress cannot be read: it is no DER of RFC 5280; "
            "put a whole one under tls.crt"
        ) from None
    return since, until


def _inside(data: bytes, outer: _Element) -> list[_Element]:
    found, at = [], outer.begin
    while at < outer.end:
        found.append(_element(data, at))
        at = found[-1].end
    return found


def _element(data: bytes, at: int) -> _Element:
    length, begin = data[at + 1], at + 2
    if length & 0x80:
        size = length & 0x7F
        length = int.from_bytes(data[begin : begin + size], "big")
        begin += size
    if begin + length > len(data):
        raise ValueError(at)
    return _Element(data[at], begin, begin + length)


def _moment(data: bytes, element: _Element) -> datetime:
    form = _SHORT if element.tag == _UTC_TIME else _LONG
    text = data[element.begin : element.end].decode("ascii")
    return datetime.strptime(text, form).replace(tzinfo=UTC)
