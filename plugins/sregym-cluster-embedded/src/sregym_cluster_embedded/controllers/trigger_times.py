"""When the change happened that a write of endpoints answers to: of a Service, or of its pods.

A write for which no pod became ready or unready, because one was deleted or relabelled, has no such
moment, and takes the annotation of the one before away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time"
_SEEN: TableKey[tuple[str, str], ServiceObservation] = TableKey("controllers.endpoints.triggers")


class ServiceObservation(NamedTuple):
    """What the last look at a Service found.

    Attributes:
        made: When the Service was made.
        pods: When the readiness of its pods last changed, by name.
    """

    made: str
    pods: dict[str, str]


def trigger_time(world: World, service: Object, pods: Iterable[Object]) -> str:
    """The earliest change since the last look; empty when there was none."""
    metadata = service["metadata"]
    table, key = world.table(_SEEN), (metadata["namespace"], metadata["name"])
    known: ServiceObservation | None = table.get(key)
    made: str = metadata["creationTimestamp"]
    readiness = {pod["metadata"]["name"]: _ready_since(pod) for pod in pods}
    table[key] = ServiceObservation(made, readiness)
    if known is None:
        return made
    changed = [at for name, at in readiness.items() if at > known.pods.get(name, "")]
    if made > known.made:
        changed.append(made)
    return min(changed, default="")


def annotate(metadata: Object, old: Object, trigger: str) -> None:
    """Let an object say when the change was that it answers to; nothing when there is none."""
    annotations = {**(old.get("annotations") or {}), _ANNOTATION: trigger}
    if not trigger:
        del annotations[_ANNOTATION]
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations


def forget(world: World, key: tuple[str, str]) -> None:
    """A Service is gone."""
    world.table(_SEEN).pop(key, None)


def _ready_since(pod: Object) -> str:
    for condition in pod["status"].get("conditions") or ():
        if condition["type"] == "Ready":
            return condition.get("lastTransitionTime") or ""
    return ""
