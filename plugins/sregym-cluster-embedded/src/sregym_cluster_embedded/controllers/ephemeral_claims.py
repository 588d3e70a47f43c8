"""Generic ephemeral volumes: a claim for each, made for the pod and gone with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.ephemeral-claims"
_CLAIMS = "persistentvolumeclaims"
_COMPONENT = "ephemeral_volume"
# The scheduler is usually faster, and says once that it waits for the claim.
_DELAY_S = 0.03


def listen(world: World, change: Change) -> None:
    """New pods with generic ephemeral volumes are looked at."""
    if change.type is ChangeType.ADDED and any(
        "ephemeral" in volume for volume in change.obj["spec"].get("volumes") or ()
    ):
        enqueue(world, HANDLER, change.key, _DELAY_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: make the claims of one pod.

    Raises:
        ApiError: A claim was refused; it is tried again.
    """
    mark_processing(world, HANDLER, key)
    pod = world.store.get(key)
    if pod is None or "deletionTimestamp" in pod["metadata"]:
        return
    for volume in pod["spec"].get("volumes") or ():
        if "ephemeral" in volume:
            _ensure(world, pod, volume)


def _ensure(world: World, pod: Object, volume: Object) -> None:
    metadata = pod["metadata"]
    name = f"{metadata['name']}-{volume['name']}"
    known = world.store.get(Key(_CLAIMS, metadata["namespace"], name))
    if known is not None:
        owners = known["metadata"].get("ownerReferences") or ()
        if not any(owner["uid"] == metadata["uid"] for owner in owners):
            place = f"{metadata['namespace']}/{name}"
            text = f"PVC {place} was not created for pod {metadata['namespace']}/"
            _say(world, pod, f"{text}{metadata['name']} (pod is not owner)")
        return
    template = volume["ephemeral"]["volumeClaimTemplate"]
    given = template.get("metadata") or {}
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    kept = {field: given[field] for field in ("annotations", "labels") if given.get(field)}
    claim = {
        "metadata": {
            "name": name,
            "namespace": metadata["namespace"],
            "ownerReferences": [owner],
            **kept,
        },
        "spec": template["spec"],
    }
    try:
        internal_client.create(world, _CLAIMS, claim)
    except ApiError as error:
        _say(world, pod, f"ephemeral volume controller failed to create PVC: {error.message}")
        raise


def _say(world: World, pod: Object, text: str) -> None:
    events.record(world, pod, "pods", "Warning", "FailedToCreateEphemeralVolume", text, _COMPONENT)
