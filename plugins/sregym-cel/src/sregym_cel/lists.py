"""Functions on lists and sets; those that texts have too choose by their target."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from sregym_cel import strings
from sregym_cel.operators import FUNCTIONS as ARITHMETIC
from sregym_cel.operators import compare, no_overload
from sregym_cel.values import CelError, equal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise no_overload()
    return value


def _index_of(target: Any, *arguments: Any) -> int:
    if isinstance(target, str):
        found: int = strings.index_of(target, *arguments)
        return found
    places = [i for i, item in enumerate(_list(target)) if equal(item, arguments[0])]
    return places[0] if places else -1


def _last_index_of(target: Any, *arguments: Any) -> int:
    if isinstance(target, str):
        found: int = strings.last_index_of(target, *arguments)
        return found
    places = [i for i, item in enumerate(_list(target)) if equal(item, arguments[0])]
    return places[-1] if places else -1


def _is_sorted(items: Any) -> bool:
    values = _list(items)
    return all(compare(left, right) <= 0 for left, right in pairwise(values))


def _sum(items: Any) -> Any:
    values = _list(items)
    total: Any = values[0] if values else 0
    for item in values[1:]:
        total = ARITHMETIC["_+_", False, 2](total, item)
    return total


def _extreme(name: str, sign: int) -> Callable[[Any], Any]:
    def run(items: Any) -> Any:
        values = _list(items)
        if not values:
            message = f"{name} called on empty list"
            raise CelError(message)
        best = values[0]
        for item in values[1:]:
            if compare(item, best) * sign > 0:
                best = item
        return best

    return run


def _distinct(items: Any) -> list[Any]:
    found: list[Any] = []
    for item in _list(items):
        if not any(equal(item, other) for other in found):
            found.append(item)
    return found


def _flatten(items: Any, depth: Any = 1) -> list[Any]:
    found: list[Any] = []
    for item in _list(items):
        if isinstance(item, list) and depth > 0:
            found.extend(_flatten(item, depth - 1))
        else:
            found.append(item)
    return found


def _slice(items: Any, start: Any, end: Any) -> list[Any]:
    values = _list(items)
    if not isinstance(start, int) or not isinstance(end, int):
        raise no_overload()
    if not 0 <= start <= end <= len(values):
        message = f"cannot slice({start}, {end}), list is length {len(values)}"
        raise CelError(message)
    return values[start:end]


def _reverse(target: Any) -> Any:
    return target[::-1] if isinstance(target, str) else _list(target)[::-1]


def _range(number: Any) -> list[int]:
    if not isinstance(number, int) or number > 1_000_000:
        raise no_overload()
    return list(range(number))


def _contains(left: Any, right: Any) -> bool:
    return all(any(equal(item, other) for other in _list(left)) for item in _list(right))


def _intersects(left: Any, right: Any) -> bool:
    return any(equal(item, other) for item in _list(left) for other in _list(right))


FUNCTIONS: Mapping[tuple[str, bool, int], Callable[..., Any]] = {
    ("indexOf", True, 2): _index_of,
    ("indexOf", True, 3): _index_of,
    ("lastIndexOf", True, 2): _last_index_of,
    ("lastIndexOf", True, 3): _last_index_of,
    ("isSorted", True, 1): _is_sorted,
    ("sum", True, 1): _sum,
    ("min", True, 1): _extreme("min", -1),
    ("max", True, 1): _extreme("max", 1),
    ("distinct", True, 1): _distinct,
    ("flatten", True, 1): _flatten,
    ("flatten", True, 2): _flatten,
    ("slice", True, 3): _slice,
    ("reverse", True, 1): _reverse,
    ("sort", True, 1): lambda items: sorted(_list(items), key=cmp_to_key(compare)),
    ("lists.range", False, 1): _range,
    ("sets.contains", False, 2): _contains,
    ("sets.equivalent", False, 2): lambda a, b: _contains(a, b) and _contains(b, a),
    ("sets.intersects", False, 2): _intersects,
}
