"""Whether a pod is among those that a namespace and labels choose, for tables that name pods so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# What stands before the text of a choice in tables: `pods:NAMESPACE?app=cart,tier=web`.
PREFIX = "pods:"


def choice(namespace: str, labels: Mapping[str, str], name: str = "") -> str:
    """The text of a choice: all pods of a namespace with these labels, or the one of this name."""
    wanted = ",".join(f"{key}={labels[key]}" for key in sorted(labels))
    return f"{PREFIX}{namespace}/{name}?{wanted}"


def chosen(world: World, text: str, pod_uid: str) -> bool:
    """Whether the pod is one of those that the text of a choice means, now."""
    place, _, wanted = text.removeprefix(PREFIX).partition("?")
    namespace, _, name = place.partition("/")
    return any(
        pod["metadata"]["uid"] == pod_uid and _has(pod, name, wanted)
        for pod in world.store.list("pods", namespace)
    )


def _has(pod: Object, name: str, wanted: str) -> bool:
    metadata = pod["metadata"]
    if name and metadata["name"] != name:
        return False
    labels = metadata.get("labels") or {}
    pairs = (entry.partition("=") for entry in wanted.split(",") if entry)
    return all(labels.get(key) == value for key, _, value in pairs)
