"""What functions take and give: the overloads by which a call is checked before it is evaluated."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.cel import formats
from sregym_cluster_embedded.api.cel.kinds import (
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

QUANTITY, URL, SEMVER = (Kind(f"kubernetes.{name}") for name in ("Quantity", "URL", "Semver"))
IP, CIDR, FORMAT = Kind("net.IP"), Kind("net.CIDR"), Kind("kubernetes.NamedFormat")
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


def _each(gives: Kind, *forms: tuple[Kind, ...]) -> tuple[Overload, ...]:
    return tuple(Overload(form, gives) for form in forms)


def _of_lists(items: Sequence[Kind], gives: Kind | None = None) -> tuple[Overload, ...]:
    return tuple(Overload((list_of(item),), gives or item) for item in items)


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = MappingProxyType(
    {
        "int": _each(INT, *((kind,) for kind in (INT, DOUBLE, DURATION, STRING, TIMESTAMP, UINT))),
        "uint": _each(UINT, *((kind,) for kind in (UINT, DOUBLE, INT, STRING))),
        "double": _each(DOUBLE, *((kind,) for kind in (DOUBLE, INT, STRING, UINT))),
        "string": _each(STRING, *((kind,) for kind in (*_SORTABLE, IP, CIDR))),
        "bytes": _each(BYTES, (BYTES,), (STRING,)),
        "bool": _each(BOOL, (BOOL,), (STRING,)),
        "duration": _each(DURATION, (DURATION,), (INT,), (STRING,)),
        "timestamp": _each(TIMESTAMP, (TIMESTAMP,), (INT,), (STRING,)),
        "dyn": _each(DYN, (_ITEM,)),
        "type": _each(TYPE, (_ITEM,)),
        "size": _each(INT, (STRING,), (BYTES,), (_ITEMS,), (_ANY_MAP,)),
        "matches": _each(BOOL, (STRING, STRING)),
        "quantity": _each(QUANTITY, (STRING,)),
        "url": _each(URL, (STRING,)),
        "ip": _each(IP, (STRING,)),
        "cidr": _each(CIDR, (STRING,)),
        "semver": _each(SEMVER, (STRING,), (STRING, BOOL)),
        "isSemver": _each(BOOL, (STRING,), (STRING, BOOL)),
        **dict.fromkeys(("isQuantity", "isURL", "isIP", "isCIDR"), _each(BOOL, (STRING,))),
        "ip.isCanonical": _each(BOOL, (STRING,)),
        "strings.quote": _each(STRING, (STRING,)),
        "jsonpatch.escapeKey": _each(STRING, (STRING,)),
        **dict.fromkeys(
            ("sets.contains", "sets.equivalent", "sets.intersects"), _each(BOOL, (_ITEMS, _ITEMS))
        ),
        **{f"format.{name}": _each(FORMAT, ()) for name in formats.NAMES},
    }
)
_DATES = ("getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth")
_CLOCKS = ("getHours", "getMinutes", "getSeconds", "getMilliseconds")
_OF_ADDRESSES = ("isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast")
_PLACES = _each(INT, (STRING, STRING), (STRING, STRING, INT), (_ITEMS, _ITEM))
METHODS: Mapping[str, tuple[Overload, ...]] = MappingProxyType(
    {
        "size": FUNCTIONS["size"],
        **dict.fromkeys(
            ("startsWith", "endsWith", "contains", "matches"), _each(BOOL, (STRING, STRING))
        ),
        "charAt": _each(STRING, (STRING, INT)),
        "substring": _each(STRING, (STRING, INT), (STRING, INT, INT)),
        "split": _each(_TEXTS, (STRING, STRING), (STRING, STRING, INT)),
        "replace": _each(STRING, (STRING, STRING, STRING), (STRING, STRING, STRING, INT)),
        **dict.fromkeys(("trim", "lowerAscii", "upperAscii"), _each(STRING, (STRING,))),
        "find": _each(STRING, (STRING, STRING)),
        "findAll": _each(_TEXTS, (STRING, STRING), (STRING, STRING, INT)),
        "join": _each(STRING, (_TEXTS,), (_TEXTS, STRING)),
        "format": _each(STRING, (STRING, list_of(DYN))),
        "indexOf": _PLACES,
        "lastIndexOf": _PLACES,
        "isSorted": _of_lists(_SORTABLE, BOOL),
        "sum": _of_lists(_SUMMABLE),
        "min": _of_lists(_SORTABLE),
        "max": _of_lists(_SORTABLE),
        "sign": _each(INT, (QUANTITY,)),
        "isInteger": _each(BOOL, (QUANTITY,)),
        "asInteger": _each(INT, (QUANTITY,)),
        "asApproximateFloat": _each(DOUBLE, (QUANTITY,)),
        **dict.fromkeys(("add", "sub"), _each(QUANTITY, (QUANTITY, QUANTITY), (QUANTITY, INT))),
        "compareTo": _each(INT, (QUANTITY, QUANTITY), (SEMVER, SEMVER)),
        **dict.fromkeys(
            ("isLessThan", "isGreaterThan"), _each(BOOL, (QUANTITY, QUANTITY), (SEMVER, SEMVER))
        ),
        **dict.fromkeys(("major", "minor", "patch"), _each(INT, (SEMVER,))),
        **dict.fromkeys(
            ("getScheme", "getHost", "getHostname", "getPort", "getEscapedPath"),
            _each(STRING, (URL,)),
        ),
        "getQuery": _each(map_of(_TEXTS), (URL,)),
        "family": _each(INT, (IP,)),
        **dict.fromkeys((*_OF_ADDRESSES, "isGlobalUnicast"), _each(BOOL, (IP,))),
        "containsIP": _each(BOOL, (CIDR, STRING), (CIDR, IP)),
        "containsCIDR": _each(BOOL, (CIDR, STRING), (CIDR, CIDR)),
        "ip": _each(IP, (CIDR,)),
        "masked": _each(CIDR, (CIDR,)),
        "prefixLength": _each(INT, (CIDR,)),
        **dict.fromkeys(_DATES, _each(INT, (TIMESTAMP,), (TIMESTAMP, STRING))),
        **dict.fromkeys(_CLOCKS, _each(INT, (TIMESTAMP,), (TIMESTAMP, STRING), (DURATION,))),
        # Of authorizers, optional values and what else is not followed: what they give.
        **dict.fromkeys(("allowed", "errored", "hasValue"), _each(BOOL, (UNKNOWN,))),
        **dict.fromkeys(("reason", "error"), _each(STRING, (UNKNOWN,))),
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
