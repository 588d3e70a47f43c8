"""What all controllers of pods do with them: claim those that fit, ask whether they are available."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.controllers.pods import (
    condition,
    is_active,
    owner_reference,
    selects,
)
from sregym_cluster_embedded.controllers.times import seconds_since
from sregym_cluster_embedded.store import Key, Object, key_of, owner_of
from sregym_cluster_embedded.workqueue import enqueue

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.world import World

_SLACK_S = 0.01


def claimed(world: World, owner: Object, base: str = "") -> list[Object]:
    """A workload's pods; lets go of those that its selector no longer fits, adopts others.

    `base` is what the names of adopted pods must begin with.
    """
    metadata, selector = owner["metadata"], selector_of(owner)
    pods = []
    for pod in list(world.store.owned("pods", metadata["uid"])):
        reference = owner_of(pod)
        if reference is None or reference["uid"] != metadata["uid"]:
            continue
        if selects(selector, pod["metadata"].get("labels") or {}):
            pods.append(pod)
        elif "deletionTimestamp" not in metadata and is_active(pod):
            others = [item for item in pod["metadata"]["ownerReferences"] if item is not reference]
            internal_client.patch_metadata(world, key_of("pods", pod), owners=others)
    pairs = (selector or {}).get("matchLabels") or {}
    if pairs and "deletionTimestamp" not in metadata:
        label = next(iter(sorted(pairs)))
        value = f"{metadata['namespace']}/{label}={pairs[label]}"
        for pod in list(world.store.indexed("pods", "label", value)):
            orphan = "ownerReferences" not in pod["metadata"] and is_active(pod)
            named = pod["metadata"]["name"].startswith(base)
            if orphan and named and selects(selector, pod["metadata"].get("labels") or {}):
                owners = [owner_reference(owner)]
                adopted = internal_client.patch_metadata(world, key_of("pods", pod), owners=owners)
                pods.append(adopted or pod)
    return pods


def selector_of(owner: Object) -> Object | None:
    """A workload's label selector; the plain labels of a ReplicationController as one."""
    selector: Object | None = owner["spec"].get("selector")
    if owner["kind"] == "ReplicationController":
        return {"matchLabels": selector} if selector else None
    return selector


def offer_orphan(world: World, handler: str, resource: str, pod: Object, delay_s: float) -> None:
    """A pod without controller belongs to the workload whose selector it fits."""
    labels = pod["metadata"].get("labels") or {}
    if not labels or "ownerReferences" in pod["metadata"]:
        return
    namespace = pod["metadata"]["namespace"]
    for workload in world.store.list(resource, namespace):
        if selects(selector_of(workload), labels):
            enqueue(world, handler, Key(resource, namespace, workload["metadata"]["name"]), delay_s)


def available(world: World, pod: Object, minimum_s: float) -> bool:
    """Whether a pod that is ready has been so for `minimum_s`."""
    if not minimum_s:
        return True
    ready = condition(pod, "Ready")
    since = (ready or {}).get("lastTransitionTime")
    return since is not None and seconds_since(world, since) >= minimum_s


def plan_availability(
    world: World, handler: str, key: Key, minimum_s: float, pods: Iterable[Object]
) -> None:
    """Look again when the next of the pods has been ready for `minimum_s`."""
    if not minimum_s:
        return
    for pod in pods:
        ready = condition(pod, "Ready")
        if ready is not None and ready["status"] == "True":
            left = minimum_s - seconds_since(world, ready.get("lastTransitionTime"))
            if left > 0:
                enqueue(world, handler, key, left + _SLACK_S)
