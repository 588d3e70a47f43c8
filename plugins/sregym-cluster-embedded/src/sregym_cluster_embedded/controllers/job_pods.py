"""The pods of a Job: how they are sorted, made, released from their finalizer and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers.pods import from_template
from sregym_cluster_embedded.store import Key, Object, owner_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

RESOURCE = "jobs.batch"
COMPONENT = "job-controller"
TRACKING = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
INDEX_FAILURES = "batch.kubernetes.io/job-index-failure-count"
INDEX_IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"
# A pod's host name is cut to the length of a DNS label.
_LONGEST_HOST = 63


def key_of_pod(pod: Object) -> Key:
    """The key of a pod."""
    return Key("pods", pod["metadata"]["namespace"], pod["metadata"]["name"])


def pods_of(world: World, job: Object) -> list[Object]:
    """The pods that this Job controls, by name."""
    uid = job["metadata"]["uid"]
    owned = [pod for pod in world.store.owned("pods", uid) if _controlled_by(pod, uid)]
    return sorted(owned, key=lambda pod: str(pod["metadata"]["name"]))


def _controlled_by(pod: Object, uid: str) -> bool:
    owner = owner_of(pod)
    return owner is not None and bool(owner["uid"] == uid)


def tracked(pod: Object) -> bool:
    """Whether the pod still waits to be counted."""
    return TRACKING in pod["metadata"].get("finalizers", ())


def has_failed(pod: Object, job: Object) -> bool:
    """Whether a pod counts as failed.

    A pod under deletion counts at once, unless the Job replaces only pods whose processes ended.
    """
    phase = pod["status"].get("phase")
    if phase == "Failed":
        return True
    if job["spec"].get("podReplacementPolicy") == "Failed":
        return False
    return "deletionTimestamp" in pod["metadata"] and phase != "Succeeded"


def is_indexed(job: Object) -> bool:
    """Whether the Job's pods have a completion index."""
    spec = job["spec"]
    return bool(spec.get("completionMode") == "Indexed" and spec.get("completions") is not None)


def index_of(pod: Object) -> int | None:
    """The completion index of a pod, None when it has none."""
    text = (pod["metadata"].get("annotations") or {}).get(INDEX, "")
    return int(text) if text.isdecimal() else None


def finished_at(pod: Object) -> str:
    """When a finished pod ended, as the API writes it: its last container's end.

    Without one the moment of its deletion or, last, that of its creation.
    """
    ends = [
        entry["state"]["terminated"]["finishedAt"]
        for entry in pod["status"].get("containerStatuses", ())
        if entry.get("state", {}).get("terminated", {}).get("finishedAt")
    ]
    metadata = pod["metadata"]
    found: str = max(ends, default=None) or metadata.get(
        "deletionTimestamp", metadata["creationTimestamp"]
    )
    return found


def create(
    world: World, job: Object, index: int | None = None, failures: tuple[int, int] | None = None
) -> None:
    """Create one pod and say so.

    Args:
        world: Where.
        job: Its Job.
        index: Its completion index in an Indexed Job.
        failures: How often this index failed so far, counted and ignored, where the Job limits
            the failures of each index.

    Raises:
        ApiError: The pod was refused; an event says so.
    """
    name = job["metadata"]["name"]
    pod = from_template(job, f"{name}-" if index is None else f"{name}-{index}-")
    metadata = {**pod["metadata"]}
    metadata["finalizers"] = [*metadata.get("finalizers", ()), TRACKING]
    if index is not None:
        pod["spec"] = _indexed_spec(pod["spec"], f"{name}-{index}"[:_LONGEST_HOST])
        annotations = {**metadata.get("annotations", {}), INDEX: str(index)}
        if failures is not None:
            annotations[INDEX_FAILURES] = str(failures[0])
            if failures[1]:
                annotations[INDEX_IGNORED] = str(failures[1])
        metadata["annotations"] = annotations
        metadata["labels"] = {**metadata.get("labels", {}), INDEX: str(index)}
    try:
        made = internal_client.create(world, "pods", {**pod, "metadata": metadata})
    except ApiError as error:
        record_event(world, job, "Warning", "FailedCreate", f"Error creating: {error.message}")
        raise
    record_event(
        world, job, "Normal", "SuccessfulCreate", f"Created pod: {made['metadata']['name']}"
    )


def _indexed_spec(spec: Object, host: str) -> Object:
    env = {
        "name": "JOB_COMPLETION_INDEX",
        "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}},
    }
    changed = {"hostname": host, **spec}
    for field in ("initContainers", "containers"):
        if field in spec:
            changed[field] = [_with_env(container, env) for container in spec[field]]
    return changed


def _with_env(container: Object, env: Object) -> Object:
    given = container.get("env", [])
    if any(entry["name"] == env["name"] for entry in given):
        return container
    return {**container, "env": [*given, env]}


def release(world: World, pod: Object) -> None:
    """Take the tracking finalizer off a pod that has been counted, or no longer matters."""
    present = world.store.get(key_of_pod(pod))
    if present is not None and tracked(present):
        left = [name for name in present["metadata"]["finalizers"] if name != TRACKING]
        internal_client.patch_metadata(world, key_of_pod(pod), finalizers=left)


def stop(world: World, job: Object, pod: Object, counted: bool) -> None:
    """Delete a pod that runs and say so; `counted` pods stay until their failure is counted."""
    if not counted:
        release(world, pod)
    internal_client.delete(world, key_of_pod(pod))
    record_event(
        world, job, "Normal", "SuccessfulDelete", f"Deleted pod: {pod['metadata']['name']}"
    )


def record_event(world: World, job: Object, type_: str, reason: str, message: str) -> None:
    """Record an event about the Job."""
    events.record(world, job, RESOURCE, type_, reason, message, COMPONENT)
