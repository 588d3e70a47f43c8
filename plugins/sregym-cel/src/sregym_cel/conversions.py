"""Conversions between types, and the parts of times."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from sregym_cel.operators import as_timestamp, is_number, no_overload
from sregym_cel.values import (
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelError,
    Duration,
    Optional,
    Timestamp,
    Type,
    Uint,
    checked_int,
    duration,
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _unconvertible(value: Any, target: str) -> CelError:
    return CelError(f"type conversion error from '{type_name(value)}' to '{target}'")


def _int(value: Any) -> int:
    if isinstance(value, Timestamp):
        return int(value.moment.timestamp())
    if isinstance(value, float):
        if not INT_MIN < value < INT_MAX:
            message = "integer overflow"
            raise CelError(message)
        return int(value)
    if is_number(value):
        return checked_int(int(value))
    if isinstance(value, str):
        try:
            return checked_int(int(value, 10))
        except ValueError:
            raise _unconvertible(value, "int") from None
    raise no_overload()


def _uint(value: Any) -> Uint:
    try:
        number = int(value) if isinstance(value, str) or is_number(value) else None
    except (ValueError, OverflowError):
        raise _unconvertible(value, "uint") from None
    if number is None:
        raise no_overload()
    if not 0 <= number <= UINT_MAX:
        message = "unsigned integer overflow"
        raise CelError(message)
    return Uint(number)


def _double(value: Any) -> float:
    if is_number(value):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            raise _unconvertible(value, "double") from None
    raise no_overload()


def string(value: Any) -> str:
    """The conversion `string(x)`."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isfinite(value) and value.is_integer() and abs(value) < 1e21:
            return str(int(value))
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, repr(value).replace("nan", "NaN"))
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            message = "invalid UTF-8 in bytes, cannot convert to string"
            raise CelError(message) from None
    if isinstance(value, Duration | Timestamp):
        return value.text()
    raise no_overload()


def _bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise no_overload()


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        if value in ("1", "t", "T", "TRUE", "true", "True"):
            return True
        if value in ("0", "f", "F", "FALSE", "false", "False"):
            return False
        raise _unconvertible(value, "bool")
    raise no_overload()


def _duration(value: Any) -> Duration:
    if isinstance(value, Duration):
        return value
    if isinstance(value, str):
        return duration(value)
    raise no_overload()


def _local(value: Any, zone: Any = "UTC") -> datetime:
    if not isinstance(value, Timestamp) or not isinstance(zone, str):
        raise no_overload()
    if zone[:1] in ("+", "-") or zone[:1].isdigit():
        sign = -1 if zone.startswith("-") else 1
        hours, _, minutes = zone.lstrip("+-").partition(":")
        if not hours.isdecimal() or not minutes.isdecimal():
            message = f"unknown time zone {zone}"
            raise CelError(message)
        span = timedelta(hours=sign * min(int(hours), 23), minutes=sign * min(int(minutes), 59))
        return value.moment.astimezone(timezone(span))
    try:
        place = UTC if zone == "UTC" else ZoneInfo(zone)
    except (ValueError, KeyError, OSError):
        message = f"unknown time zone {zone}"
        raise CelError(message) from None
    return value.moment.astimezone(place)


def _part(read: Callable[[datetime], int], nanoseconds: int = 0) -> Callable[..., int]:
    """A part of a moment; of a duration its whole length in units of `nanoseconds`."""

    def run(value: Any, zone: Any = "UTC") -> int:
        if nanoseconds and isinstance(value, Duration):
            return int(value.nanoseconds / nanoseconds)
        return read(_local(value, zone))

    return run


_PARTS: Mapping[str, Callable[..., int]] = {
    "getFullYear": _part(lambda at: at.year),
    "getMonth": _part(lambda at: at.month - 1),
    "getDate": _part(lambda at: at.day),
    "getDayOfMonth": _part(lambda at: at.day - 1),
    "getDayOfWeek": _part(lambda at: at.isoweekday() % 7),
    "getDayOfYear": _part(lambda at: at.timetuple().tm_yday - 1),
    "getHours": _part(lambda at: at.hour, 3600 * 10**9),
    "getMinutes": _part(lambda at: at.minute, 60 * 10**9),
    "getSeconds": _part(lambda at: at.second, 10**9),
    "getMilliseconds": _part(lambda at: at.microsecond // 1000, 10**6),
}


def _value(target: Any) -> Any:
    if not isinstance(target, Optional):
        raise no_overload()
    if not target.held:
        message = "optional.none() dereference"
        raise CelError(message)
    return target.held[0]


def _or_value(target: Any, other: Any) -> Any:
    if not isinstance(target, Optional):
        raise no_overload()
    return target.held[0] if target.held else other


def _or(target: Any, other: Any) -> Any:
    if not isinstance(target, Optional) or not isinstance(other, Optional):
        raise no_overload()
    return target if target.held else other


def _has_value(target: Any) -> bool:
    if not isinstance(target, Optional):
        raise no_overload()
    return bool(target.held)


def _non_zero(value: Any) -> Optional:
    return Optional((value,)) if value else Optional()


FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    ("int", False, 1): _int,
    ("uint", False, 1): _uint,
    ("double", False, 1): _double,
    ("string", False, 1): string,
    ("bytes", False, 1): _bytes,
    ("bool", False, 1): _bool,
    ("dyn", False, 1): lambda value: value,
    ("type", False, 1): lambda value: Type(type_name(value)),
    ("duration", False, 1): _duration,
    ("timestamp", False, 1): as_timestamp,
    **{(name, True, number): run for name, run in _PARTS.items() for number in (1, 2)},
    ("optional.of", False, 1): lambda value: Optional((value,)),
    ("optional.none", False, 0): Optional,
    ("optional.ofNonZeroValue", False, 1): _non_zero,
    ("value", True, 1): _value,
    ("hasValue", True, 1): _has_value,
    ("orValue", True, 2): _or_value,
    ("or", True, 2): _or,
}
