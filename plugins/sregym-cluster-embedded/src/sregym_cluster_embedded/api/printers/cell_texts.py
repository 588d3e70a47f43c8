"""Texts that the cells of several tables share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sregym_cluster_embedded.store import Object

NONE = "<none>"
Cells: TypeAlias = list[Any]
# An object and the Unix second at which it is printed give the cells of its row.
Printer: TypeAlias = "Callable[[Object, float], Cells]"

_OPERATORS = {"In": " in ", "NotIn": " notin "}


def labels(values: dict[str, str] | None) -> str:
    """`a=b,c=d`, sorted."""
    return ",".join(f"{key}={values[key]}" for key in sorted(values)) if values else NONE


def selector(value: Object | None) -> str:
    """A label selector in the form of `kubectl -l`."""
    if value is None:
        return NONE
    parts = [f"{key}={text}" for key, text in sorted(value.get("matchLabels", {}).items())]
    for rule in sorted(value.get("matchExpressions", ()), key=lambda rule: rule["key"]):
        operator, key = rule["operator"], rule["key"]
        if operator == "Exists":
            parts.append(key)
        elif operator == "DoesNotExist":
            parts.append(f"!{key}")
        else:
            listed = ",".join(sorted(rule.get("values", ())))
            parts.append(f"{key}{_OPERATORS.get(operator, ' ')}({listed})")
    return ",".join(parts) or NONE


def containers(spec: Object) -> tuple[str, str]:
    """Names and images of a pod spec's containers."""
    entries = spec.get("containers", ())
    names = ",".join(entry["name"] for entry in entries)
    return names, ",".join(entry.get("image", "") for entry in entries)


def some(items: Iterable[str], limit: int = 3) -> str:
    """The first few, and how many more there are."""
    listed = list(items)
    text = ",".join(listed[:limit])
    return f"{text} + {len(listed) - limit} more..." if len(listed) > limit else text


def condition(obj: Object, type_: str) -> Object | None:
    """The status condition of that type."""
    for entry in obj.get("status", {}).get("conditions") or ():
        if entry.get("type") == type_:
            found: Object = entry
            return found
    return None


def is_true(obj: Object, type_: str) -> bool:
    """Whether a status condition holds."""
    found = condition(obj, type_)
    return found is not None and found.get("status") == "True"


_MODES = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def access_modes(modes: Iterable[str] | None) -> str:
    """`RWO,RWX` in a fixed order, each once."""
    given = set(modes or ())
    return ",".join(short for mode, short in _MODES.items() if mode in given)
