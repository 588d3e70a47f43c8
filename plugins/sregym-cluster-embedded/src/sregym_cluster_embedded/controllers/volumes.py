"""Persistent volumes and claims: binding, provisioning, protection, release."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.controllers import attacher, expansion, provisioning, pv_recycler
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.volume_matching import best, mismatch, refers_to
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

CLAIM, VOLUME = "controllers.volumes.claim", "controllers.volumes.volume"
_CLAIMS, _VOLUMES = "persistentvolumeclaims", "persistentvolumes"
_CLASSES = "storageclasses.storage.k8s.io"
COMPONENT = "persistentvolume-controller"
_SELECTED_NODE = "volume.kubernetes.io/selected-node"
_CLAIM_PROTECTION = "kubernetes.io/pvc-protection"
_VOLUME_PROTECTION = "kubernetes.io/pv-protection"
_BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
_BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
# Where the controller of host paths dares to delete.
_SCRATCH = re.compile("/tmp/.+")  # noqa: S108  a path on nodes, matched as there
_DELAY_S = 0.03
_RESYNC_S = 15.0


def claim_values(pod: Object) -> list[str]:
    """Index values of a pod: `NAMESPACE/CLAIM` of the claims that it mounts."""
    metadata = pod["metadata"]
    values = []
    for volume in pod["spec"].get("volumes", ()):
        if "persistentVolumeClaim" in volume:
            values.append(f"{metadata['namespace']}/{volume['persistentVolumeClaim']['claimName']}")
        elif "ephemeral" in volume:
            values.append(f"{metadata['namespace']}/{metadata['name']}-{volume['name']}")
    return values


def listen(world: World, change: Change) -> None:
    """Claims and volumes are looked at when they change.

    A claim that waits does not notice a new volume or class before the controller looks at all.
    """
    key, obj = change.key, change.obj
    gone = change.type is ChangeType.DELETED
    if key.resource == _CLAIMS:
        if gone:
            volume = obj["spec"].get("volumeName")
            if volume:
                enqueue(world, VOLUME, volume, _DELAY_S)
        else:
            enqueue(world, CLAIM, (key.namespace, key.name), _DELAY_S)
    elif key.resource == _VOLUMES:
        reference = obj["spec"].get("claimRef")
        if not gone:
            enqueue(world, VOLUME, key.name, _DELAY_S / 2)
        elif reference is not None:
            enqueue(world, CLAIM, (reference["namespace"], reference["name"]), _DELAY_S)
    elif key.resource == "pods" and (change.old is None or gone or _ended(change)):
        for value in claim_values(obj):
            namespace, _, name = value.partition("/")
            claim = world.store.get(Key(_CLAIMS, namespace, name))
            # Pods only hold back the deletion of claims; they do not make them be bound.
            if claim is not None and "deletionTimestamp" in claim["metadata"]:
                enqueue(world, CLAIM, (namespace, name), _DELAY_S)


def reconcile_claim(world: World, place: tuple[str, str]) -> None:
    """Handler: look at one claim."""
    mark_processing(world, CLAIM, place)
    key = Key(_CLAIMS, *place)
    claim = world.store.get(key)
    if claim is None:
        return
    if "deletionTimestamp" in claim["metadata"]:
        finalizers = claim["metadata"].get("finalizers", [])
        if _CLAIM_PROTECTION in finalizers and not _used(world, place):
            left = [name for name in finalizers if name != _CLAIM_PROTECTION]
            internal_client.patch_metadata(world, key, finalizers=left)
        return
    if claim["metadata"].get("annotations", {}).get(_BIND_COMPLETED):
        _look_at_bound(world, key, claim)
        return
    named = claim["spec"].get("volumeName")
    if named:
        _bind_named(world, claim, named)
        return
    found = world.store.get(Key(_CLASSES, "", claim["spec"].get("storageClassName") or ""))
    node = claim["metadata"].get("annotations", {}).get(_SELECTED_NODE)
    late = found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer"
    if late and not node:
        _wait(world, claim)
        return
    volume = _match(world, claim, node)
    if volume is not None:
        bind(world, claim, volume, chosen=True)
        return
    _provide(world, claim, found, node)


def _look_at_bound(world: World, key: Key, claim: Object) -> None:
    """A claim stays bound for ever, or has lost its volume."""
    volume = world.store.get(Key(_VOLUMES, "", claim["spec"].get("volumeName", "")))
    reason, text = (
        "ClaimLost",
        "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    )
    if volume is not None and volume["spec"].get("claimRef") is None:
        bind(world, claim, volume, chosen=False)
        return
    if volume is not None:
        reason = "ClaimMisbound"
        text = "Two claims are bound to the same volume, this one is bound incorrectly"
    if volume is not None and refers_to(volume, claim):
        expansion.reconcile_claim(world, claim)
    elif claim["status"].get("phase") != "Lost":
        internal_client.update_status(world, key, {"phase": "Lost"})
        _say(world, claim, "Warning", reason, text)


def reconcile_volume(world: World, name: str) -> None:
    """Handler: look at one volume."""
    mark_processing(world, VOLUME, name)
    key = Key(_VOLUMES, "", name)
    volume = world.store.get(key)
    if volume is None:
        return
    reference = volume["spec"].get("claimRef")
    status: Object = volume.get("status", {})
    phase = status.get("phase", "Pending")
    if "deletionTimestamp" in volume["metadata"] and phase != "Bound":
        finalizers = volume["metadata"].get("finalizers", [])
        left = [
            entry
            for entry in finalizers
            if entry != _VOLUME_PROTECTION and not attacher.lets_go(world, volume, entry)
        ]
        internal_client.patch_metadata(world, key, finalizers=left)
        return
    if reference is None or not reference.get("uid"):
        if phase != "Available":
            _become(world, key, status, "Available")
        return
    claim = world.store.get(Key(_CLAIMS, reference["namespace"], reference["name"]))
    if claim is not None and claim["metadata"]["uid"] == reference["uid"]:
        if not claim["spec"].get("volumeName"):
            # Reserved, by the scheduler or a provisioner: the claim binds both.
            enqueue(world, CLAIM, (reference["namespace"], reference["name"]), _DELAY_S / 2)
        elif phase != "Bound":
            _become(world, key, status, "Bound")
        return
    if phase not in ("Released", "Failed"):
        status = _become(world, key, status, "Released")
    policy = volume["spec"].get("persistentVolumeReclaimPolicy")
    if policy == "Delete":
        _reclaim(world, key, volume, status)
    elif policy == "Recycle" and phase not in ("Released", "Failed"):
        pv_recycler.begin(world, name)


def _become(world: World, key: Key, status: Object, phase: str) -> Object:
    """Write another phase of a volume; returns its status."""
    new = {**status, "phase": phase, "lastPhaseTransitionTime": world.timestamp()}
    internal_client.update_status(world, key, new)
    return new


def _reclaim(world: World, key: Key, volume: Object, status: Object) -> None:
    """Delete a volume that is no longer claimed, as far as a driver can."""
    spec, name = volume["spec"], key.name
    provisioner = (volume["metadata"].get("annotations") or {}).get(provisioning.PROVISIONED_BY)
    if provisioner is not None:
        # Its provisioner deletes it, when it is in the cluster.
        if provisioning.runs(world, provisioner):
            internal_client.delete(world, key)
        return
    path = (spec.get("hostPath") or {}).get("path")
    if path is not None and _SCRATCH.search(path):
        internal_client.delete(world, key)
        return
    text = f"host_path deleter only supports /tmp/.+ but received provided {path}"
    if path is None:
        head = f'error getting deleter volume plugin for volume "{name}"'
        text = f"{head}: no deletable volume plugin matched"
    if status.get("phase") == "Failed":
        return
    _become(world, key, {**status, "message": text}, "Failed")
    events.record(world, volume, _VOLUMES, "Warning", "VolumeFailedDelete", text, COMPONENT)


def bind(world: World, claim: Object, volume: Object, *, chosen: bool) -> None:
    """Bind a claim and a volume to each other; `chosen`: by this controller, not by a user."""
    metadata, spec = claim["metadata"], volume["spec"]
    mark: dict[str, str | None] = {_BOUND_BY_CONTROLLER: "yes"} if chosen else {}
    name = volume["metadata"]["name"]
    place = Key(_VOLUMES, "", name)
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": metadata["name"],
        "namespace": metadata["namespace"],
        "resourceVersion": metadata["resourceVersion"],
        "uid": metadata["uid"],
    }
    if spec.get("claimRef", {}).get("uid") != metadata["uid"]:
        claimed = {**volume, "spec": {**spec, "claimRef": reference}}
        annotations = {**(volume["metadata"].get("annotations") or {}), **mark}
        if annotations:
            claimed["metadata"] = {**volume["metadata"], "annotations": annotations}
        volume = internal_client.update(world, _VOLUMES, claimed)
    status: Object = volume.get("status", {})
    if status.get("phase") != "Bound":
        _become(world, place, status, "Bound")
    key = Key(_CLAIMS, metadata["namespace"], metadata["name"])
    marks = {**(metadata.get("annotations") or {}), **mark, _BIND_COMPLETED: "yes"}
    fresh = {
        **claim,
        "metadata": {**metadata, "annotations": marks},
        "spec": {**claim["spec"], "volumeName": name},
    }
    internal_client.update(world, _CLAIMS, fresh)
    status = {"phase": "Bound", "accessModes": spec["accessModes"], "capacity": spec["capacity"]}
    internal_client.update_status(world, key, status)


def _bind_named(world: World, claim: Object, name: str) -> None:
    volume = world.store.get(Key(_VOLUMES, "", name))
    if volume is None:
        _at_next_look(world, claim)
        return
    reference = volume["spec"].get("claimRef")
    if reference is not None and not refers_to(volume, claim):
        text = f'volume "{name}" already bound to a different claim.'
        _say(world, claim, "Warning", "FailedBinding", text)
        _at_next_look(world, claim)
        return
    lacks = mismatch(volume, claim) if reference is None else ""
    if lacks:
        text = f'Cannot bind to requested volume "{name}": {lacks}'
        _say(world, claim, "Warning", "VolumeMismatch", text)
        _at_next_look(world, claim)
        return
    bind(world, claim, volume, chosen=False)


def _match(world: World, claim: Object, node: str | None) -> Object | None:
    """The smallest volume that can serve the claim, or None."""
    place = world.store.get(Key("nodes", "", node)) if node is not None else None
    return best(world.store.list(_VOLUMES, ""), claim, place)


def _wait(world: World, claim: Object) -> None:
    """A claim that is bound late waits for a pod, or for that pod's node."""
    held = next(
        (entry for entry in world.store.list(_VOLUMES, "") if refers_to(entry, claim)), None
    )
    if held is not None:
        bind(world, claim, held, chosen=True)
        return
    metadata = claim["metadata"]
    value = f"{metadata['namespace']}/{metadata['name']}"
    waiting = [
        pod["metadata"]["name"]
        for pod in world.store.indexed("pods", "claim", value)
        if not pod["spec"].get("nodeName")
        and pod["status"].get("phase") not in ("Succeeded", "Failed")
    ]
    if not waiting:
        text = "waiting for first consumer to be created before binding"
        _say(world, claim, "Normal", "WaitForFirstConsumer", text)
    elif len(waiting) == 1:
        text = f"waiting for pod {waiting[0]} to be scheduled"
        _say(world, claim, "Normal", "WaitForPodScheduled", text)
    else:
        text = f"waiting for pods {','.join(sorted(waiting))} to be scheduled"
        _say(world, claim, "Normal", "WaitForPodScheduled", text)
    _at_next_look(world, claim)


