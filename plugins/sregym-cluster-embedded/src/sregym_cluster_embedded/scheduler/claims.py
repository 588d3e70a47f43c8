"""The volumes of a pod before it has a node: what must be bound, what waits for the node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

SELECTED_NODE = "volume.kubernetes.io/selected-node"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"


def claim_names(pod: Object) -> list[str]:
    """The PersistentVolumeClaims that a pod mounts."""
    names = []
    for volume in pod["spec"].get("volumes", ()):
        if "persistentVolumeClaim" in volume:
            names.append(volume["persistentVolumeClaim"]["claimName"])
        elif "ephemeral" in volume:
            names.append(f"{pod['metadata']['name']}-{volume['name']}")
    return names


def volumes_of(world: World, pod: Object) -> tuple[list[Object], list[Object], str]:
    """(bound volumes, claims that wait for a node, why the pod cannot be scheduled at all)."""
    volumes: list[Object] = []
    waiting: list[Object] = []
    for name in claim_names(pod):
        claim = world.store.get(Key("persistentvolumeclaims", pod["metadata"]["namespace"], name))
        if claim is None:
            return [], [], f'persistentvolumeclaim "{name}" not found'
        if "deletionTimestamp" in claim["metadata"]:
            return [], [], f'persistentvolumeclaim "{name}" is being deleted'
        bound = claim["spec"].get("volumeName")
        if bound and claim.get("status", {}).get("phase") == "Bound":
            volume = world.store.get(Key("persistentvolumes", "", bound))
            if volume is not None:
                volumes.append(volume)
        elif waits_for_consumer(world, claim):
            waiting.append(claim)
        else:
            return [], [], UNBOUND
    return volumes, waiting, ""


def waits_for_consumer(world: World, claim: Object) -> bool:
    """Whether the claim's class binds volumes only when a pod has got a node."""
    name = claim["spec"].get("storageClassName")
    if not name:
        return False
    found = world.store.get(Key("storageclasses.storage.k8s.io", "", name))
    return found is not None and found.get("volumeBindingMode") == "WaitForFirstConsumer"
