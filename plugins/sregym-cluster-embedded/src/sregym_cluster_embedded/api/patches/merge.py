"""JSON merge patch (RFC 7396)."""

from __future__ import annotations

from typing import Any


def apply(obj: Any, patch: Any) -> Any:
    """`obj` with `patch` merged into it; null removes a field."""
    if not isinstance(patch, dict):
        return patch
    result = dict(obj) if isinstance(obj, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = apply(result.get(name), value)
    return result