def _at_next_look(world: World, claim: Object) -> None:
    """The controller looks at all claims every 15 seconds."""
    metadata = claim["metadata"]
    place = (metadata["namespace"], metadata["name"])
    enqueue(world, CLAIM, place, _RESYNC_S - world.now % _RESYNC_S)


def _provide(world: World, claim: Object, found: Object | None, node: str | None) -> None:
    name = claim["spec"].get("storageClassName")
    if not name:
        text = "no persistent volumes available for this claim and no storage class is set"
        _say(world, claim, "Normal", "FailedBinding", text)
        _at_next_look(world, claim)
    elif found is None:
        text = f'storageclass.storage.k8s.io "{name}" not found'
        _say(world, claim, "Warning", "ProvisioningFailed", text)
        _at_next_look(world, claim)
    elif not provisioning.runs(world, found["provisioner"]):
        # That the claim names its provisioner now is no reason to ask again.
        if not provisioning.names_provisioner(claim) or round(world.now, 6) % _RESYNC_S == 0:
            provisioning.request_volume(world, claim, found["provisioner"], COMPONENT)
        _at_next_look(world, claim)
    else:
        provisioning.begin(world, claim, found["provisioner"], node, COMPONENT)


def _used(world: World, place: tuple[str, str]) -> bool:
    """Whether there is a pod on a node that mounts the claim, even one that has finished.

    A claim that was made for a pod is no longer used as soon as its kubelet is done with the pod.
    """
    value = f"{place[0]}/{place[1]}"
    return any(
        pod["spec"].get("nodeName") and (_mounts(pod, place[1]) or not _shut_down(pod))
        for pod in world.store.indexed("pods", "claim", value)
    )


def _mounts(pod: Object, claim: str) -> bool:
    return any(
        (volume.get("persistentVolumeClaim") or {}).get("claimName") == claim
        for volume in pod["spec"].get("volumes", ())
    )


def _shut_down(pod: Object) -> bool:
    metadata = pod["metadata"]
    return "deletionTimestamp" in metadata and metadata.get("deletionGracePeriodSeconds") == 0


def _ended(change: Change) -> bool:
    old = change.old or {}
    phases = ("Succeeded", "Failed")
    return (
        change.obj["status"].get("phase") in phases
        and old.get("status", {}).get("phase") not in phases
    )


def _say(world: World, claim: Object, type_: str, reason: str, text: str) -> None:
    events.record(world, claim, _CLAIMS, type_, reason, text, COMPONENT)
