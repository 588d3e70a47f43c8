"""How many volumes of a CSI driver a node takes: what its CSINode says, and what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded import storage_drivers as drivers
from sregym_cluster_embedded.scheduler import reservations
from sregym_cluster_embedded.scheduler.claims import claim_names
from sregym_cluster_embedded.scheduler.filter_status import Verdict
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.scheduler.nodes import NodeFacts
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

EXCEEDED = Verdict("NodeVolumeLimits", ("node(s) exceed max volume count",), True)
_CLAIMS, _VOLUMES = "persistentvolumeclaims", "persistentvolumes"
_CLASSES = "storageclasses.storage.k8s.io"


def refusal(
    world: World, pod: Object, facts: NodeFacts, gone: frozenset[str] = frozenset()
) -> Verdict | None:
    """Why a node has no room for the volumes of a pod, or None.

    Args:
        world: The cluster.
        pod: The pod.
        facts: The node.
        gone: Uids of pods that are thought to have left.
    """
    found = world.store.get(Key(drivers.CSI_NODES, "", facts.name))
    limits = {
        entry["name"]: entry["allocatable"]["count"]
        for entry in ((found or {}).get("spec") or {}).get("drivers") or ()
        if (entry.get("allocatable") or {}).get("count") is not None
    }
    if not limits:
        return None
    asked = _volumes(world, pod)
    if not any(driver in limits for driver, _ in asked):
        return None
    there: set[tuple[str, str]] = set()
    bound = world.store.indexed("pods", "node", facts.name)
    for other in (*bound, *reservations.promised(world, facts.name)):
        if other["metadata"]["uid"] not in gone and other["status"].get("phase") not in _OVER:
            there |= _volumes(world, other)
    for driver, limit in limits.items():
        new = sum(1 for volume in asked - there if volume[0] == driver)
        if new and new + sum(1 for volume in there if volume[0] == driver) > limit:
            return EXCEEDED
    return None


_OVER = ("Succeeded", "Failed")


def _volumes(world: World, pod: Object) -> set[tuple[str, str]]:
    """(driver, volume) of the claims of a pod: of volumes that are to be made the claim's name."""
    found: set[tuple[str, str]] = set()
    namespace = pod["metadata"]["namespace"]
    for name, _ in claim_names(pod):
        claim = world.store.get(Key(_CLAIMS, namespace, name))
        if claim is None:
            continue
        volume = world.store.get(Key(_VOLUMES, "", claim["spec"].get("volumeName") or ""))
        if volume is not None:
            csi = volume["spec"].get("csi")
            if csi is not None:
                found.add((csi["driver"], csi["volumeHandle"]))
            continue
        made_by = world.store.get(Key(_CLASSES, "", claim["spec"].get("storageClassName") or ""))
        if made_by is not None:
            found.add((made_by["provisioner"], f"{namespace}/{name}"))
    return found
