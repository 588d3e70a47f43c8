"""Arithmetic and comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sregym_cel.values import (
    UINT_MAX,
    CelError,
    Duration,
    Timestamp,
    Uint,
    Unordered,
    checked_int,
    equal,
    plus,
    timestamp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def no_overload() -> CelError:
    """The failure of a function that does not take such arguments."""
    return CelError("no such overload")


def is_number(value: Any) -> bool:
    """Whether a value is an int, uint or double."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def compare(left: Any, right: Any) -> int:
    """-1, 0 or 1.

    Raises:
        CelError: The values have no order.
    """
    comparable = (is_number(left) and is_number(right)) or (
        type(left) is type(right) and isinstance(left, str | bytes | bool | Duration | Timestamp)
    )
    if not comparable:
        raise no_overload()
    return int(left > right) - int(left < right)


def _ordered(test: Callable[[int], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: test(compare(left, right))


def _whole(value: int, like: Any) -> int:
    if isinstance(like, Uint):
        if not 0 <= value <= UINT_MAX:
            message = "unsigned integer overflow"
            raise CelError(message)
        return Uint(value)
    return checked_int(value)


def _both_whole(left: Any, right: Any) -> bool:
    if not is_number(left) or not is_number(right):
        return False
    return type(left) is type(right) and isinstance(left, int)


def _add(left: Any, right: Any) -> Any:
    if _both_whole(left, right):
        return _whole(int(left) + int(right), left)
    if isinstance(left, Timestamp) and isinstance(right, Duration):
        return plus(left, right)
    if isinstance(left, Duration) and isinstance(right, Timestamp):
        return plus(right, left)
    if isinstance(left, list) and isinstance(right, list):
        return left.joined(right) if isinstance(left, Unordered) else left + right
    if type(left) is not type(right):
        raise no_overload()
    if isinstance(left, Duration):
        return Duration(checked_int(left.nanoseconds + right.nanoseconds))
    if isinstance(left, float | str | bytes):
        return left + right
    raise no_overload()


def _subtract(left: Any, right: Any) -> Any:
    if _both_whole(left, right):
        return _whole(int(left) - int(right), left)
    if isinstance(left, Timestamp):
        if isinstance(right, Duration):
            return plus(left, Duration(-right.nanoseconds))
        if isinstance(right, Timestamp):
            span = left.moment - right.moment
            return Duration((span.days * 86400 + span.seconds) * 10**9 + span.microseconds * 1000)
    if isinstance(left, Duration) and isinstance(right, Duration):
        return Duration(left.nanoseconds - right.nanoseconds)
    if isinstance(left, float) and isinstance(right, float):
        return left - right
    raise no_overload()


def _multiply(left: Any, right: Any) -> Any:
    if _both_whole(left, right):
        return _whole(int(left) * int(right), left)
    if isinstance(left, float) and isinstance(right, float):
        return left * right
    raise no_overload()


def _divide(left: Any, right: Any) -> Any:
    if _both_whole(left, right):
        if right == 0:
            message = "division by zero"
            raise CelError(message)
        quotient = abs(int(left)) // abs(int(right))
        return _whole(-quotient if (left < 0) != (right < 0) else quotient, left)
    if isinstance(left, float) and isinstance(right, float):
        if right == 0:
            return math.nan if left == 0 else math.copysign(math.inf, left)
        return left / right
    raise no_overload()


def _modulo(left: Any, right: Any) -> Any:
    if not _both_whole(left, right):
        raise no_overload()
    if right == 0:
        message = "modulus by zero"
        raise CelError(message)
    rest = abs(int(left)) % abs(int(right))
    return _whole(-rest if left < 0 else rest, left)


def _negate(value: Any) -> Any:
    if isinstance(value, Duration):
        return Duration(-value.nanoseconds)
    if not is_number(value) or isinstance(value, Uint):
        raise no_overload()
    return -value if isinstance(value, float) else checked_int(-value)


def _not(value: Any) -> bool:
    if not isinstance(value, bool):
        raise no_overload()
    return not value


def _in(item: Any, container: Any) -> bool:
    if isinstance(container, list):
        return any(equal(item, entry) for entry in container)
    if isinstance(container, dict):
        return not isinstance(item, list | dict) and item in container
    raise no_overload()


def _greatest(*values: Any) -> Any:
    items = list(values[0]) if len(values) == 1 and isinstance(values[0], list) else list(values)
    if not items or not all(map(is_number, items)):
        raise no_overload()
    return max(items)


def _least(*values: Any) -> Any:
    items = list(values[0]) if len(values) == 1 and isinstance(values[0], list) else list(values)
    if not items or not all(map(is_number, items)):
        raise no_overload()
    return min(items)


def as_timestamp(value: Any) -> Any:
    """The conversion `timestamp(x)`."""
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, str):
        return timestamp(value)
    raise no_overload()


FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    ("_+_", False, 2): _add,
    ("_-_", False, 2): _subtract,
    ("_*_", False, 2): _multiply,
    ("_/_", False, 2): _divide,
    ("_%_", False, 2): _modulo,
    ("-_", False, 1): _negate,
    ("!_", False, 1): _not,
    ("@in", False, 2): _in,
    ("_<_", False, 2): _ordered(lambda order: order < 0),
    ("_<=_", False, 2): _ordered(lambda order: order <= 0),
    ("_>_", False, 2): _ordered(lambda order: order > 0),
    ("_>=_", False, 2): _ordered(lambda order: order >= 0),
    **{("math.greatest", False, number): _greatest for number in range(1, 8)},
    **{("math.least", False, number): _least for number in range(1, 8)},
}
