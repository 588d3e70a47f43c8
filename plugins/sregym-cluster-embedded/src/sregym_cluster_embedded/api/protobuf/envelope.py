"""A generic protobuf decoder, driven by a table of field numbers.

The table (`data/protobuf.json`) gives for each message its fields: `NUMBER: "NAME TYPE"`. Types:
`s` text, `y` bytes, `b` bool, `i` integer, `Q` Quantity, `T` Time, `I` IntOrString, `@m` message,
`^m` message whose fields stand in this one, with `[]` and `{}` before them for lists and maps.
Go's encoder writes the zero values of fields that are no pointers; empty texts are dropped here, the
rest is for `sregym_cluster_embedded.api.decode`.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api import errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAGIC = b"k8s\x00"
_OPTIONS = "DeleteOptions"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIGN = 1 << 63


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    path = files("sregym_cluster_embedded.api").joinpath("data", "protobuf.json")
    loaded: dict[str, Any] = orjson.loads(path.read_bytes())
    return loaded


@lru_cache(maxsize=512)
def _fields(message: str) -> Mapping[int, tuple[str, str]]:
    entries = _table()["messages"][message]
    return {int(number): tuple(text.split(" ")) for number, text in entries.items()}


def decode(body: bytes) -> dict[str, Any]:
    """The object in a request body of `application/vnd.kubernetes.protobuf`.

    Raises:
        errors.ApiError: BadRequest: it is cut off, or of a kind that has no table.
    """
    if not body.startswith(_MAGIC):
        raise errors.bad_request(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    try:
        api_version, kind, raw = _envelope(body[len(_MAGIC) :])
        # Options are of every group: clients send them in the version of what they delete.
        home = "v1" if kind == _OPTIONS else api_version
        message = _table()["kinds"].get(f"{home}/{kind}")
        if message is None:
            raise errors.bad_request(
                f'no kind "{kind}" is registered for version "{api_version}" in scheme'
            )
        return {"apiVersion": api_version, "kind": kind, **_message(raw, message)}
    except (IndexError, UnicodeDecodeError, ValueError, OverflowError):
        raise errors.bad_request("unexpected EOF") from None


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
            assert isinstance(value, bytes)
            result |= _message(value, code[1:])
        elif code.startswith("[]"):
            result.setdefault(name, []).extend(_items(value, code[2:]))
        elif code.startswith("{}"):
            assert isinstance(value, bytes)
            entry = {n: v for n, _, v in _parts(value)}
            key = entry.get(1, b"")
            assert isinstance(key, bytes)
            result.setdefault(name, {})[key.decode()] = _value(entry.get(2, b""), code[2:])
        else:
            decoded = _value(value, code)
            if decoded is not None and decoded != "":
                result[name] = decoded
    return result


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
    if code == "i":
        assert isinstance(value, int)
        return value - 2 * _SIGN if value >= _SIGN else value
    if code == "b":
        return bool(value)
    if not isinstance(value, bytes):
        return value
    if code == "s":
        return value.decode()
    if code == "y":
        return base64.b64encode(value).decode()
    if code == "Q":
        return next(
            (v.decode() for n, _, v in _parts(value) if isinstance(v, bytes) and n == 1), "0"
        )
    if code == "T":
        return _time(value)
    if code == "I":
        found = {n: v for n, _, v in _parts(value)}
        text = found.get(3, b"")
        if found.get(1, 0) == 1 and isinstance(text, bytes):
            return text.decode()
        return _value(found.get(2, 0), "i")
    return _message(value, code[1:])


def _time(value: bytes) -> str | None:
    found = {n: v for n, _, v in _parts(value)}
    seconds = found.get(1)
    if not isinstance(seconds, int):
        return None
    return datetime.fromtimestamp(_value(seconds, "i"), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


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
