"""Functions of Go templates, and what makes a value true."""

from __future__ import annotations

import base64
import binascii
import re
from inspect import signature
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import allocate, spend

from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.printing import go_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What a path leads to that is not there.
MISSING = object()


def true(value: Any) -> bool:
    """Whether `if` takes it for true."""
    return value is not MISSING and bool(value)


def printed(value: Any) -> str:
    """As an action prints it."""
    return "<no value>" if value is MISSING or value is None else _plain(value)


def _plain(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= 1e21:
        raise NotCovered("a large number")
    return go_text(value)


def _length(value: Any) -> int:
    if not isinstance(value, str | list | dict):
        raise NotCovered("the length of what has none")
    return len(value.encode()) if isinstance(value, str) else len(value)


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, dict) and isinstance(key, str):
            value = value.get(key, MISSING)
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            raise NotCovered("an index of what has none")
    return value


def _equal(first: Any, second: Any, *others: Any) -> bool:
    return any(_comparable(first, one) and first == one for one in (second, *others))


def _comparable(one: Any, other: Any) -> bool:
    # Numbers of objects are floats, those of templates are not: Go compares them with none.
    if type(one) is not type(other) or not isinstance(one, str | bool):
        raise NotCovered("a comparison of other things than texts")
    return True


def _decoded(text: Any) -> str:
    if not isinstance(text, str):
        raise NotCovered("base64 of what is no text")
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        raise NotCovered("what is no base64") from error


def _formatted(form: Any, *values: Any) -> str:
    if not isinstance(form, str) or re.search(r"%(?![sv%])", form):
        raise NotCovered("printf of numbers")
    pieces = re.split(r"%([sv%])", form)
    given = iter(values)
    told = []
    for at, piece in enumerate(pieces):
        if at % 2 == 0:
            told.append(piece)
        elif piece == "%":
            told.append("%")
        else:
            value = next(given, MISSING)
            if value is MISSING or (piece == "s" and not isinstance(value, str)):
                raise NotCovered("printf of what does not fit")
            told.append(_plain(value))
    if next(given, MISSING) is not MISSING:
        raise NotCovered("printf of too much")
    size = sum(map(len, told))
    allocate(2 * size)
    spend(size >> 6)
    return "".join(told)


def _told(*values: Any) -> str:
    if not all(isinstance(value, str) for value in values):
        raise NotCovered("print of other things than texts")
    return "".join(values)


def _and(first: Any, *others: Any) -> Any:
    return next((value for value in (first, *others) if not true(value)), (first, *others)[-1])


def _or(first: Any, *others: Any) -> Any:
    return next((value for value in (first, *others) if true(value)), (first, *others)[-1])


def called(name: str, arguments: Sequence[Any]) -> Any:
    """What a function gives.

    Raises:
        NotCovered: It is called otherwise than is understood.
    """
    function = FUNCTIONS[name]
    try:
        signature(function).bind(*arguments)
    except TypeError as error:
        raise NotCovered(f"the number of arguments of {name}") from error
    return function(*arguments)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "and": _and,
    "base64decode": _decoded,
    "eq": _equal,
    "exists": lambda value, *keys: true(_index(value, *keys)),
    "index": _index,
    "len": _length,
    "ne": lambda one, other: not _equal(one, other),
    "not": lambda value: not true(value),
    "or": _or,
    "print": _told,
    "printf": _formatted,
    "println": lambda *values: _told(" ".join(map(_told, values)), "\n"),
}
