"""Pods that their kubelet ends before their time: over a limit of storage, or the node is short.

A kubelet looks every ten seconds. Here it looks only while there is something to look at: pods with
limits of storage, or a node of which something was taken (see `pressure`).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.kubelet import log_files, usage
from sregym_cluster_embedded.kubelet.killing import stop_pod
from sregym_cluster_embedded.kubelet.pacing import REPORT_S, schedule_sync
from sregym_cluster_embedded.kubelet.report import pod_of, record_pod_event, write_status
from sregym_cluster_embedded.kubelet.state import RUNNING, PodState, save, state_of
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

LIMITS = "kubelet.limits"
DEADLINE = "kubelet.deadline"
_PERIOD_S = 10.0
_STORAGE = "ephemeral-storage"
_LATE = "DeadlineExceeded"
_LATE_TEXT = "Pod was active on the node longer than the specified deadline"


def watch_limits(world: World, pod: Object, state: PodState) -> None:
    """A container of a pod has started: have its limits of storage looked at, if it has any."""
    if _has_limits(pod):
        enqueue(world, LIMITS, state.uid, seconds_until_check(world, state.node))


def watch_deadline(world: World, pod: Object, state: PodState) -> None:
    """A kubelet takes a pod on that may be active for so long and no longer."""
    enqueue(world, DEADLINE, state.uid, float(pod["spec"]["activeDeadlineSeconds"]))


def note_deadline(world: World, uid: str, before: Object, after: Object) -> None:
    """A pod was given a deadline, or an earlier one."""
    wanted = after.get("activeDeadlineSeconds")
    if wanted is not None and wanted != before.get("activeDeadlineSeconds"):
        enqueue(world, DEADLINE, uid, 0.0)


def check_limits(world: World, uid: str) -> None:
    """Handler: end a pod that has written more than it may."""
    mark_processing(world, LIMITS, uid)
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or state.ending or "deletionTimestamp" in pod["metadata"]:
        log_files.forget(world, uid)
        return
    log_files.tally(world, state)
    why = _exceeded(world, pod, state)
    if why:
        log_files.forget(world, uid)
        fail(world, pod, state, "Evicted", why)
    else:
        enqueue(world, LIMITS, uid, _PERIOD_S)


def check_deadline(world: World, uid: str) -> None:
    """Handler: end a pod that has been active for longer than its spec allows."""
    mark_processing(world, DEADLINE, uid)
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or state.ending or "deletionTimestamp" in pod["metadata"]:
        return
    left_s = float(pod["spec"].get("activeDeadlineSeconds") or 0) - _age(world, pod)
    if left_s > 0:
        enqueue(world, DEADLINE, uid, left_s)
        return
    _tell_deadline(world, pod, state, 2)
    grace = float(pod["spec"].get("terminationGracePeriodSeconds", 30))
    failed = state._replace(failure=(_LATE, _LATE_TEXT))
    # It is no longer ready as soon as it has failed, which shows only when its containers ended.
    write_status(world, pod, failed)
    fail(world, pod, state, _LATE, _LATE_TEXT, grace)


def repeat_events(world: World, pod: Object, state: PodState) -> None:
    """The containers of a pod have ended: repeat what its kubelet says with each status it makes."""
    if state.failure[0] == _LATE:
        _tell_deadline(world, pod, state, 2)


def _tell_deadline(world: World, pod: Object, state: PodState, times: int) -> None:
    for _ in range(times):
        record_pod_event(world, pod, state, "Normal", _LATE, _LATE_TEXT)


def fail(
    world: World, pod: Object, state: PodState, reason: str, message: str, grace_s: float = 0.0
) -> None:
    """End a pod before its time; its status says why when its containers have ended."""
    if reason == "Evicted":
        record_pod_event(world, pod, state, "Warning", reason, message)
    state = save(world, state._replace(ending=True, failure=(reason, message)))
    stop_pod(world, state, grace_s)
    if all(entry.phase != RUNNING for entry in state.containers.values()):
        schedule_sync(world, state.uid, REPORT_S)


def seconds_until_check(world: World, node: str) -> float:
    """Seconds until the kubelet of a node next looks at what its pods use."""
    phase = world.seed.fraction("eviction", node) * _PERIOD_S
    return _PERIOD_S - (world.now - phase) % _PERIOD_S


def _age(world: World, pod: Object) -> float:
    """Seconds since the kubelet took the pod on."""
    since = pod["status"].get("startTime")
    if since is None:
        return 0.0
    return world.epoch + world.now - datetime.fromisoformat(since).timestamp()


def _has_limits(pod: Object) -> bool:
    return any(volume["emptyDir"].get("sizeLimit") for volume in usage.empty_dirs(pod)) or any(
        _limit(container) for container in pod["spec"]["containers"]
    )


def _limit(container: Object) -> str:
    limit: str = ((container.get("resources") or {}).get("limits") or {}).get(_STORAGE, "")
    return limit


def _exceeded(world: World, pod: Object, state: PodState) -> str:
    """What the pod has exceeded, in the kubelet's words; empty when nothing."""
    for volume in usage.empty_dirs(pod):
        limit = volume["emptyDir"].get("sizeLimit")
        if limit and usage.empty_dir_bytes(world, state, volume) > int(parse(limit)):
            name = volume["name"]
            return f'Usage of EmptyDir volume "{name}" exceeds the limit "{limit}". '
    limits = {entry["name"]: _limit(entry) for entry in pod["spec"]["containers"]}
    total = sum(int(parse(limit)) for limit in limits.values() if limit)
    logs = {name: log_files.log_bytes(world, state, name) for name in state.containers}
    if total and usage.disk_bytes(world, pod, state) + sum(logs.values()) > total:
        text = next(iter(limits.values())) if len(limits) == 1 else _binary(total)
        return f"Pod ephemeral local storage usage exceeds the total limit of containers {text}. "
    for name, limit in limits.items():
        used = usage.container_bytes(world, state, name) + logs.get(name, 0)
        if limit and used > int(parse(limit)):
            return f'Container {name} exceeded its local ephemeral storage limit "{limit}". '
    return ""


def _binary(amount: int) -> str:
    for suffix, factor in (("Gi", 2**30), ("Mi", 2**20), ("Ki", 2**10)):
        if amount % factor == 0:
            return f"{amount // factor}{suffix}"
    return str(amount)
