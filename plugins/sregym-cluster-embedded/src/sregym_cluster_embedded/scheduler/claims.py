"""The volumes of a pod before it has a node: what must be bound, what waits for the node."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.placement import term_matches
from sregym_cluster_embedded.scheduler.filter_status import Verdict
from sregym_cluster_embedded.scheduler.load import present
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.volume_matching import best, reachable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.world import World

SELECTED_NODE = "volume.kubernetes.io/selected-node"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
IN_USE = Verdict(
    "VolumeRestrictions",
    (
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
        "already in-use by another pod",
    ),
    True,
)
ELSEWHERE = Verdict("VolumeBinding", ("node(s) didn't match PersistentVolume's node affinity",))
NONE_FREE = Verdict("VolumeBinding", ("node(s) didn't find available persistent volumes to bind",))
NO_ZONE = Verdict("VolumeZone", ("node(s) had no available volume zone",))
_NO_PROVISIONER = "kubernetes.io/no-provisioner"
_BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
_CLAIMS, _VOLUMES = "persistentvolumeclaims", "persistentvolumes"
_CLASSES = "storageclasses.storage.k8s.io"
_ZONE_LABELS = (
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)


class Volumes(NamedTuple):
    """The claims of a pod.

    Attributes:
        bound: The volumes of bound claims.
        waiting: Claims that wait for a node.
        exclusive: Names of claims that only one pod may use at a time.
        problem: Why the pod cannot be scheduled at all, or empty.
        plugin: Who says so.
    """

    bound: tuple[Object, ...] = ()
    waiting: tuple[Object, ...] = ()
    exclusive: tuple[str, ...] = ()
    problem: str = ""
    plugin: str = "VolumeBinding"


NO_VOLUMES = Volumes()


def volumes_of(world: World, pod: Object) -> Volumes:
    """What a pod's claims demand of its node."""
    if not any(kind in volume for volume in pod["spec"].get("volumes") or () for kind in _KINDS):
        return NO_VOLUMES
    bound: list[Object] = []
    waiting: list[Object] = []
    exclusive: list[str] = []
    unbound = False
    namespace = pod["metadata"]["namespace"]
    for name, generic in claim_names(pod):
        claim = world.store.get(Key(_CLAIMS, namespace, name))
        problem = _problem(pod, name, claim, generic)
        if problem or claim is None:
            return Volumes(problem=problem)
        if "ReadWriteOncePod" in claim["spec"].get("accessModes", ()):
            exclusive.append(name)
        volume_name = claim["spec"].get("volumeName")
        if volume_name and claim.get("status", {}).get("phase") == "Bound":
            volume = world.store.get(Key(_VOLUMES, "", volume_name))
            if volume is not None:
                bound.append(volume)
        elif waits_for_consumer(world, claim):
            waiting.append(claim)
        else:
            unbound = True
    if unbound:
        return Volumes(problem=UNBOUND)
    return Volumes(tuple(bound), tuple(waiting), tuple(exclusive))


def refusal(world: World, volumes: Volumes, facts: NodeFacts) -> Verdict | None:
    """Why the pod's volumes cannot be had on the node, or None."""
    if any(not reachable(volume, facts.node) for volume in volumes.bound):
        return ELSEWHERE
    if volumes.waiting and _placed(world, volumes, facts) is None:
        return NONE_FREE
    for volume in volumes.bound:
        labels = volume["metadata"].get("labels")
        if labels and not _same_zone(labels, facts):
            return NO_ZONE
    return None


def in_use(world: World, pod: Object, volumes: Volumes, gone: frozenset[str]) -> bool:
    """Whether another pod with a node uses a claim that is for one pod only."""
    metadata = pod["metadata"]
    for name in volumes.exclusive:
        for other in world.store.indexed("pods", "claim", f"{metadata['namespace']}/{name}"):
            uid = other["metadata"]["uid"]
            over = other["status"].get("phase") in ("Succeeded", "Failed")
            if uid == metadata["uid"] or uid in gone or over:
                continue
            if present(world, other) is not None:
                return True
    return False


