"""Values that expressions have and JSON does not, and what goes wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

INT_MIN, INT_MAX, UINT_MAX = -(2**63), 2**63 - 1, 2**64 - 1
_NANO = 1_000_000_000
_DURATION_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)")
_UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 10**6, "s": _NANO}
_UNITS |= {"m": 60 * _NANO, "h": 3600 * _NANO}


class CelError(Exception):
    """An expression could not be evaluated; the text is the evaluator's."""


class CompileError(Exception):
    """An expression that means nothing.

    Args:
        message: What is wrong, without the place.
        offset: Where in the text, in characters.
        source: The text.
    """

    def __init__(self, message: str, offset: int, source: str) -> None:
        self.what = message
        self.offset = offset
        before = source[:offset]
        line = before.count("\n") + 1
        column = offset - (before.rfind("\n") + 1)
        shown = source.splitlines()[line - 1] if source else ""
        text = f"ERROR: <input>:{line}:{column + 1}: {message}\n | {shown}\n | {'.' * column}^"
        super().__init__(text)


class Opaque:
    """A value of a type that a library adds; its fields, if any, it answers itself.

    Attributes:
        type_name: What messages and `type` call its type.
    """

    type_name: ClassVar[str]

    def field(self, name: str) -> Any:
        """The value of one of its fields.

        Raises:
            CelError: There is none of this name.
        """
        message = f"no such key: {name}"
        raise CelError(message)


class Uint(int):
    """An unsigned integer: `1u`."""


@dataclass(frozen=True)
class Type:
    """A type as a value: `type(1) == int`."""

    name: str


@dataclass(frozen=True)
class Optional:
    """`optional.of(x)`, or `optional.none()` when nothing is `held`."""

    held: tuple[Any, ...] = ()


@dataclass(frozen=True, order=True)
class Duration:
    """A span of time in nanoseconds."""

    nanoseconds: int

    def text(self) -> str:
        """As the language prints it: seconds."""
        whole, rest = divmod(abs(self.nanoseconds), _NANO)
        sign = "-" if self.nanoseconds < 0 else ""
        fraction = f".{rest:09d}".rstrip("0") if rest else ""
        return f"{sign}{whole}{fraction}s"


@dataclass(frozen=True, order=True)
class Timestamp:
    """A moment, with microseconds."""

    moment: datetime

    def text(self) -> str:
        """RFC 3339 in UTC."""
        moment = self.moment.astimezone(UTC)
        fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
        return moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + "Z"


def duration(text: str) -> Duration:
    """The span that Go would read.

    Raises:
        CelError: It is none.
    """
    body = text.lstrip("+-")
    parts = list(_DURATION_PART.finditer(body))
    if body != "0" and (not parts or "".join(part.group(0) for part in parts) != body):
        message = f'time: invalid duration "{text}"'
        raise CelError(message)
    total = 0
    for part in parts:
        number, unit = part.groups()
        total += round(float(number) * _UNITS[unit])
    return Duration(-total if text.startswith("-") else total)


def timestamp(text: str) -> Timestamp:
    """The moment of an RFC 3339 text.

    Raises:
        CelError: It is none.
    """
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or len(text) < 20:
        message = (
            f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"'
        )
        raise CelError(message)
    return Timestamp(moment)


def plus(moment: Timestamp, span: Duration) -> Timestamp:
    """A moment later."""
    try:
        return Timestamp(moment.moment + timedelta(microseconds=span.nanoseconds // 1000))
    except OverflowError:
        message = "timestamp overflow"
        raise CelError(message) from None


def type_name(value: Any) -> str:
    """The name of a value's type in messages and for `type`."""
    if value is None:
        return "null_type"
    for python, name in _NAMES:
        if isinstance(value, python):
            return name
    return str(getattr(value, "type_name", "dyn"))


_NAMES: tuple[tuple[Any, str], ...] = (
    (bool, "bool"),
    (Uint, "uint"),
    (int, "int"),
    (float, "double"),
    (str, "string"),
    (bytes, "bytes"),
    (list, "list"),
    (dict, "map"),
    (Duration, "google.protobuf.Duration"),
    (Timestamp, "google.protobuf.Timestamp"),
    (Optional, "optional_type"),
    (Type, "type"),
)


class Unordered(list[Any]):
    """A list that is equal to others, and added to them, by rules of its own."""

    def same(self, other: list[Any]) -> bool:
        """Whether another list is equal to this one."""
        raise NotImplementedError

    def joined(self, other: list[Any]) -> list[Any]:
        """This list and another one."""
        raise NotImplementedError


def equal(left: Any, right: Any) -> bool:
    """Equality of the language: numbers across their types, nothing else across types."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    numeric = isinstance(left, int | float)
    if numeric or isinstance(right, int | float):
        return numeric and isinstance(right, int | float) and left == right
    if isinstance(left, list) and isinstance(right, list):
        if isinstance(left, Unordered):
            return left.same(right)
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


def checked_int(value: int) -> int:
    """An integer of 64 bits.

    Raises:
        CelError: It has more.
    """
    if not INT_MIN <= value <= INT_MAX:
        message = "integer overflow"
        raise CelError(message)
    return value
