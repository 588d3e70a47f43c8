"""Pod status as a kubelet writes it: a pure function of the pod, its state and the time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.quality import qos_class
from sregym_cluster_embedded.kubelet.resources_status import (
    container_resources,
    pod_allocated,
    pod_resources,
)
from sregym_cluster_embedded.kubelet.runtime import ExitState
from sregym_cluster_embedded.kubelet.state import (
    EXITED,
    INIT,
    MAIN,
    NEVER,
    RUNNING,
    SIDECAR,
    STARTING,
    ContainerState,
    PodState,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_OWN_CONDITIONS = (
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
)
_BEFORE_UNIX = "1970-01-01T00:00:00Z"


def pod_status(world: World, pod: Object, state: PodState, host_ip: str) -> Object:
    """The whole `status` of a pod now."""
    old: Object = pod.get("status", {})
    generation = pod["metadata"].get("generation", 1)
    phase = phase_of(state)
    status: Object = {
        "observedGeneration": generation,
        "phase": phase,
        "conditions": _conditions(world, pod, state, phase, generation),
        "hostIP": host_ip,
        "hostIPs": [{"ip": host_ip}],
        "startTime": old.get("startTime") or world.timestamp(),
    }
    if state.ip:
        status["podIP"] = state.ip
        status["podIPs"] = [{"ip": state.ip}]
    waiting = _default_waiting(pod["spec"])
    inits: list[Object] = []
    mains: list[Object] = []
    for group, listed in (("initContainers", inits), ("containers", mains)):
        for spec in pod["spec"].get(group, ()):
            container = state.containers[spec["name"]]
            listed.append(_container_status(world, spec, container, waiting))
    if inits:
        status["initContainerStatuses"] = inits
    mains.sort(key=lambda entry: entry["name"])
    status["containerStatuses"] = mains
    status["qosClass"] = old.get("qosClass") or qos_class(pod["spec"])
    allocated = pod_allocated(pod["spec"])
    if allocated:
        status["allocatedResources"] = allocated
    status["resources"] = pod_resources(pod["spec"])
    for kept in ("reason", "message", "nominatedNodeName", "ephemeralContainerStatuses"):
        if kept in old:
            status[kept] = old[kept]
    return status


def phase_of(state: PodState) -> str:
    """`Pending`, `Running`, `Succeeded` or `Failed`."""
    mains = [entry for entry in state.containers.values() if entry.role == MAIN]
    if state.ended:
        failed = any(not _went_well(entry) for entry in mains) or any(
            entry.role == INIT and entry.phase == EXITED and not _went_well(entry)
            for entry in state.containers.values()
        )
        return "Failed" if failed else "Succeeded"
    if not initialized(state):
        return "Pending"
    if all(entry.phase == NEVER or _first_start(entry) for entry in mains):
        return "Pending"
    if any(entry.attempt < 0 or _first_start(entry) for entry in mains):
        return "Pending"
    return "Running"


def initialized(state: PodState) -> bool:
    """Whether all init containers have done their part, so that the others may start."""
    for container in state.containers.values():
        if container.role == INIT and not (container.phase == EXITED and _went_well(container)):
            # An init container that ran to its end before stays done when it is no longer known.
            return any(
                entry.role == MAIN and entry.attempt >= 0 for entry in state.containers.values()
            )
        if container.role == SIDECAR and not container.started:
            return any(
                entry.role == MAIN and entry.attempt >= 0 for entry in state.containers.values()
            )
    return True


def terminated(world: World, container: ContainerState) -> Object:
    """state.terminated of a container that has exited."""
    ended = container.exit or ExitState(137, "Error")
    began = container.started_at
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


def _went_well(container: ContainerState) -> bool:
    return container.exit is not None and container.exit.exit_code == 0


def _first_start(container: ContainerState) -> bool:
    return container.phase == STARTING and container.attempt <= 0


def _default_waiting(spec: Object) -> str:
    return "PodInitializing" if spec.get("initContainers") else "ContainerCreating"


def _container_status(
    world: World, spec: Object, container: ContainerState, default_waiting: str
) -> Object:
    never_ran = container.attempt < 0 or _first_start(container)
    running = container.phase == RUNNING
    status: Object = {
        "name": spec["name"],
        "state": _state(world, container, default_waiting, never_ran),
        "lastState": {"terminated": container.previous} if container.previous else {},
        "ready": _ready(container),
        "restartCount": max(container.attempt, 0) if not never_ran else 0,
        "image": container.image or spec["image"],
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
    if spec.get("volumeMounts"):
        status["volumeMounts"] = [_mount_status(mount) for mount in spec["volumeMounts"]]
    return status


def _state(world: World, container: ContainerState, default: str, never_ran: bool) -> Object:
    if container.phase == RUNNING:
        began = container.started_at if container.started_at is not None else world.now
        return {"running": {"startedAt": world.timestamp(began)}}
    if container.waiting is not None:
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


def _ready(container: ContainerState) -> bool:
    if container.role == INIT:
        return container.phase == EXITED and _went_well(container)
    return container.phase == RUNNING and container.started and container.ready


def _mount_status(mount: Object) -> Object:
    value = {"mountPath": mount["mountPath"], "name": mount["name"]}
    if mount.get("readOnly"):
        value["readOnly"] = True
        value["recursiveReadOnly"] = "Disabled"
    return value


def _conditions(
    world: World, pod: Object, state: PodState, phase: str, generation: int
) -> list[Object]:
    old = {entry["type"]: entry for entry in pod.get("status", {}).get("conditions", ())}
    containers_ready = _readiness(state, phase)
    ready = containers_ready
    if not containers_ready[1]:
        ready = _gates(pod, old)
    verdicts = {
        "PodReadyToStartContainers": (
            "True" if state.sandbox and not state.ended else "False",
            "",
            "",
        ),
        "Initialized": _initialization(state, phase),
        "Ready": ready,
        "ContainersReady": containers_ready,
        "PodScheduled": ("True", "", ""),
    }
    conditions = [entry for name, entry in old.items() if name not in verdicts]
    for name in _OWN_CONDITIONS:
        conditions.append(_condition(world, name, verdicts[name], old.get(name), generation))
    return conditions


def _condition(
    world: World, name: str, verdict: tuple[str, str, str], old: Object | None, generation: int
) -> Object:
    value, reason, message = verdict
    changed = old is None or old["status"] != value
    condition: Object = {
        "type": name,
        "observedGeneration": generation,
        "status": value,
        "lastProbeTime": None,
        "lastTransitionTime": world.timestamp()
        if changed or old is None
        else old["lastTransitionTime"],
    }
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition


def _readiness(state: PodState, phase: str) -> tuple[str, str, str]:
    if phase == "Succeeded":
        return ("False", "PodCompleted", "")
    if phase == "Failed":
        return ("False", "PodFailed", "")
    unready = [
        entry.name
        for entry in state.containers.values()
        if entry.role != INIT and not _ready(entry)
    ]
    if unready:
        message = f"containers with unready status: [{' '.join(unready)}]"
        return ("False", "ContainersNotReady", message)
    return ("True", "", "")


def _gates(pod: Object, old: dict[str, Any]) -> tuple[str, str, str]:
    missing = []
    for gate in pod["spec"].get("readinessGates", ()):
        name = gate["conditionType"]
        condition = old.get(name)
        if condition is None:
            missing.append(
                f'corresponding condition of pod readiness gate "{name}" does not exist.'
            )
        elif condition["status"] != "True":
            missing.append(
                f'the status of pod readiness gate "{name}" is not "True", but {condition["status"]}'
            )
    if missing:
        return ("False", "ReadinessGatesNotReady", ", ".join(missing))
    return ("True", "", "")


def _initialization(state: PodState, phase: str) -> tuple[str, str, str]:
    if phase == "Succeeded":
        return ("True", "PodCompleted", "")
    if initialized(state):
        return ("True", "", "")
    incomplete = [
        entry.name
        for entry in state.containers.values()
        if (entry.role == INIT and not (entry.phase == EXITED and _went_well(entry)))
        or (entry.role == SIDECAR and not entry.started)
    ]
    message = f"containers with incomplete status: [{' '.join(incomplete)}]"
    return ("False", "ContainersNotInitialized", message)
