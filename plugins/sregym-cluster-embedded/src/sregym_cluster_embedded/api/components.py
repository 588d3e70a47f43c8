"""The state of the control plane's parts: asked for at each request, never stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

RESOURCE = "componentstatuses"
_NAMES = ("etcd-0", "scheduler", "controller-manager")


def listed() -> list[Object]:
    """All parts, in the order in which a server asks them. They have neither uid nor version."""
    return [
        {
            "apiVersion": "v1",
            "kind": "ComponentStatus",
            "metadata": {"name": name},
            "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}],
        }
        for name in _NAMES
    ]


def named(name: str) -> Object | None:
    """One part, or None."""
    return next((entry for entry in listed() if entry["metadata"]["name"] == name), None)
