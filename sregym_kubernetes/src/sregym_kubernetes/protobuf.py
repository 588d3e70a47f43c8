"""Bodies in protobuf, as typed clients send them: a generic decoder, driven by a table of field numbers.

The table (`data/protobuf.json.gz`) gives for each message its fields: `NUMBER: "NAME TYPE"`. Types:
`s` text, `y` bytes, `b` bool, `i` integer, `d` number, `Q` Quantity, `T` Time, `M` MicroTime,
`I` IntOrString, `R` a value written as JSON, `E` a list of texts, `A@m`, `P@m` and `B@m` a
message or a list of such, of texts, or a truth value; `@m` message, `^m` message whose fields stand in this one,
with `[]` and `{}` before them for lists and maps. Go's encoder writes the zero values of fields that
are no pointers: to leave them out is for the caller.

What is odd is read as the decoder of the API server reads it, so that no client can show one object to a
policy and another to the server: a message that comes in parts is put together, numbers have 64 bits.
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

PROTOBUF = "application/vnd.kubernetes.protobuf"
MAGIC = b"k8s\x00"
_SCHEMA = "extensions.JSONSchemaProps"
_OPTIONS = "DeleteOptions"
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIGN = 1 << 63
# Whole numbers below this are whole in JSON, too.
_EXACT = 1 << 53
_SCHEME = "pkg/api/legacyscheme/scheme.go:30"
# Of the envelope: what it is and how it is written.
_ENVELOPE = (1, 2, 3, 4)
# Schemas of custom resources are the one message that stands in itself.
_DEEPEST = 200
# The largest body that an API server takes has fewer.
_MOST_FIELDS = 500_000

# A value on the wire: a number, or bytes that are not copied.
_Wire = int | memoryview


class ProtobufError(ValueError):
    """A body that cannot be read; the words are those of an API server where it has some."""


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    path = files("sregym_kubernetes").joinpath("data", "protobuf.json.gz")
    loaded: dict[str, Any] = orjson.loads(gzip.decompress(path.read_bytes()))
    return loaded


@lru_cache(maxsize=512)
def _fields(message: str) -> Mapping[int, tuple[str, str]]:
    entries = _table()["messages"][message]
    return {int(number): tuple(text.split(" ")) for number, text in entries.items()}


def can_decode(kind: str) -> bool:
    """Whether bodies of a kind, as in `apps/v1/Deployment`, can be decoded."""
    return kind in _table()["kinds"]


def decode(body: bytes, *, whole: bool = False) -> dict[str, Any]:
    """The object in a request body of `application/vnd.kubernetes.protobuf`.

    Args:
        body: As sent.
        whole: Whether a field that the table does not have is an error. An API server passes over
            those that it does not know; who judges for one must not, since it may know more.

    Raises:
        ProtobufError: It is cut off, of a kind that has no table, or larger than any that is meant.
    """
    if not body.startswith(MAGIC):
        raise ProtobufError(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    try:
        return _Reader(whole).envelope(memoryview(body)[len(MAGIC) :])
    except ProtobufError:
        raise
    except (IndexError, ValueError, OverflowError, RecursionError, struct.error):
        raise ProtobufError("unexpected EOF") from None


class _Reader:
    """Reads one body."""

    def __init__(self, whole: bool) -> None:
        self._whole = whole
        self._depth = 0
        self._left = _MOST_FIELDS

    def envelope(self, data: memoryview) -> dict[str, Any]:
        texts: dict[int, str] = {}
        raw = memoryview(b"")
        for number, value in self._parts(data):
            if number not in _ENVELOPE:
                self._unknown(number, "the envelope")
            elif number == 1:
                for part, text in self._parts(_binary(value)):
                    if part in (1, 2):
                        texts[part] = _text(text)
                    else:
                        self._unknown(part, "the envelope")
            elif number == 2:
                raw = _binary(value)
        api_version, kind = texts.get(1, ""), texts.get(2, "")
        # Options are of every group: clients send them in the version of what they delete.
        home = "v1" if kind == _OPTIONS else api_version
        message = _table()["kinds"].get(f"{home}/{kind}")
        if message is None:
            raise ProtobufError(
                f'no kind "{kind}" is registered for version "{api_version}" in scheme "{_SCHEME}"'
            )
        result: dict[str, Any] = {}
        self._message(raw, message, result)
        return {"apiVersion": api_version, "kind": kind, **result}

    def _message(self, data: memoryview, message: str, result: dict[str, Any]) -> None:
        """Read a message into what was read of it before."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ProtobufError("exceeded max depth")
        fields = _fields(message)
        for number, value in self._parts(data):
            known = fields.get(number)
            if known is None:
                self._unknown(number, message)
                continue
            name, code = known
            if code.startswith("^"):
                self._message(_binary(value), code[1:], result)
            elif code.startswith("@"):
                self._message(_binary(value), code[1:], result.setdefault(name, {}))
            elif code.startswith("[]"):
                result.setdefault(name, []).extend(self._items(value, code[2:]))
            elif code.startswith("{}"):
                entry = dict(self._parts(_binary(value)))
                key = _text(entry.get(1, memoryview(b"")))
                worth = self._value(entry.get(2, memoryview(b"")), code[2:])
                result.setdefault(name, {})[key] = worth
            else:
                decoded = self._value(value, code)
                # Schemas below the first of a definition are not visited again.
                if decoded is not None and (decoded or message != _SCHEMA or code not in "sb"):
                    result[name] = decoded
        self._depth -= 1

    def _unknown(self, number: int, message: str) -> None:
        if self._whole:
            raise ProtobufError(f"field {number} of {message} is not known here")

    def _items(self, value: _Wire, code: str) -> list[Any]:
        if code in ("i", "b") and isinstance(value, memoryview):
            # Numbers in a list may come packed.
            numbers: list[Any] = []
            at = 0
            while at < len(value):
                self._spend()
                number, at = _varint(value, at)
                numbers.append(self._value(number, code))
            return numbers
        return [self._value(value, code)]

    def _value(self, value: _Wire, code: str) -> Any:
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
            return _text(value)
        if code == "y":
            return base64.b64encode(value).decode()
        if code[0] in "@^":
            result: dict[str, Any] = {}
            self._message(value, code[1:], result)
            return result
        return self._special(value, code)

    def _special(self, value: memoryview, code: str) -> Any:
        """What is a message on the wire and something else in JSON."""
        parts = list(self._parts(value))
        if code == "E":
            return [_text(v) for _, v in parts if isinstance(v, memoryview)]
        found = dict(parts)
        first = found.get(1)
        if code == "Q":
            return _text(first) if isinstance(first, memoryview) else "0"
        if code == "R":
            return orjson.loads(first) if isinstance(first, memoryview) and first else None
        if code == "I":
            text = found.get(3, memoryview(b""))
            if first == 1 and isinstance(text, memoryview):
                return _text(text)
            return self._value(found.get(2, 0), "i")
        if code in ("T", "M"):
            return self._time(found, code) if isinstance(first, int) else None
        if code[0] == "B":
            second = found.get(2)
            return self._value(second, code[1:]) if second is not None else bool(first)
        if first is not None:
            return self._value(first, code[1:])
        # The other of the two is a list, of messages or of texts.
        form = "s" if code[0] == "P" else code[1:]
        return [self._value(v, form) for n, v in parts if n == 2]

    def _time(self, found: Mapping[int, _Wire], code: str) -> str:
        seconds, nanos = self._value(found[1], "i"), found.get(2, 0)
        moment = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        if code == "T" or not isinstance(nanos, int):
            return f"{moment}Z"
        return f"{moment}.{nanos // 1000:06}Z"

    def _parts(self, data: memoryview) -> Iterator[tuple[int, _Wire]]:
        """The fields of a message: number and value."""
        at = 0
        while at < len(data):
            self._spend()
            tag, at = _varint(data, at)
            # The server keeps 32 bits of a number, and takes it for one with a sign.
            number, wire = (tag >> 3) & 0xFFFFFFFF, tag & 7
            if not 0 < number < 1 << 31:
                raise ValueError(number)
            if wire == _VARINT:
                value, at = _varint(data, at)
                yield number, value
                continue
            if wire == _BYTES:
                size, at = _varint(data, at)
            elif wire in (_FIXED64, _FIXED32):
                size = 8 if wire == _FIXED64 else 4
            else:
                raise ValueError(wire)
            if at + size > len(data):
                raise IndexError(at)
            yield number, data[at : at + size]
            at += size

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise ProtobufError(f"more than {_MOST_FIELDS} fields")


def _binary(value: _Wire) -> memoryview:
    if isinstance(value, memoryview):
        return value
    raise ValueError(value)


def _text(value: _Wire) -> str:
    return str(_binary(value), "utf-8")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & (2 * _SIGN - 1), at
        shift += 7
        if shift > 63:
            raise ValueError(shift)
