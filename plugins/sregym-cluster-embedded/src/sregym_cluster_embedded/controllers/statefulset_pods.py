"""The pods of a StatefulSet and their claims: names, labels, volumes, who owns a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.controller_revisions import POD_LABEL, template_of
from sregym_cluster_embedded.controllers.pods import from_template, owner_reference
from sregym_cluster_embedded.store import Key, Object, key_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

RESOURCE = "statefulsets.apps"
_COMPONENT = "statefulset-controller"
_CLAIMS = "persistentvolumeclaims"
_NAME_LABEL = "statefulset.kubernetes.io/pod-name"
_INDEX_LABEL = "apps.kubernetes.io/pod-index"


def ordinal(stateful_set: Object, pod: Object) -> int | None:
    """The number at the end of the pod's name; None when the name is not the set's."""
    base, _, number = pod["metadata"]["name"].rpartition("-")
    if base != stateful_set["metadata"]["name"] or not number.isdecimal():
        return None
    return int(number)


def first_ordinal(stateful_set: Object) -> int:
    """`spec.ordinals.start`."""
    start: int = (stateful_set["spec"].get("ordinals") or {}).get("start", 0)
    return start


def create_pod(world: World, stateful_set: Object, number: int, revision: Object) -> None:
    """Create the claims that are missing and the pod.

    Raises:
        ApiError: One of them was refused; an event says so, unless the pod's name is taken.
    """
    pod = _new_pod(stateful_set, number, revision)
    name, owner = pod["metadata"]["name"], stateful_set["metadata"]["name"]
    create_claims(world, stateful_set, number)
    try:
        internal_client.create(world, "pods", pod)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            text = f"Create Pod {name} in StatefulSet {owner} failed error: {error.message}"
            _say(world, stateful_set, "Warning", "FailedCreate", text)
        raise
    text = f"Create Pod {name} in StatefulSet {owner} successful"
    _say(world, stateful_set, "Normal", "SuccessfulCreate", text)


def delete_pod(world: World, stateful_set: Object, pod: Object) -> None:
    """Delete a pod and say so."""
    internal_client.delete(world, key_of("pods", pod))
    name, owner = pod["metadata"]["name"], stateful_set["metadata"]["name"]
    text = f"Delete Pod {name} in StatefulSet {owner} successful"
    _say(world, stateful_set, "Normal", "SuccessfulDelete", text)


def create_claims(world: World, stateful_set: Object, number: int) -> None:
    """Create those of a pod's claims that do not exist.

    Raises:
        ApiError: A claim was refused; an event says so.
    """
    metadata = stateful_set["metadata"]
    for template in stateful_set["spec"].get("volumeClaimTemplates") or ():
        place = _claim_key(stateful_set, template, number)
        if world.store.get(place) is not None:
            continue
        try:
            internal_client.create(world, _CLAIMS, _new_claim(stateful_set, template, place.name))
        except ApiError as error:
            text = (
                f"Create Claim {place.name} for Pod {metadata['name']}-{number} in StatefulSet "
                f"{metadata['name']} failed error: {error.message}"
            )
            _say(world, stateful_set, "Warning", "FailedCreate", text)
            raise
        text = (
            f"Create Claim {place.name} Pod {metadata['name']}-{number} in StatefulSet "
            f"{metadata['name']} success"
        )
        _say(world, stateful_set, "Normal", "SuccessfulCreate", text)


def keep_identity(world: World, stateful_set: Object, number: int, pod: Object) -> None:
    """Give back to a pod the labels that name it, and the claims that it waits for."""
    if pod["status"].get("phase") == "Pending":
        create_claims(world, stateful_set, number)
    internal_client.patch_metadata(
        world, key_of("pods", pod), labels=_identity(stateful_set, number)
    )


def set_claim_owners(world: World, stateful_set: Object, number: int, pod: Object | None) -> None:
    """Set the owners of a pod's claims as the retention policy asks.

    `pod` is given when it is to go because the set shrinks: with `whenScaled: Delete` its claims
    go with it.
    """
    policy = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    owners = _set_owners(stateful_set)
    if policy.get("whenScaled") == "Delete" and pod is not None:
        reference = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": pod["metadata"]["name"],
            "uid": pod["metadata"]["uid"],
        }
        owners = [reference]
    for template in stateful_set["spec"].get("volumeClaimTemplates") or ():
        place = _claim_key(stateful_set, template, number)
        claim = world.store.get(place)
        if claim is None:
            continue
        names = (stateful_set["metadata"]["name"], f"{stateful_set['metadata']['name']}-{number}")
        others = [
            entry
            for entry in claim["metadata"].get("ownerReferences", ())
            if entry["kind"] not in ("StatefulSet", "Pod") or entry["name"] not in names
        ]
        internal_client.patch_metadata(world, place, owners=[*others, *owners])


def _set_owners(stateful_set: Object) -> list[Object]:
    policy = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return [owner_reference(stateful_set)] if policy.get("whenDeleted") == "Delete" else []


def _claim_key(stateful_set: Object, template: Object, number: int) -> Key:
    metadata = stateful_set["metadata"]
    name = f"{template['metadata']['name']}-{metadata['name']}-{number}"
    return Key(_CLAIMS, metadata["namespace"], name)


def _new_claim(stateful_set: Object, template: Object, name: str) -> Object:
    given = template["metadata"]
    matched = stateful_set["spec"]["selector"].get("matchLabels") or {}
    metadata: Object = {"name": name, "namespace": stateful_set["metadata"]["namespace"]}
    for field, value in (
        ("labels", {**(given.get("labels") or {}), **matched}),
        ("annotations", given.get("annotations")),
        ("ownerReferences", _set_owners(stateful_set)),
    ):
        if value:
            metadata[field] = value
    return {"metadata": metadata, "spec": template["spec"]}


def _identity(stateful_set: Object, number: int) -> dict[str, str | None]:
    name = f"{stateful_set['metadata']['name']}-{number}"
    return {_INDEX_LABEL: str(number), _NAME_LABEL: name}


def _new_pod(stateful_set: Object, number: int, revision: Object) -> Object:
    owner = stateful_set["metadata"]["name"]
    spec = stateful_set["spec"]
    revised = {**stateful_set, "spec": {**spec, "template": template_of(revision)}}
    pod = from_template(revised, f"{owner}-")
    name = f"{owner}-{number}"
    labels = {
        **pod["metadata"].get("labels", {}),
        POD_LABEL: revision["metadata"]["name"],
        **_identity(stateful_set, number),
    }
    claims = [
        {
            "name": template["metadata"]["name"],
            "persistentVolumeClaim": {"claimName": _claim_key(stateful_set, template, number).name},
        }
        for template in spec.get("volumeClaimTemplates") or ()
    ]
    claimed = [entry["name"] for entry in claims]
    others = [entry for entry in pod["spec"].get("volumes") or () if entry["name"] not in claimed]
    new_spec = {**pod["spec"], "hostname": name}
    if spec.get("serviceName"):
        new_spec["subdomain"] = spec["serviceName"]
    if claims or others:
        new_spec["volumes"] = [*claims, *others]
    return {"metadata": {**pod["metadata"], "name": name, "labels": labels}, "spec": new_spec}


def _say(world: World, stateful_set: Object, type_: str, reason: str, text: str) -> None:
    events.record(world, stateful_set, RESOURCE, type_, reason, text, _COMPONENT)
