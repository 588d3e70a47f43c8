"""What functions take and give: the overloads by which a call is checked before it is evaluated."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cel.kinds import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    UNKNOWN,
    Kind,
    either,
    fit,
    list_of,
    map_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# One type, whichever: the same wherever it stands in an overload.
_ITEM = Kind("<T>")
_ITEMS, _TEXTS = list_of(_ITEM), list_of(STRING)
_ANY_MAP = map_of(DYN, DYN)
_SORTABLE = (BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT)
_SUMMABLE = (DOUBLE, DURATION, INT, UINT)


class Overload(NamedTuple):
    """One form of a function: its parameters (the target first), and its result."""

    takes: tuple[Kind, ...]
    gives: Kind


def each(gives: Kind, *forms: tuple[Kind, ...]) -> tuple[Overload, ...]:
    """The overloads of a function that gives the same for all these parameters."""
    return tuple(Overload(form, gives) for form in forms)


def _of_lists(items: Sequence[Kind], gives: Kind | None = None) -> tuple[Overload, ...]:
    return tuple(Overload((list_of(item),), gives or item) for item in items)


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = MappingProxyType(
    {
        "int": each(INT, *((kind,) for kind in (INT, DOUBLE, DURATION, STRING, TIMESTAMP, UINT))),
        "uint": each(UINT, *((kind,) for kind in (UINT, DOUBLE, INT, STRING))),
        "double": each(DOUBLE, *((kind,) for kind in (DOUBLE, INT, STRING, UINT))),
        "string": each(STRING, *((kind,) for kind in _SORTABLE)),
        "bytes": each(BYTES, (BYTES,), (STRING,)),
        "bool": each(BOOL, (BOOL,), (STRING,)),
        "duration": each(DURATION, (DURATION,), (INT,), (STRING,)),
        "timestamp": each(TIMESTAMP, (TIMESTAMP,), (INT,), (STRING,)),
        "dyn": each(DYN, (_ITEM,)),
        "type": each(TYPE, (_ITEM,)),
        "size": each(INT, (STRING,), (BYTES,), (_ITEMS,), (_ANY_MAP,)),
        "matches": each(BOOL, (STRING, STRING)),
        "strings.quote": each(STRING, (STRING,)),
        "jsonpatch.escapeKey": each(STRING, (STRING,)),
        **dict.fromkeys(
            ("sets.contains", "sets.equivalent", "sets.intersects"), each(BOOL, (_ITEMS, _ITEMS))
        ),
    }
)
_DATES = ("getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth")
_CLOCKS = ("getHours", "getMinutes", "getSeconds", "getMilliseconds")
_PLACES = each(INT, (STRING, STRING), (STRING, STRING, INT), (_ITEMS, _ITEM))
METHODS: Mapping[str, tuple[Overload, ...]] = MappingProxyType(
    {
        "size": FUNCTIONS["size"],
        **dict.fromkeys(
            ("startsWith", "endsWith", "contains", "matches"), each(BOOL, (STRING, STRING))
        ),
        "charAt": each(STRING, (STRING, INT)),
        "substring": each(STRING, (STRING, INT), (STRING, INT, INT)),
        "split": each(_TEXTS, (STRING, STRING), (STRING, STRING, INT)),
        "replace": each(STRING, (STRING, STRING, STRING), (STRING, STRING, STRING, INT)),
        **dict.fromkeys(("trim", "lowerAscii", "upperAscii"), each(STRING, (STRING,))),
        "find": each(STRING, (STRING, STRING)),
        "findAll": each(_TEXTS, (STRING, STRING), (STRING, STRING, INT)),
        "join": each(STRING, (_TEXTS,), (_TEXTS, STRING)),
        "format": each(STRING, (STRING, list_of(DYN))),
        "indexOf": _PLACES,
        "lastIndexOf": _PLACES,
        "isSorted": _of_lists(_SORTABLE, BOOL),
        "sum": _of_lists(_SUMMABLE),
        "min": _of_lists(_SORTABLE),
        "max": _of_lists(_SORTABLE),
        **dict.fromkeys(_DATES, each(INT, (TIMESTAMP,), (TIMESTAMP, STRING))),
        **dict.fromkeys(_CLOCKS, each(INT, (TIMESTAMP,), (TIMESTAMP, STRING), (DURATION,))),
        # What an optional holds is not followed.
        "hasValue": each(BOOL, (UNKNOWN,)),
    }
)


def applied(overloads: Sequence[Overload], given: Sequence[Kind]) -> Kind | None:
    """The type of a call; None when no overload takes what is given."""
    results: list[Kind] = []
    for overload in overloads:
        bound: dict[str, Kind] = {}
        if len(overload.takes) == len(given) and all(
            _takes(wanted, kind, bound) for wanted, kind in zip(overload.takes, given, strict=True)
        ):
            results.append(overload.gives)
    if not results:
        return None
    return results[0] if all(result == results[0] for result in results) else UNKNOWN


def _takes(wanted: Kind, kind: Kind, bound: dict[str, Kind]) -> bool:
    """Whether a parameter takes a value; `bound` says what the type of an item is by now."""
    if wanted == _ITEM:
        before = bound.get(wanted.name)
        bound[wanted.name] = kind if before is None else either(before, kind)
        return before is None or fit(before, kind)
    if wanted == _ITEMS:
        if kind.open:
            return True
        return kind.name == "list" and _takes(_ITEM, kind.parts[0], bound)
    return fit(wanted, kind)
