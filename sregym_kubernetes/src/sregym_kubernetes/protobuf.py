"""Bodies in protobuf, as typed clients send them: a generic decoder, driven by a table of field numbers.

The table (`data/protobuf.json.gz`) gives for each message its fields: `NUMBER: "NAME TYPE"`. Types:
`s` text, `y` bytes, `b` bool, `i` integer, `d` number, `Q` Quantity, `T` Time, `M` MicroTime,
`I` IntOrString, `R` a value written as JSON, `E` a list of texts, `A@m`, `P@m` and `B@m` a
message or a list of such, of texts, or a truth value; `@m` message, `^m` message whose fields stand in this one,
with `[]` and `{}` before them for lists and maps. Go's encoder writes the zero values of fields that
are no pointers: to leave them out is for whoever reads on.
"""

from __future__ import annotations

import base64
import gzip
import struct
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAGIC = b"k8s\x00"
_SCHEMA = "extensions.JSONSchemaProps"
_OPTIONS = "DeleteOptions"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIGN = 1 << 63
# Whole numbers below this are whole in JSON, too.
_EXACT = 1 << 53
_SCHEME = "pkg/api/legacyscheme/scheme.go:30"


class ProtobufError(ValueError):
    """A body that cannot be read; the words are those of an API server."""


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    path = files("sregym_kubernetes").joinpath("data", "protobuf.json.gz")
    loaded: dict[str, Any] = orjson.loads(gzip.decompress(path.read_bytes()))
    return loaded


@lru_cache(maxsize=512)
def _fields(message: str) -> Mapping[int, tuple[str, str]]:
    entries = _table()["messages"][message]
    return {int(number): tuple(text.split(" ")) for number, text in entries.items()}


def decode(body: bytes) -> dict[str, Any]:
    """The object in a request body of `application/vnd.kubernetes.protobuf`.

    Raises:
        ProtobufError: It is cut off, or of a kind that has no table.
    """
    if not body.startswith(_MAGIC):
        raise ProtobufError(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    try:
        api_version, kind, raw = _envelope(body[len(_MAGIC) :])
        # Options are of every group: clients send them in the version of what they delete.
        home = "v1" if kind == _OPTIONS else api_version
        message = _table()["kinds"].get(f"{home}/{kind}")
        content = None if message is None else _message(raw, message)
    except (IndexError, ValueError, OverflowError, RecursionError, struct.error):
        raise ProtobufError("unexpected EOF") from None
    if content is None:
        raise ProtobufError(
            f'no kind "{kind}" is registered for version "{api_version}" in scheme "{_SCHEME}"'
        )
    return {"apiVersion": api_version, "kind": kind, **content}


def knows(kind: str) -> bool:
    """Whether bodies of a kind, as in `apps/v1/Deployment`, can be decoded."""
    return kind in _table()["kinds"]


def _envelope(data: bytes) -> tuple[str, str, bytes]:
    api_version = kind = ""
    raw = b""
    for number, _, value in _parts(data):
        if number == 1 and isinstance(value, bytes):
            texts = {n: v.decode() for n, _, v in _parts(value) if isinstance(v, bytes)}
            api_version, kind = texts.get(1, ""), texts.get(2, "")
        elif number == 2 and isinstance(value, bytes):
            raw = value
    return api_version, kind, raw


def _message(data: bytes, message: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    fields = _fields(message)
    for number, _, value in _parts(data):
        known = fields.get(number)
        if known is None:
            continue
        name, code = known
        if code.startswith("^"):
            result |= _message(_binary(value), code[1:])
        elif code.startswith("[]"):
            result.setdefault(name, []).extend(_items(value, code[2:]))
        elif code.startswith("{}"):
            entry = {n: v for n, _, v in _parts(_binary(value))}
            key = _binary(entry.get(1, b"")).decode()
            result.setdefault(name, {})[key] = _value(entry.get(2, b""), code[2:])
        else:
            decoded = _value(value, code)
            # Nobody looks again at schemas below the first of a definition.
            if decoded is not None and (decoded or message != _SCHEMA or code not in "sb"):
                result[name] = decoded
    return result


def _binary(value: int | bytes) -> bytes:
    if isinstance(value, bytes):
        return value
    raise ValueError(value)


def _items(value: int | bytes, code: str) -> list[Any]:
    if code in ("i", "b") and isinstance(value, bytes):
        # Numbers in a list may come packed.
        numbers: list[Any] = []
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            numbers.append(_value(number, code))
        return numbers
    return [_value(value, code)]


def _value(value: int | bytes, code: str) -> Any:
    if code in ("i", "b"):
        if not isinstance(value, int):
            raise ValueError(value)
        if code == "b":
            return bool(value)
        return value - 2 * _SIGN if value >= _SIGN else value
    value = _binary(value)
    if code == "d":
        (number,) = struct.unpack("<d", value)
        return int(number) if number.is_integer() and abs(number) < _EXACT else number
    if code == "s":
        return value.decode()
    if code == "y":
        return base64.b64encode(value).decode()
    if code[0] in "@^":
        return _message(value, code[1:])
    return _special(value, code)


def _special(value: bytes, code: str) -> Any:
    """What is a message on the wire and something else in JSON."""
    if code == "E":
        return [v.decode() for _, _, v in _parts(value) if isinstance(v, bytes)]
    found = {n: v for n, _, v in _parts(value)}
    first = found.get(1)
    if code == "Q":
        return first.decode() if isinstance(first, bytes) else "0"
    if code == "R":
        return orjson.loads(first) if isinstance(first, bytes) and first else None
    if code == "I":
        text = found.get(3, b"")
        if first == 1 and isinstance(text, bytes):
            return text.decode()
        return _value(found.get(2, 0), "i")
    if code in ("T", "M"):
        return _time(found, code) if isinstance(first, int) else None
    if code[0] == "B":
        second = found.get(2)
        return _value(second, code[1:]) if second is not None else bool(first)
    if first is not None:
        return _value(first, code[1:])
    # The other of the two is a list, of messages or of texts.
    form = "s" if code[0] == "P" else code[1:]
    return [_value(v, form) for n, _, v in _parts(value) if n == 2]


def _time(found: Mapping[int, int | bytes], code: str) -> str:
    seconds, nanos = _value(found[1], "i"), found.get(2, 0)
    moment = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    if code == "T" or not isinstance(nanos, int):
        return f"{moment}Z"
    return f"{moment}.{nanos // 1000:06}Z"


def _parts(data: bytes) -> Iterator[tuple[int, int, int | bytes]]:
    """The fields of a message: number, wire type, value."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _varint(data, at)
            yield number, wire, value
            continue
        if wire == _BYTES:
            size, at = _varint(data, at)
        elif wire in (_FIXED64, _FIXED32):
            size = 8 if wire == _FIXED64 else 4
        else:
            raise ValueError(wire)
        if at + size > len(data):
            raise IndexError(at)
        yield number, wire, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError(shift)
