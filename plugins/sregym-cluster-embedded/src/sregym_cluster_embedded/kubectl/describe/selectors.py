"""Label selectors in descriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubectl.errors import NotCovered

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

_OPERATORS = {"In": "in", "NotIn": "notin"}


def selector_text(selector: Object | None) -> str:
    """A label selector on one line, its requirements sorted by key."""
    if not selector:
        return "<none>"
    requirements = [
        (key, f"{key}={value}") for key, value in selector.get("matchLabels", {}).items()
    ]
    for entry in selector.get("matchExpressions", ()):
        requirements.append((entry["key"], _requirement(entry)))
    if len({key for key, _ in requirements}) < len(requirements):
        raise NotCovered("a selector with several requirements of one key")
    return ",".join(text for _, text in sorted(requirements)) or "<none>"


def _requirement(entry: Object) -> str:
    key, operator = entry["key"], entry["operator"]
    if operator == "Exists":
        return str(key)
    if operator == "DoesNotExist":
        return f"!{key}"
    return f"{key} {_OPERATORS[operator]} ({','.join(sorted(entry['values']))})"
