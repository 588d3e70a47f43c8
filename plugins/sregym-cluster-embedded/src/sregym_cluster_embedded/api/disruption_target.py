"""The condition that says a pod is about to go because of something other than its own end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Key, Object
    from sregym_cluster_embedded.world import World


def mark_disrupted(world: World, key: Key, reason: str, message: str) -> None:
    """Set `DisruptionTarget` in a pod's status, as the last of its conditions."""
    pod = world.store.get(key)
    if pod is not None:
        internal_client.update_status(world, key, disrupted(world, pod, reason, message))


def disrupted(world: World, pod: Object, reason: str, message: str) -> Object:
    """The status of a pod with that condition."""
    kept = [
        entry
        for entry in pod["status"].get("conditions", ())
        if entry["type"] != "DisruptionTarget"
    ]
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "observedGeneration": pod["metadata"].get("generation", 1),
        "lastProbeTime": None,
        "lastTransitionTime": world.timestamp(),
        "reason": reason,
        "message": message,
    }
    return {**pod["status"], "conditions": [*kept, target]}
