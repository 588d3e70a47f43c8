"""The conditions of a pod that its kubelet owns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubelet.phases import initialized, last_exit_was_zero
from sregym_cluster_embedded.kubelet.state import (
    EPHEMERAL,
    EXITED,
    INIT,
    RENEWS,
    RUNNING,
    SIDECAR,
    ContainerState,
    PodState,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_YES, _NO = ("True", "", ""), ("False", "", "")
_RESIZE = ("PodResizePending", "PodResizeInProgress")
_RENEWAL = "AllContainersRestarting"
# What kubelets say of their pods.
OWN = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def conditions(
    world: World, pod: Object, state: PodState, reached: str, generation: int
) -> list[Object]:
    """status.conditions, those of others first; `reached` is the verdict on the containers."""
    old = {entry["type"]: entry for entry in pod.get("status", {}).get("conditions", ())}
    containers_ready = _readiness(state, reached)
    ready = containers_ready
    if not containers_ready[1]:
        ready = _gates(pod, old)
    verdicts = {
        "PodReadyToStartContainers": _YES if state.sandbox and not state.ended else _NO,
        "Initialized": _initialization(state, reached),
        "Ready": ready,
        "ContainersReady": containers_ready,
        "PodScheduled": _YES,
    }
    if state.renews:
        verdicts[_RENEWAL] = _renewal(state, reached)
    found = [entry for name, entry in old.items() if name not in verdicts and name not in _RESIZE]
    if state.resize:
        name, reason, message, since = state.resize
        before = old.get(name)
        found.insert(0, _condition(world, name, ("True", reason, message), before, since))
    for name in (*OWN, _RENEWAL) if state.renews else OWN:
        found.append(_condition(world, name, verdicts[name], old.get(name), generation))
    return found


def _renewal(state: PodState, reached: str) -> tuple[str, str, str]:
    if reached in ("Succeeded", "Failed") and state.ended:
        return ("False", "PodCompleted" if reached == "Succeeded" else "PodFailed", "")
    if state.renews == RENEWS:
        return _NO
    text = "container exited with restart policy rule"
    return ("True", "RestartAllContainersStarted", text)


def gate_answers(pod: Object) -> list[str | None]:
    """What the conditions say that a pod's readiness gates name; None where there is none."""
    known = {
        entry["type"]: entry["status"] for entry in pod.get("status", {}).get("conditions", ())
    }
    return [known.get(gate["conditionType"]) for gate in pod["spec"]["readinessGates"]]


def is_ready(container: ContainerState) -> bool:
    """status.containerStatuses[].ready."""
    if container.role == INIT:
        return container.phase == EXITED and last_exit_was_zero(container)
    if container.role == EPHEMERAL:
        return False
    return container.phase == RUNNING and container.started and container.ready


def _condition(
    world: World, name: str, verdict: tuple[str, str, str], old: Object | None, generation: int
) -> Object:
    value, reason, message = verdict
    if old is None or old["status"] != value:
        since = world.timestamp()
    elif _says(old, generation, reason, message):
        return old
    else:
        since = old["lastTransitionTime"]
    condition: Object = {
        "type": name,
        "observedGeneration": generation,
        "status": value,
        "lastProbeTime": None,
        "lastTransitionTime": since,
    }
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition


def _says(condition: Object, generation: int, reason: str, message: str) -> bool:
    """Whether a condition says just this."""
    return (
        condition.get("observedGeneration") == generation
        and condition.get("reason", "") == reason
        and condition.get("message", "") == message
        and condition.get("lastProbeTime", "") is None
    )


def _readiness(state: PodState, reached: str) -> tuple[str, str, str]:
    if reached == "Succeeded":
        return ("False", "PodCompleted", "")
    if reached == "Failed":
        return ("False", "PodFailed", "")
    unready = [
        entry.name
        for entry in state.containers.values()
        if entry.role not in (INIT, EPHEMERAL) and not is_ready(entry)
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


def _initialization(state: PodState, reached: str) -> tuple[str, str, str]:
    if reached == "Succeeded":
        return ("True", "PodCompleted", "")
    if initialized(state):
        return ("True", "", "")
    incomplete = [
        entry.name
        for entry in state.containers.values()
        if (entry.role == INIT and not (entry.phase == EXITED and last_exit_was_zero(entry)))
        or (entry.role == SIDECAR and not entry.started)
    ]
    message = f"containers with incomplete status: [{' '.join(incomplete)}]"
    return ("False", "ContainersNotInitialized", message)
