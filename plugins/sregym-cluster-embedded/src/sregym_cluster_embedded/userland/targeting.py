"""Targeting of feature flags: JsonLogic with the operators that flagd adds to it.

Who asks is described by a context, a flat object of texts. What comes out names a variant, or is
None: then the default variant counts.
"""

from __future__ import annotations

import math
import operator
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Context: TypeAlias = "Mapping[str, Any]"
_VERSION = re.compile(r"^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$")
_DEEP = 64
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class TargetingError(ValueError):
    """Rules that cannot be applied, as flagd's library words it."""


def applied(rule: Any, context: Context, depth: int = 0) -> Any:
    """What a rule comes to.

    Args:
        rule: As it stands in the file.
        context: Who asks; `$flagd` has the key of the flag and the time.
        depth: How deep in another rule it stands.

    Raises:
        TargetingError: An operator is not known, or rules stand too deep in each other.
    """
    if depth > _DEEP:
        raise TargetingError("rules are nested too deep")
    if isinstance(rule, list):
        return [applied(part, context, depth + 1) for part in rule]
    if not isinstance(rule, dict) or len(rule) != 1:
        return rule
    ((name, given),) = rule.items()
    lazy = _LAZY.get(name)
    arguments = given if isinstance(given, list) else [given]
    if lazy is not None:
        return lazy(arguments, context, depth + 1)
    known = _OPERATORS.get(name)
    if known is None:
        raise TargetingError(f'The operator "{name}" is not supported')
    return known([applied(part, context, depth + 1) for part in arguments], context)


def unknown_operators(rule: Any) -> list[str]:
    """Operators of a rule that are not known, in order."""
    if isinstance(rule, list):
        return [name for part in rule for name in unknown_operators(part)]
    if not isinstance(rule, dict):
        return []
    found = [name for name in rule if name not in _OPERATORS and name not in _LAZY]
    return found + [name for part in rule.values() for name in unknown_operators(part)]


def truthy(value: Any) -> bool:
    """What JsonLogic takes for true."""
    return bool(value)


def _if(arguments: Sequence[Any], context: Context, depth: int) -> Any:
    for place in range(0, len(arguments) - 1, 2):
        if truthy(applied(arguments[place], context, depth)):
            return applied(arguments[place + 1], context, depth)
    return applied(arguments[-1], context, depth) if len(arguments) % 2 else None


def _and(arguments: Sequence[Any], context: Context, depth: int) -> Any:
    found: Any = None
    for part in arguments:
        found = applied(part, context, depth)
        if not truthy(found):
            return found
    return found


def _or(arguments: Sequence[Any], context: Context, depth: int) -> Any:
    found: Any = None
    for part in arguments:
        found = applied(part, context, depth)
        if truthy(found):
            return found
    return found


def _var(arguments: Sequence[Any], context: Context, depth: int) -> Any:
    name = applied(arguments[0], context, depth) if arguments else ""
    otherwise = applied(arguments[1], context, depth) if len(arguments) > 1 else None
    found: Any = context
    for part in str(name).split(".") if name not in ("", None) else ():
        if not isinstance(found, dict) or part not in found:
            return otherwise
        found = found[part]
    return found


def _missing(arguments: Sequence[Any], context: Context) -> list[Any]:
    names = arguments[0] if arguments and isinstance(arguments[0], list) else arguments
    return [name for name in names if _var([name], context, 0) in (None, "")]


def _number(value: Any) -> float:
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _equal(one: Any, other: Any) -> bool:
    """Equal as JavaScript has it: numbers and texts of numbers are."""
    if isinstance(one, str) == isinstance(other, str) or one is None or other is None:
        return bool(one == other)
    return _number(one) == _number(other)


def _same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _in(arguments: Sequence[Any], _: Context) -> bool:
    what, where = arguments[0], arguments[1]
    if isinstance(where, str):
        return isinstance(what, str) and what in where
    return isinstance(where, list) and any(_same(what, part) for part in where)


def _ordered(test: Callable[[float, float], bool]) -> Callable[[Sequence[Any], Context], bool]:
    def compare(arguments: Sequence[Any], _: Context) -> bool:
        numbers = [_number(part) for part in arguments]
        return all(test(a, b) for a, b in pairwise(numbers))

    return compare


def _summed(arguments: Sequence[Any], _: Context) -> float:
    return math.fsum(_number(part) for part in arguments)


def _less(arguments: Sequence[Any], _: Context) -> float:
    numbers = [_number(part) for part in arguments]
    return -numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]


