"""ResourceClaims of pods: made from templates, freed when no pod uses them any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, owner_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.device-claims"
RESOURCE = "resourceclaims.resource.k8s.io"
_TEMPLATES = "resourceclaimtemplates.resource.k8s.io"
_COMPONENT = "resource_claim"
_POD_CLAIM = "resource.kubernetes.io/pod-claim-name"
_FINALIZER = "resource.kubernetes.io/delete-protection"
_DELAY_S, _AGAIN_S = 0.03, 5.0


def pod_changed(world: World, change: Change) -> None:
    """A pod with claims of devices came, ended or went."""
    if "resourceClaims" in change.obj["spec"]:
        old = change.old
        if old is None or change.type is ChangeType.DELETED or _over(old) != _over(change.obj):
            enqueue(world, HANDLER, change.key, _DELAY_S)


def claim_changed(world: World, change: Change) -> None:
    """A claim that is to go is released when no pod uses it."""
    if "deletionTimestamp" in change.obj["metadata"] and change.type is not ChangeType.DELETED:
        _release(world, change.obj, "")


def reconcile(world: World, key: Key) -> None:
    """Handler: make what one pod claims, or free what it has used."""
    mark_processing(world, HANDLER, key)
    pod = world.store.get(key)
    if pod is None or _over(pod):
        _free(world, key, pod)
        return
    if "deletionTimestamp" in pod["metadata"]:
        return
    status: Object = pod.get("status", {})
    made = list(status.get("resourceClaimStatuses") or ())
    known = {entry["name"] for entry in made}
    for entry in pod["spec"]["resourceClaims"]:
        template = entry.get("resourceClaimTemplateName")
        if template and entry["name"] not in known:
            name = _make(world, pod, entry["name"], template)
            if name:
                made.append({"name": entry["name"], "resourceClaimName": name})
            else:
                enqueue(world, HANDLER, key, _AGAIN_S)
    if len(made) > len(known):
        internal_client.update_status(world, key, {**status, "resourceClaimStatuses": made})


def _make(world: World, pod: Object, name: str, template_name: str) -> str:
    """A claim from its template; empty, with an event, when there is no template."""
    metadata = pod["metadata"]
    template = world.store.get(Key(_TEMPLATES, metadata["namespace"], template_name))
    if template is None:
        text = (
            f'PodResourceClaim {name}: resource claim template "{template_name}": '
            f'resourceclaimtemplate.resource.k8s.io "{template_name}" not found'
        )
        reason = "FailedResourceClaimCreation"
        events.record(world, pod, "pods", "Warning", reason, text, _COMPONENT)
        return ""
    given = template["spec"].get("metadata") or {}
    owner = {
        "apiVersion": "v1",
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
    }
    claim = {
        "metadata": {
            **{field: given[field] for field in ("labels",) if field in given},
            "annotations": {**(given.get("annotations") or {}), _POD_CLAIM: name},
            "generateName": f"{metadata['name']}-{name}-",
            "namespace": metadata["namespace"],
            "ownerReferences": [owner],
        },
        "spec": template["spec"]["spec"],
    }
    found: str = internal_client.create(world, RESOURCE, claim)["metadata"]["name"]
    return found


def _free(world: World, key: Key, pod: Object | None) -> None:
    """No pod of this name uses claims any more."""
    for claim in list(world.store.list(RESOURCE, key.namespace)):
        status: Object = claim.get("status") or {}
        for user in status.get("reservedFor") or ():
            if user["name"] == key.name and (pod is None or user["uid"] == pod["metadata"]["uid"]):
                _release(world, claim, user["uid"])
        owner = owner_of(claim)
        if pod is not None and owner is not None and owner["uid"] == pod["metadata"]["uid"]:
            place = Key(RESOURCE, key.namespace, claim["metadata"]["name"])
            internal_client.delete(world, place)


def _release(world: World, claim: Object, uid: str) -> None:
    """Take a user off a claim; without users it has no devices, and nothing holds it back."""
    metadata = claim["metadata"]
    key = Key(RESOURCE, metadata["namespace"], metadata["name"])
    status: Object = dict(claim.get("status") or {})
    users = [entry for entry in status.pop("reservedFor", None) or () if entry["uid"] != uid]
    if users:
        internal_client.update_status(world, key, {**status, "reservedFor": users})
        return
    status.pop("allocation", None)
    internal_client.update_status(world, key, status)
    held = metadata.get("finalizers") or []
    if _FINALIZER in held:
        left = [name for name in held if name != _FINALIZER]
        internal_client.patch_metadata(world, key, finalizers=left)


def _over(pod: Object) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
