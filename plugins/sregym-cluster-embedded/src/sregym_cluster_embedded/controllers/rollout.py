"""The arithmetic of rolling updates: who grows, who shrinks, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.controllers.deployment_status import max_surge, max_unavailable
from sregym_cluster_embedded.controllers.revisions import DESIRED, MAXIMUM, annotations_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World


def maximum(deployment: Object) -> int:
    """How many replicas there may be at once."""
    wanted: int = deployment["spec"].get("replicas", 1)
    return wanted + max_surge(deployment)


def first_size(deployment: Object, others: list[Object]) -> int:
    """With how many replicas a new ReplicaSet begins."""
    return _grown(deployment, 0, sum(size(entry) for entry in others))


def size(replica_set: Object) -> int:
    """spec.replicas."""
    replicas: int = replica_set["spec"].get("replicas", 1)
    return replicas


def grow(world: World, deployment: Object, newest: Object, others: list[Object]) -> bool:
    """Bring the newest ReplicaSet nearer to the wanted size; True when it was changed."""
    wanted: int = deployment["spec"].get("replicas", 1)
    if size(newest) == wanted:
        return False
    if size(newest) > wanted:
        return resize(world, deployment, newest, wanted)
    total = sum(size(entry) for entry in others) + size(newest)
    return resize(world, deployment, newest, _grown(deployment, size(newest), total))


def shrink(world: World, deployment: Object, newest: Object, others: list[Object]) -> bool:
    """Scale old ReplicaSets down as far as availability allows; True when one was changed."""
    if not any(size(entry) for entry in others):
        return False
    wanted: int = deployment["spec"].get("replicas", 1)
    total = sum(size(entry) for entry in others) + size(newest)
    floor = wanted - max_unavailable(deployment)
    allowed = total - floor - (size(newest) - _available(newest))
    if allowed <= 0:
        return False
    sizes = {entry["metadata"]["name"]: size(entry) for entry in others}
    cleaned = 0
    for replica_set in others:
        name = replica_set["metadata"]["name"]
        unhealthy = sizes[name] - _available(replica_set)
        step = min(allowed - cleaned, unhealthy)
        if sizes[name] and step > 0:
            sizes[name] -= step
            cleaned += step
    spare = sum(_available(entry) for entry in [*others, newest]) - floor
    for replica_set in others:
        name = replica_set["metadata"]["name"]
        step = min(sizes[name], spare)
        if step > 0:
            sizes[name] -= step
            spare -= step
    changed = False
    for replica_set in others:
        new_size = sizes[replica_set["metadata"]["name"]]
        changed = resize(world, deployment, replica_set, new_size) or changed
    return changed


def scale(world: World, deployment: Object, newest: Object | None, others: list[Object]) -> None:
    """Follow a change of spec.replicas without going on with a rollout."""
    wanted: int = deployment["spec"].get("replicas", 1)
    everyone = [*others, newest] if newest is not None else others
    active = [entry for entry in everyone if size(entry) > 0]
    if len(active) <= 1:
        only = active[0] if active else newest or (others[-1] if others else None)
        if only is not None:
            resize(world, deployment, only, wanted)
        return
    if newest is not None and size(newest) == wanted == _available(newest):
        for replica_set in others:
            resize(world, deployment, replica_set, 0)
        return
    _proportionally(world, deployment, active)


def resize(world: World, deployment: Object, replica_set: Object, replicas: int) -> bool:
    """Set a ReplicaSet's size and the annotations about its Deployment's; True when it changed."""
    annotations = {
        **annotations_of(replica_set),
        DESIRED: str(deployment["spec"].get("replicas", 1)),
        MAXIMUM: str(maximum(deployment)),
    }
    before = size(replica_set)
    if before == replicas and annotations == annotations_of(replica_set):
        return False
    metadata = {**replica_set["metadata"], "annotations": annotations}
    spec = (
        {**replica_set["spec"], "replicas": replicas} if before != replicas else replica_set["spec"]
    )
    internal_client.update(
        world, "replicasets.apps", {**replica_set, "metadata": metadata, "spec": spec}
    )
    if before != replicas:
        direction = "up" if replicas > before else "down"
        name = replica_set["metadata"]["name"]
        text = f"Scaled {direction} replica set {name} from {before} to {replicas}"
        events.record(
            world,
            deployment,
            "deployments.apps",
            "Normal",
            "ScalingReplicaSet",
            text,
            "deployment-controller",
        )
    return before != replicas


def _grown(deployment: Object, present: int, total: int) -> int:
    wanted: int = deployment["spec"].get("replicas", 1)
    if deployment["spec"].get("strategy", {}).get("type") == "Recreate":
        return wanted
    room = maximum(deployment) - total
    if room <= 0:
        return present
    return present + min(room, wanted - present)


def _proportionally(world: World, deployment: Object, active: list[Object]) -> None:
    """During a rollout a new size is shared out in proportion to the present sizes."""
    present = sum(size(entry) for entry in active)
    wanted: int = deployment["spec"].get("replicas", 1)
    allowed = maximum(deployment) if wanted > 0 else 0
    to_add = allowed - present
    ordered = sorted(
        active, key=lambda entry: (-size(entry), entry["metadata"]["creationTimestamp"])
    )
    if to_add > 0:
        ordered = sorted(
            active, key=lambda entry: (size(entry), entry["metadata"]["creationTimestamp"])
        )[::-1]
    sizes = {}
    added = 0
    for replica_set in ordered:
        share = _share(deployment, replica_set, to_add - added, allowed)
        sizes[replica_set["metadata"]["name"]] = size(replica_set) + share
        added += share
    if ordered and added != to_add:
        first = ordered[0]["metadata"]["name"]
        sizes[first] = max(sizes[first] + to_add - added, 0)
    for replica_set in ordered:
        resize(world, deployment, replica_set, sizes[replica_set["metadata"]["name"]])


def _share(deployment: Object, replica_set: Object, left: int, allowed: int) -> int:
    if left == 0:
        return 0
    before = int(annotations_of(replica_set).get(MAXIMUM, deployment["spec"].get("replicas", 1)))
    ideal = round(size(replica_set) * allowed / (before or 1)) - size(replica_set)
    return min(ideal, left) if left > 0 else max(ideal, left)


def _available(replica_set: Object) -> int:
    available: int = replica_set.get("status", {}).get("availableReplicas", 0)
    return available
