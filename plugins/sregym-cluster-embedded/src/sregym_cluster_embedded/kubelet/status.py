"""Pod status as a kubelet writes it: a pure function of the pod, its state and the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quality import qos_class
from sregym_cluster_embedded.kubelet.conditions import conditions, is_ready
from sregym_cluster_embedded.kubelet.phases import first_start, phase_of, verdict
from sregym_cluster_embedded.kubelet.references import image_reference
from sregym_cluster_embedded.kubelet.resources_status import (
    container_resources,
    granted,
    pod_allocated,
    pod_resources,
)
from sregym_cluster_embedded.kubelet.restarting import restarts
from sregym_cluster_embedded.kubelet.runtime import ExitState
from sregym_cluster_embedded.kubelet.state import (
    EPHEMERAL,
    EXITED,
    RUNNING,
    STARTING,
    ContainerState,
    PodState,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_BEFORE_UNIX = "1970-01-01T00:00:00Z"


def pod_status(world: World, pod: Object, state: PodState, host_ip: str) -> Object:
    """The whole `status` of a pod now."""
    old: Object = pod.get("status", {})
    generation = pod["metadata"].get("generation", 1)
    asked = granted(pod["spec"], state.allotted)
    reached = verdict(asked, state)
    status: Object = {
        "observedGeneration": generation,
        "phase": phase_of(state, old.get("phase", ""), reached),
        "conditions": conditions(world, pod, state, reached, generation),
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": old.get("startTime") or world.timestamp(),
    }
    if state.ip:
        status["podIP"] = state.ip
        status["podIPs"] = [{"ip": state.ip}]
    waiting = _default_waiting(asked)
    inits: list[Object] = []
    mains: list[Object] = []
    for group, listed in (("initContainers", inits), ("containers", mains)):
        for spec in asked.get(group, ()):
            container = state.containers[spec["name"]]
            listed.append(_container_status(world, asked, spec, container, waiting))
    if inits:
        status["initContainerStatuses"] = inits
    mains.sort(key=lambda entry: entry["name"])
    status["containerStatuses"] = mains
    status["qosClass"] = old.get("qosClass") or qos_class(asked)
    allocated = pod_allocated(asked)
    if allocated:
        status["allocatedResources"] = allocated
    status["resources"] = pod_resources(asked)
    if "ephemeralContainers" in asked:
        status["ephemeralContainerStatuses"] = _ephemeral(world, asked, state, waiting)
    for kept in ("reason", "message", "nominatedNodeName", "resourceClaimStatuses"):
        if kept in old:
            status[kept] = old[kept]
    if state.ended and state.failure[0]:
        status["reason"], status["message"] = state.failure
    return status


def terminated(world: World, container: ContainerState) -> Object:
    """state.terminated of a container that has exited."""
    ended = container.exit or ExitState(137, "Error")
    began = container.started_at
    if not container.container_id:
        return {
            "exitCode": ended.exit_code,
            "reason": ended.reason,
            "message": ended.message,
            "startedAt": None,
            "finishedAt": None,
        }
    value: Object = {
        "exitCode": ended.exit_code,
        "reason": ended.reason,
        "startedAt": _BEFORE_UNIX if began is None else world.timestamp(began),
        "finishedAt": world.timestamp(container.finished_at),
        "containerID": f"containerd://{container.container_id}",
    }
    if ended.message:
        value["message"] = ended.message
    if ended.signal is not None:
        value["signal"] = ended.signal
    return value


def _default_waiting(spec: Object) -> str:
    return "PodInitializing" if spec.get("initContainers") else "ContainerCreating"


def _ephemeral(world: World, pod_spec: Object, state: PodState, waiting: str) -> list[Object]:
    statuses = []
    for spec in pod_spec["ephemeralContainers"]:
        container = state.containers.get(spec["name"])
        if container is not None:
            status = _container_status(world, pod_spec, spec, container, waiting)
            del status["started"]
            statuses.append(status)
    return sorted(statuses, key=lambda entry: str(entry["name"]))


def _container_status(
    world: World, pod_spec: Object, spec: Object, container: ContainerState, default_waiting: str
) -> Object:
    never_ran = container.attempt < 0 or first_start(container)
    running = container.phase == RUNNING
    status: Object = {
        "name": spec["name"],
        "state": _state(world, pod_spec, spec, container, default_waiting),
        "lastState": {"terminated": container.previous} if container.previous else {},
        "ready": is_ready(container),
        "restartCount": max(container.attempt, 0) if not never_ran else 0,
        "image": spec["image"]
        if never_ran
        else image_reference(container.image, container.image_id),
        "imageID": container.image_id,
        "started": running and container.started,
    }
    if container.container_id and not never_ran:
        status["containerID"] = f"containerd://{container.container_id}"
    if container.phase == EXITED and "waiting" in status["state"]:
        # The ended life is the last one as soon as the state no longer shows it.
        status["lastState"] = {"terminated": terminated(world, container)}
    if container.phase == STARTING and not never_ran:
        status["restartCount"] = container.attempt - 1
    status.update(container_resources(spec, never_ran))
    if container.user is not None and not never_ran:
        status["user"] = container.user
    if spec.get("volumeMounts"):
        status["volumeMounts"] = [_mount_status(mount) for mount in spec["volumeMounts"]]
    return status


def _state(
    world: World, pod_spec: Object, spec: Object, container: ContainerState, default: str
) -> Object:
    never_ran = container.attempt < 0 or first_start(container)
    if container.phase == RUNNING:
        began = container.started_at if container.started_at is not None else world.now
        return {"running": {"startedAt": world.timestamp(began)}}
    # Why it waits is only said of what will be started (again).
    if container.waiting is not None and (
        container.phase != EXITED
        or (container.role != EPHEMERAL and restarts(pod_spec, spec, container.exit))
    ):
        reason, message = container.waiting
        value = {"reason": reason}
        if message:
            value["message"] = message
        return {"waiting": value}
    if container.phase == EXITED:
        return {"terminated": terminated(world, container)}
    if never_ran:
        return {"waiting": {"reason": default}}
    return (
        {"terminated": container.previous}
        if container.previous
        else {"waiting": {"reason": default}}
    )


def _mount_status(mount: Object) -> Object:
    value = {"mountPath": mount["mountPath"], "name": mount["name"]}
    if mount.get("readOnly"):
        value["readOnly"] = True
        value["recursiveReadOnly"] = "Disabled"
    return value
