"""Jobs: pods until enough have succeeded, each counted exactly once, and an end to it all.

A pod that ended keeps the finalizer `batch.kubernetes.io/job-tracking` until it is counted: the
status names it first (`uncountedTerminatedPods`), then the finalizer goes, then the counter grows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.controllers import job_failures, job_pods, job_status, job_tally
from sregym_cluster_embedded.controllers.deletion_order import newest_first
from sregym_cluster_embedded.controllers.pods import is_ready, is_terminating
from sregym_cluster_embedded.controllers.slow_start import create_in_batches
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object, owner_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.errors import ApiError
    from sregym_cluster_embedded.controllers.job_status import Outcome
    from sregym_cluster_embedded.controllers.job_tally import Tally
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.job"
RELEASE = "controllers.job.release"
TTL = "controllers.job.ttl"
RESOURCE = job_pods.RESOURCE
# The controller of Jobs that name none.
_OWN = "kubernetes.io/job-controller"
_DELAY_S = 0.01
# What happens to pods is gathered for a second before their Job is looked at.
_BATCH_S = 1.0
# So many pods are created or deleted at one look; the rest follows at the next ones.
_AT_ONCE = 500
# How long it waits after a first refusal, and at most.
RETRIES_S = (1.0, 60.0)
# Waits shorter than this are over: moments since 1970 are no finer than that.
_MOMENT_S = 0.001


def listen(world: World, change: Change) -> None:
    """Jobs are looked at when they change; the pods of one that goes are let go."""
    if change.type is ChangeType.DELETED:
        uid = change.obj["metadata"]["uid"]
        job_failures.forget(world, uid)
        for pod in list(world.store.owned("pods", uid)):
            if job_pods.tracked(pod):
                enqueue(world, RELEASE, job_pods.key_of_pod(pod), _DELAY_S)
        return
    old = change.old
    going = "deletionTimestamp" in change.obj["metadata"]
    if old is None or going or old["spec"] is not change.obj["spec"]:
        enqueue(world, HANDLER, change.key, _DELAY_S)


def pod_changed(world: World, change: Change) -> None:
    """A pod was written in a way that matters: its Job is looked at a second later."""
    owner = owner_of(change.obj)
    if owner is None or owner["kind"] != "Job":
        return
    key = Key(RESOURCE, change.key.namespace, owner["name"])
    job = world.store.get(key)
    if job is not None and job["metadata"]["uid"] == owner["uid"]:
        enqueue(world, HANDLER, key, _BATCH_S)
    elif change.type is not ChangeType.DELETED and job_pods.tracked(change.obj):
        enqueue(world, RELEASE, change.key, _DELAY_S)


def pod_restarted(world: World, change: Change) -> None:
    """Restarts in place count towards the back-off limit, whether or not the pod was ready."""
    pod, old = change.obj, change.old
    if old is None or pod["spec"].get("restartPolicy") != "OnFailure":
        return
    if old["status"] is pod["status"]:
        return
    if job_tally.restarts_of(pod) != job_tally.restarts_of(old):
        pod_changed(world, change)


def release(world: World, key: Key) -> None:
    """Handler: let go of a pod whose Job is gone."""
    mark_processing(world, RELEASE, key)
    pod = world.store.get(key)
    owner = owner_of(pod) if pod is not None else None
    if pod is None or owner is None:
        return
    job = world.store.get(Key(RESOURCE, key.namespace, owner["name"]))
    if job is None or job["metadata"]["uid"] != owner["uid"]:
        job_pods.release(world, pod)


def expire(world: World, key: Key) -> None:
    """Handler: delete a finished Job whose ttlSecondsAfterFinished is over."""
    mark_processing(world, TTL, key)
    job = world.store.get(key)
    left_s = job_status.ttl_left_s(world, job) if job is not None else None
    if left_s is None:
        return
    if left_s > _MOMENT_S:
        enqueue(world, TTL, key, left_s)
    else:
        internal_client.delete(world, key, "Foreground")


def reconcile(world: World, key: Key) -> None:
    """Handler: look at one Job."""
    mark_processing(world, HANDLER, key)
    job = world.store.get(key)
    if job is None or job["spec"].get("managedBy", _OWN) != _OWN:
        return
    pods = job_pods.pods_of(world, job)
    if "deletionTimestamp" in job["metadata"] or job_status.is_finished(job):
        for pod in pods:
            job_pods.release(world, pod)
        _plan_expiry(world, key, job)
        return
    tally = job_tally.count(world, job, pods)
    status, said = _begin(world, job)
    ending = job_status.decided(job) or job_tally.outcome(
        world, job, tally, status.get("startTime")
    )
    refused = _act(world, job, tally, ending)
    _write(world, key, status, tally, ending)
    if said:
        job_pods.record_event(world, job, "Normal", *said)
    if refused is not None:
        raise refused


def _begin(world: World, job: Object) -> tuple[Object, tuple[str, str] | None]:
    """The status to go on from: started, suspended or resumed; with the event that says so."""
    status = {"ready": 0, "terminating": 0, "uncountedTerminatedPods": {}, **job.get("status", {})}
    conditions = status.get("conditions", [])
    if job["spec"].get("suspend"):
        changed = job_status.with_condition(
            world, conditions, "Suspended", "True", "JobSuspended", "Job suspended"
        )
        if changed is conditions:
            return status, None
        status.pop("startTime", None)
        return {**status, "conditions": changed}, ("Suspended", "Job suspended")
    if job_status.is_true(job, "Suspended"):
        changed = job_status.with_condition(
            world, conditions, "Suspended", "False", "JobResumed", "Job resumed"
        )
        resumed = {**status, "conditions": changed, "startTime": world.timestamp()}
        return resumed, ("Resumed", "Job resumed")
    if "startTime" not in status:
        status["startTime"] = world.timestamp()
    left_s = job_status.deadline_left_s(world, job, status["startTime"])
    if left_s is not None and left_s > 0:
        name = job["metadata"]["name"]
        enqueue(world, HANDLER, Key(RESOURCE, job["metadata"]["namespace"], name), left_s)
    return status, None


def _act(world: World, job: Object, tally: Tally, ending: Outcome | None) -> ApiError | None:
    """Create and delete pods; returns the refusal of a creation, to be raised at the end."""
    if ending is not None:
        for pod in tally.active:
            job_pods.stop(world, job, pod, counted=True)
        return None
    if job["spec"].get("suspend"):
        for pod in tally.active:
            job_pods.stop(world, job, pod, counted=False)
        return None
    missing = max(-_AT_ONCE, min(_AT_ONCE, _missing(world, job, tally)))
    if missing < 0:
        for pod in newest_first(world, tally.active)[:-missing]:
            job_pods.stop(world, job, pod, counted=False)
    if job_pods.is_indexed(job):
        return _create_indexed(world, job, tally, missing)
    return _create_plain(world, job, missing)


def _missing(world: World, job: Object, tally: Tally) -> int:
    """How many pods to create; negative for how many to delete."""
    spec, status = job["spec"], job.get("status", {})
    parallelism: int = spec["parallelism"]
    active = len(tally.active)
    succeeded = status.get("succeeded", 0) + len(tally.succeeded)
    completions: int | None = spec.get("completions")
    if completions is not None and job_pods.is_indexed(job):
        left = completions - len(tally.completed | tally.failed_indexes)
        wanted = min(parallelism, left)
    elif completions is not None:
        wanted = min(parallelism, completions - int(succeeded))
    else:
        # Once one pod of a queue has succeeded, no new ones come.
        wanted = min(parallelism, active) if succeeded else parallelism
    if active > wanted:
        return wanted - active
    if spec.get("podReplacementPolicy") == "Failed":
        leaving = sum(1 for pod in job_pods.pods_of(world, job) if is_terminating(pod))
        return max(wanted - active - leaving, 0)
    return wanted - active


def _create_plain(world: World, job: Object, missing: int) -> ApiError | None:
    if missing <= 0 or _postponed(world, job, job_failures.common_wait_s(world, job)):
        return None
    return create_in_batches(range(missing), lambda _: job_pods.create(world, job))


def _create_indexed(world: World, job: Object, tally: Tally, missing: int) -> ApiError | None:
    spec = job["spec"]
    own_limit = "backoffLimitPerIndex" in spec
    if missing <= 0:
        return None
    if not own_limit and _postponed(world, job, job_failures.common_wait_s(world, job)):
        return None
    holders = list(tally.active)
    if spec.get("podReplacementPolicy") == "Failed":
        holders = [pod for pod in job_pods.pods_of(world, job) if _holds(pod)]
    taken_indexes = {job_pods.index_of(pod) for pod in holders}
    taken_indexes |= tally.completed | tally.failed_indexes
    wanted: list[tuple[int, tuple[int, int] | None]] = []
    for index in range(spec["completions"]):
        if len(wanted) == missing:
            break
        if index in taken_indexes:
            continue
        failures = None
        if own_limit:
            if _postponed(world, job, job_failures.index_wait_s(world, job, index)):
                continue
            known = job_failures.of_index(world, job, index)
            failures = (known.in_a_row, known.ignored)
        wanted.append((index, failures))
    return create_in_batches(wanted, lambda entry: job_pods.create(world, job, *entry))


def _holds(pod: Object) -> bool:
    return pod["status"].get("phase") not in ("Succeeded", "Failed")


def _postponed(world: World, job: Object, wait_s: float) -> bool:
    """Whether a back-off is still on; the Job is looked at when it ends."""
    if wait_s <= _MOMENT_S:
        return False
    metadata = job["metadata"]
    enqueue(world, HANDLER, Key(RESOURCE, metadata["namespace"], metadata["name"]), wait_s)
    return True


def _write(world: World, key: Key, status: Object, tally: Tally, ending: Outcome | None) -> None:
    """Name the pods to be counted, let them go, count them; and end the Job when it is time."""
    job = world.store.get(key)
    if job is None:
        return
    present = _present(world, job, status, tally)
    if ending is not None:
        conditions = present.get("conditions", [])
        present["conditions"] = job_status.with_condition(
            world, conditions, ending.type, "True", ending.reason, ending.message
        )
    named = {
        name: [pod["metadata"]["uid"] for pod in pods]
        for name, pods in (("succeeded", tally.succeeded), ("failed", tally.failed))
        if pods
    }
    internal_client.update_status(world, key, {**present, "uncountedTerminatedPods": named})
    for pod in tally.ended:
        job_pods.release(world, pod)
    failed = present.get("failed", 0) + len(tally.failed)
    succeeded = present.get("succeeded", 0)
    if not job_pods.is_indexed(job):
        succeeded += len(tally.succeeded)
    counted = {**present, "failed": failed, "succeeded": succeeded}
    counted = {name: value for name, value in counted.items() if value or name not in _OMITTED}
    over = ending is not None and not present.get("active") and not present["terminating"]
    if ending is not None and over:
        counted = _end(world, job, counted, ending)
    internal_client.update_status(world, key, counted)
    if over:
        job_failures.forget(world, job["metadata"]["uid"])
        _plan_expiry(world, key, world.store.get(key))


_OMITTED = ("active", "succeeded", "failed")


def _present(world: World, job: Object, status: Object, tally: Tally) -> Object:
    """`status` with what is so now, the ended pods not counted yet."""
    pods = job_pods.pods_of(world, job)
    active = [pod for pod in pods if _holds(pod) and "deletionTimestamp" not in pod["metadata"]]
    present = {
        **status,
        "active": len(active),
        "ready": sum(1 for pod in active if is_ready(pod)),
        "terminating": sum(1 for pod in pods if is_terminating(pod)),
        "uncountedTerminatedPods": {},
    }
    if job_pods.is_indexed(job):
        present["succeeded"] = len(tally.completed)
        present["completedIndexes"] = job_status.indexes_text(tally.completed)
        if "backoffLimitPerIndex" in job["spec"]:
            present["failedIndexes"] = job_status.indexes_text(tally.failed_indexes)
    omitted = (*_OMITTED, "completedIndexes")
    return {name: value for name, value in present.items() if value or name not in omitted}


def _end(world: World, job: Object, status: Object, ending: Outcome) -> Object:
    """The status of a Job that is over; an event says how."""
    conditions = job_status.with_condition(
        world,
        status["conditions"],
        job_status.FINAL[ending.type],
        "True",
        ending.reason,
        ending.message,
    )
    if ending.type == job_status.FAILURE:
        job_pods.record_event(world, job, "Warning", ending.reason, ending.message)
        return {**status, "conditions": conditions}
    job_pods.record_event(world, job, "Normal", "Completed", "Job completed")
    return {**status, "conditions": conditions, "completionTime": world.timestamp()}


def _plan_expiry(world: World, key: Key, job: Object | None) -> None:
    left_s = job_status.ttl_left_s(world, job) if job is not None else None
    if left_s is not None:
        enqueue(world, TTL, key, max(left_s, _DELAY_S))