def settle(world: World, volumes: Volumes, facts: NodeFacts) -> None:
    """Let the waiting claims have the volumes that were found for the node, or new ones there."""
    for claim, volume in (_placed(world, volumes, facts) or {}).values():
        metadata = claim["metadata"]
        key = Key(_CLAIMS, metadata["namespace"], metadata["name"])
        if volume is None:
            internal_client.annotate(world, key, {SELECTED_NODE: facts.name})
        elif volume["spec"].get("claimRef") is None:
            _reserve(world, volume, claim)


def waits_for_consumer(world: World, claim: Object) -> bool:
    """Whether the claim's class binds volumes only when a pod has got a node."""
    found = _class_of(world, claim)
    return found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer"


_KINDS = ("persistentVolumeClaim", "ephemeral")


def claim_names(pod: Object) -> list[tuple[str, bool]]:
    """The claims that a pod mounts, and whether they are made for it (generic ephemeral)."""
    names = []
    for volume in pod["spec"].get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            names.append((volume["persistentVolumeClaim"]["claimName"], False))
        elif "ephemeral" in volume:
            names.append((f"{pod['metadata']['name']}-{volume['name']}", True))
    return names


def _problem(pod: Object, name: str, claim: Object | None, generic: bool) -> str:
    if claim is None:
        if generic:
            return (
                "waiting for ephemeral volume controller to create the persistentvolumeclaim "
                f'"{name}"'
            )
        return f'persistentvolumeclaim "{name}" not found'
    if "deletionTimestamp" in claim["metadata"]:
        return f'persistentvolumeclaim "{name}" is being deleted'
    if claim.get("status", {}).get("phase") == "Lost":
        volume = claim["spec"].get("volumeName", "")
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{volume}"'
    if generic:
        owners = claim["metadata"].get("ownerReferences") or ()
        if not any(owner["uid"] == pod["metadata"]["uid"] for owner in owners):
            place = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
            return f"PVC {claim['metadata']['namespace']}/{name} was not created for pod {place}"
    return ""


def _placed(
    world: World, volumes: Volumes, facts: NodeFacts
) -> Mapping[str, tuple[Object, Object | None]] | None:
    """For each waiting claim a volume within reach, or None to make one; None: impossible."""
    found: dict[str, tuple[Object, Object | None]] = {}
    taken: set[str] = set()
    for claim in volumes.waiting:
        chosen = (claim["metadata"].get("annotations") or {}).get(SELECTED_NODE)
        if chosen and chosen != facts.name:
            return None
        free = [
            volume
            for volume in world.store.list(_VOLUMES, "")
            if volume["metadata"]["name"] not in taken
        ]
        volume = best(free, claim, facts.node)
        if volume is not None and not reachable(volume, facts.node):
            return None
        if volume is not None:
            taken.add(volume["metadata"]["name"])
        elif not _provisionable(world, claim, facts):
            return None
        found[claim["metadata"]["name"]] = (claim, volume)
    return found


def _provisionable(world: World, claim: Object, facts: NodeFacts) -> bool:
    found = _class_of(world, claim)
    if found is None or found["provisioner"] == _NO_PROVISIONER:
        return False
    topologies = found.get("allowedTopologies")
    if not topologies:
        return True
    return any(
        term_matches(
            {
                "matchExpressions": [
                    {**entry, "operator": "In"} for entry in term.get("matchLabelExpressions", ())
                ]
            },
            facts.node,
        )
        for term in topologies
    )


def _reserve(world: World, volume: Object, claim: Object) -> None:
    metadata = claim["metadata"]
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "name": metadata["name"],
        "namespace": metadata["namespace"],
        "resourceVersion": metadata["resourceVersion"],
        "uid": metadata["uid"],
    }
    annotations = {**(volume["metadata"].get("annotations") or {}), _BOUND_BY_CONTROLLER: "yes"}
    internal_client.update(
        world,
        _VOLUMES,
        {
            **volume,
            "metadata": {**volume["metadata"], "annotations": annotations},
            "spec": {**volume["spec"], "claimRef": reference},
        },
    )


def _same_zone(labels: Mapping[str, str], facts: NodeFacts) -> bool:
    for label in _ZONE_LABELS:
        # A volume of several zones has them all in one label: `a__b`.
        if label in labels and facts.labels.get(label) not in labels[label].split("__"):
            return False
    return True


def _class_of(world: World, claim: Object) -> Object | None:
    name = claim["spec"].get("storageClassName")
    return world.store.get(Key(_CLASSES, "", name)) if name else None