def _rest(arguments: Sequence[Any], _: Context) -> float | None:
    one, other = _number(arguments[0]), _number(arguments[1])
    return math.fmod(one, other) if other else None


def _divided(arguments: Sequence[Any], _: Context) -> float | None:
    other = _number(arguments[1])
    return _number(arguments[0]) / other if other else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _affix(arguments: Sequence[Any], test: Callable[[str, str], bool]) -> bool:
    texts = list(arguments[:2])
    return len(texts) == 2 and all(isinstance(t, str) for t in texts) and test(texts[0], texts[1])


def _sem_ver(arguments: Sequence[Any], _: Context) -> bool:
    if len(arguments) != 3:
        return False
    one, other = _version(_text(arguments[0])), _version(_text(arguments[2]))
    if one is None or other is None:
        return False
    if arguments[1] == "^":
        return bool(one[0] == other[0])
    if arguments[1] == "~":
        return bool(one[:2] == other[:2])
    test = _COMPARISONS.get(arguments[1])
    return test is not None and bool(test(one, other))


def _version(text: str) -> tuple[Any, ...] | None:
    """A version in a form that compares as semantic versions do."""
    found = _VERSION.match(text)
    if found is None:
        return None
    parts = [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in (found[4] or "").split(".")
        if part
    ]
    return (int(found[1]), int(found[2]), int(found[3]), not parts, tuple(parts))


def _fractional(arguments: Sequence[Any], context: Context, depth: int) -> str | None:
    """A variant by the hash of who asks: the same one gets the same."""
    parts = [applied(part, context, depth) for part in arguments]
    if parts and isinstance(parts[0], str):
        value = parts.pop(0)
    else:
        who = context.get("targetingKey")
        if not isinstance(who, str):
            return None
        value = f"{context['$flagd']['flagKey']}{who}"
    shares = [(str(part[0]), _number(part[1]) if len(part) > 1 else 1.0) for part in parts]
    whole = sum(share for _, share in shares)
    if whole <= 0:
        return None
    hashed = _murmur(value.encode())
    bucket = abs(hashed - (1 << 32) if hashed >= 1 << 31 else hashed) / (2**31 - 1) * 100
    end = 0.0
    for variant, share in shares:
        end += share * 100 / whole
        if bucket < end:
            return variant
    return None


def _murmur(data: bytes) -> int:
    """MurmurHash3 of 32 bits with seed 0."""
    mask, found = 0xFFFFFFFF, 0
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        found ^= _stirred(int.from_bytes(data[at : at + 4], "little"))
        found = (found << 13 | found >> 19) & mask
        found = (found * 5 + 0xE6546B64) & mask
    if len(data) > whole:
        found ^= _stirred(int.from_bytes(data[whole:], "little"))
    found ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        found ^= found >> shift
        found = found * factor & mask
    return found


def _stirred(block: int) -> int:
    block = block * 0xCC9E2D51 & 0xFFFFFFFF
    block = (block << 15 | block >> 17) & 0xFFFFFFFF
    return block * 0x1B873593 & 0xFFFFFFFF


_LAZY: dict[str, Callable[[Sequence[Any], Context, int], Any]] = {
    "if": _if,
    "?:": _if,
    "and": _and,
    "or": _or,
    "var": _var,
    "fractional": _fractional,
}
_OPERATORS: dict[str, Callable[[Sequence[Any], Context], Any]] = {
    "==": lambda a, _: _equal(a[0], a[1]),
    "!=": lambda a, _: not _equal(a[0], a[1]),
    "===": lambda a, _: _same(a[0], a[1]),
    "!==": lambda a, _: not _same(a[0], a[1]),
    "!": lambda a, _: not truthy(a[0]),
    "!!": lambda a, _: truthy(a[0]),
    "<": _ordered(lambda one, other: one < other),
    "<=": _ordered(lambda one, other: one <= other),
    ">": _ordered(lambda one, other: one > other),
    ">=": _ordered(lambda one, other: one >= other),
    "in": _in,
    "missing": _missing,
    "cat": lambda a, _: "".join(map(_text, a)),
    "+": _summed,
    "-": _less,
    "*": lambda a, _: math.prod(map(_number, a)),
    "/": _divided,
    "%": _rest,
    "min": lambda a, _: min(map(_number, a), default=None),
    "max": lambda a, _: max(map(_number, a), default=None),
    "starts_with": lambda a, _: _affix(a, str.startswith),
    "ends_with": lambda a, _: _affix(a, str.endswith),
    "sem_ver": _sem_ver,
}
