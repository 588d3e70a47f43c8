"""Fields of custom resources: where they are, how they are set, how a wrong value is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_core.model import Component

MISSING = object()
_REPLICAS = "replicas"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def value_at(obj: Mapping[str, Any], path: str) -> Any:
    """What stands at a dotted path of an object; `MISSING` where nothing does."""
    found: Any = obj
    for name in path.split("."):
        if not isinstance(found, dict) or name not in found:
            return MISSING
        found = found[name]
    return found


def merge_of(path: str, value: Any) -> dict[str, Any]:
    """The merge patch that sets a field; None takes it away."""
    for name in reversed(path.split(".")):
        value = {name: value}
    patch: dict[str, Any] = value
    return patch


def replicas_path(component: Component, manifest: Mapping[str, Any]) -> str:
    """The field of a custom resource that says how many pods a component has; empty for none.

    Of several it is the one below a field with the component's name, else the first.
    """
    found = list(_paths(manifest.get("spec") or {}, "spec"))
    words = component.name.split("-")
    own = [path for path in found if path.split(".")[-2] in words]
    return next(iter([*own, *found]), "")


def _paths(spec: Mapping[str, Any], above: str) -> Iterator[str]:
    for name, value in spec.items():
        path = f"{above}.{name}"
        if name == _REPLICAS and isinstance(value, int):
            yield path
        elif isinstance(value, dict):
            yield from _paths(value, path)


def holds(found: Any, wrong: Any, right: Any) -> bool:
    """Whether a field still has a wrong value.

    A list does while one of the wrong entries is in it, a map while all wrong fields are; a number
    also while it is nearer to the wrong one than to the right one.
    """
    if found is MISSING or found is None:
        return False
    if isinstance(wrong, dict):
        rights = right if isinstance(right, dict) else {}
        return isinstance(found, dict) and all(
            holds(found.get(name, MISSING), value, rights.get(name))
            for name, value in wrong.items()
            if value != rights.get(name)
        )
    if isinstance(wrong, list):
        kept = right if isinstance(right, list) else []
        return isinstance(found, list) and any(
            entry in found for entry in wrong if entry not in kept
        )
    if _number(found) and _number(wrong) and _number(right):
        return bool(abs(found - wrong) < abs(found - right))
    return bool(found == wrong)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def leaves(value: Any) -> tuple[str, ...]:
    """The plain values of a field as people write them."""
    if isinstance(value, dict):
        return tuple(text for part in value.values() for text in leaves(part))
    if isinstance(value, list):
        return tuple(text for part in value for text in leaves(part))
    return (str(value),)


def spoken(name: str) -> str:
    """A field's name as words: `storageClassName` is `storage class name`."""
    return " ".join(word.lower() for word in _WORD.findall(name))
