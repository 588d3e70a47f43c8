"""The three kinds of patch that the Kubernetes API takes, on plain objects.

For what a client works out before it sends (the configuration that `kubectl apply` remembers) and
for clusters in memory; the lists merged by key are those of common manifests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_kubernetes.copying import copied

if TYPE_CHECKING:
    from collections.abc import Mapping

# Lists that a strategic patch merges, by the field that tells their entries apart. Service ports
# and container ports share a name, so their key is the first of these that an entry has.
_KEYS: Mapping[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "ports": ("containerPort", "port"),
}


def apply_patch(obj: dict[str, Any], patch: Any, kind: str) -> dict[str, Any]:
    """A patched copy of an object.

    Raises:
        ValueError: The patch does not fit the object, or its kind is unknown.
    """
    if kind == "strategic":
        return _merged(obj, patch, strategic=True)
    if kind == "merge":
        return _merged(obj, patch, strategic=False)
    if kind == "json":
        patched = copied(obj)
        for operation in patch:
            _operate(patched, operation)
        return patched
    raise ValueError(f"unknown kind of patch {kind!r}")


def _merged(obj: Any, patch: Mapping[str, Any], *, strategic: bool) -> dict[str, Any]:
    merged: dict[str, Any] = copied(obj) if isinstance(obj, dict) else {}
    for field, value in patch.items():
        if value is None:
            merged.pop(field, None)
        elif isinstance(value, dict):
            merged[field] = _merged(merged.get(field), value, strategic=strategic)
        elif strategic and field in _KEYS and isinstance(merged.get(field), list):
            merged[field] = _merged_list(merged[field], value, _KEYS[field])
        else:
            merged[field] = copied(value)
    return merged


def _merged_list(entries: list[Any], patch: list[Any], keys: tuple[str, ...]) -> list[Any]:
    merged = list(entries)
    for change in patch:
        key = next((key for key in keys if key in change), None)
        place = next((n for n, e in enumerate(merged) if key and e.get(key) == change[key]), None)
        if change.get("$patch") == "delete":
            merged = [e for n, e in enumerate(merged) if n != place]
        elif place is None:
            merged.append(copied(change))
        else:
            merged[place] = _merged(merged[place], change, strategic=True)
    return merged


def _operate(obj: Any, operation: Mapping[str, Any]) -> None:
    """Take one step of a JSON patch (RFC 6902): add, remove, replace, test."""
    steps = [s.replace("~1", "/").replace("~0", "~") for s in operation["path"].split("/")[1:]]
    try:
        for step in steps[:-1]:
            obj = obj[int(step)] if isinstance(obj, list) else obj[step]
        _change(obj, steps[-1], operation["op"], operation.get("value"))
    except (KeyError, IndexError, TypeError) as error:
        msg = f"there is nothing at {operation['path']!r} to {operation['op']}"
        raise ValueError(msg) from error


def _change(parent: Any, step: str, op: str, value: Any) -> None:
    if isinstance(parent, list):
        place = len(parent) if step == "-" else int(step)
        if op == "add":
            parent.insert(place, value)
            return
        current = parent[place]
    else:
        place = step  # type: ignore[assignment]  # a key, where lists have a position
        if op == "add":
            parent[place] = value
            return
        current = parent[place]
    if op == "remove":
        del parent[place]
    elif op == "replace":
        parent[place] = value
    elif op == "test" and current != value:
        raise ValueError(f"test failed: {current!r} is not {value!r}")
