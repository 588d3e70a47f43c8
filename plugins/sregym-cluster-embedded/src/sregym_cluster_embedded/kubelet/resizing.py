"""Resizing a pod in place: its kubelet gives the containers what the spec asks for, or says why not.

As long as the node cannot give it, the containers keep what they have (`PodState.allotted`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.admission import shortage
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.killing import stop_container
from sregym_cluster_embedded.kubelet.pacing import RESYNC_S, retry_delay, schedule_sync
from sregym_cluster_embedded.kubelet.report import record_pod_event
from sregym_cluster_embedded.kubelet.resources_status import (
    WHOLE_POD,
    bounded,
    granted,
    limits_of,
    pod_resources,
)
from sregym_cluster_embedded.kubelet.runtime import Resizer
from sregym_cluster_embedded.kubelet.state import (
    RUNNING,
    PodState,
    change,
    container_spec,
    save,
    state_of,
)
from sregym_cluster_embedded.kubelet.usage import memory_bytes

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
ERROR = "Error"
# By uid: the node of each pod that waits for others to go.
_DEFERRED: TableKey[str, str] = TableKey("kubelet.deferred")
_NOTICED_S = 0.1
# From a change of limits to the moment at which the runtime has confirmed it.
_CONFIRMED_S = 1.0


def note(world: World, uid: str, old: Object, new: Object) -> None:
    """A pod's spec has changed: keep in mind what its containers have until they may have more."""
    state = state_of(world, uid)
    if state is None:
        return
    had, wants = _resources(old), _resources(new)
    if had == wants:
        return
    wants = {**{name: {} for name in had}, **wants}
    allotted = {**{name: had.get(name, {}) for name in wants}, **state.allotted}
    # Who asks for what it has already waits for nothing.
    allotted = {name: have for name, have in allotted.items() if have != wants[name]}
    resize = state.resize if allotted else ()
    save(world, state._replace(allotted=allotted, resize=resize))


def _resources(spec: Object) -> dict[str, Object]:
    found = {
        entry["name"]: entry.get("resources") or {}
        for group in ("initContainers", "containers")
        for entry in spec.get(group, ())
    }
    if "resources" in spec:
        found[WHOLE_POD] = spec["resources"] or {}
    return found


def retry_deferred_resizes(world: World, gone: PodState) -> None:
    """A pod has left its node: who waits there to be given more may have it now."""
    waiting: dict[str, str] = world.table(_DEFERRED)
    waiting.pop(gone.uid, None)
    for uid, node in waiting.items():
        if node == gone.node:
            schedule_sync(world, uid, _NOTICED_S)


def settle(world: World, pod: Object, state: PodState) -> PodState:
    """Take the next step of a resize."""
    generation = pod["metadata"].get("generation", 1)
    if not state.allotted:
        return _confirm(world, pod, state)
    refusal = shortage(world, pod, state.node)
    if refusal is not None:
        reason, message = refusal
        if state.resize != (PENDING, reason, message, generation):
            state = save(world, state._replace(resize=(PENDING, reason, message, generation)))
            text = f"Pod resize {reason}: {_summary(pod, message)}"
            record_pod_event(world, pod, state, "Warning", f"Resize{reason}", text)
        if reason == "Deferred":
            world.table(_DEFERRED)[state.uid] = state.node
            schedule_sync(world, state.uid, RESYNC_S)
        return state
    world.table(_DEFERRED).pop(state.uid, None)
    changed = tuple(state.allotted)
    before = granted(pod["spec"], state.allotted)
    failed = _failed_with(state, generation)
    if not failed:
        state = save(world, state._replace(resize=(IN_PROGRESS, "", "", generation)))
        record_pod_event(
            world, pod, state, "Normal", "ResizeStarted", f"Pod resize started: {_summary(pod)}"
        )
    error = _too_little(world, pod, state, before)
    if error:
        if failed != error:
            state = save(world, state._replace(resize=(IN_PROGRESS, ERROR, error, generation)))
            text = f"Pod resize error: {_summary(pod, error)}"
            record_pod_event(world, pod, state, "Warning", "ResizeError", text)
        schedule_sync(world, state.uid, retry_delay(world, state))
        return state
    resize = (IN_PROGRESS, "", "", generation)
    state = save(world, state._replace(allotted={}, resize=resize))
    for name, container in state.containers.items():
        if container.phase == RUNNING and (name in changed or WHOLE_POD in changed):
            _grant(world, pod, state, name, container_spec(before, name))
    schedule_sync(world, state.uid, _CONFIRMED_S)
    return state_of(world, state.uid) or state


def _failed_with(state: PodState, generation: int) -> str:
    """Why this resize could not be carried out so far; empty when it was not tried yet."""
    if not state.resize:
        return ""
    name, reason, message, since = state.resize
    return message if (name, reason, since) == (IN_PROGRESS, ERROR, generation) else ""


def _too_little(world: World, pod: Object, state: PodState, before: Object) -> str:
    """Why memory limits cannot be lowered now: more is in use; empty when they can."""
    spec = pod["spec"]
    used = sum(memory_bytes(world, state, name) for name in state.containers)
    why = []
    was, limit = (
        _memory(pod_resources(each)) if bounded(each) else None for each in (before, spec)
    )
    if was is not None and limit is not None and limit < was and used >= limit:
        why.append(f"attempting to set pod memory limit ({limit}) below current usage ({used})")
    for name in state.containers:
        had, wants = (
            _memory(container_spec(each, name).get("resources")) for each in (before, spec)
        )
        if had is None or wants is None or wants >= had or _by_restart(spec, name):
            continue
        if memory_bytes(world, state, name) >= wants:
            # The kubelet tells what the whole pod uses.
            text = f"attempting to set container {name!r} memory limit".replace("'", '"')
            why.append(f"{text} ({wants}) below current usage ({used})")
    if not why:
        return ""
    listed = why[0] if len(why) == 1 else f"[{', '.join(why)}]"
    return f"cannot decrease memory limits: {listed}"


def _memory(resources: Object | None) -> int | None:
    """The memory limit in bytes."""
    limits = (resources or {}).get("limits") or {}
    return int(parse(limits["memory"])) if "memory" in limits else None


def _by_restart(spec: Object, name: str) -> bool:
    return any(
        entry["resourceName"] == "memory" and entry["restartPolicy"] == "RestartContainer"
        for entry in container_spec(spec, name).get("resizePolicy") or ()
    )


def _confirm(world: World, pod: Object, state: PodState) -> PodState:
    world.table(_DEFERRED).pop(state.uid, None)
    if state.resize and state.resize[0] == IN_PROGRESS:
        text = f"Pod resize completed: {_summary(pod)}"
        record_pod_event(world, pod, state, "Normal", "ResizeCompleted", text)
    return save(world, state._replace(resize=()))


def _grant(world: World, pod: Object, state: PodState, name: str, before: Object) -> None:
    """Give a running container its new limits, or restart it where its policy says so."""
    spec = container_spec(pod["spec"], name)
    limits = limits_of(pod["spec"], spec)
    policies = {
        entry["resourceName"]: entry["restartPolicy"] for entry in spec.get("resizePolicy") or ()
    }
    touched = {
        resource
        for resource in ("cpu", "memory")
        if _amounts(before, resource) != _amounts(spec, resource)
    }
    if any(policies.get(resource) == "RestartContainer" for resource in touched):
        change(world, state.uid, name, free_restart=True)
        current = state_of(world, state.uid) or state
        save(world, current._replace(busy=True))
        grace = float(pod["spec"].get("terminationGracePeriodSeconds", 30))
        stop_container(world, current, name, f"Container {name} resize requires restart", grace)
        return
    runtime = world.service(RUNTIME)
    if isinstance(runtime, Resizer):
        memory = int(parse(limits["memory"])) if "memory" in limits else None
        cpu = float(parse(limits["cpu"])) if "cpu" in limits else None
        runtime.resize(world, state.ref(name), memory, cpu)


def _amounts(spec: Object, resource: str) -> tuple[str | None, str | None]:
    resources = spec.get("resources") or {}
    return (
        (resources.get("limits") or {}).get(resource),
        (resources.get("requests") or {}).get(resource),
    )


def _sorted(resources: Object) -> Object:
    return {
        name: dict(sorted(resources[name].items()))
        for name in ("limits", "requests")
        if resources.get(name)
    }


def _summary(pod: Object, error: str = "") -> str:
    """What events tell of a resize: what is asked for, as JSON."""
    told: Object = {}
    for group in ("initContainers", "containers"):
        entries = [
            {"name": entry["name"], "resources": _sorted(entry.get("resources") or {})}
            for entry in pod["spec"].get(group, ())
        ]
        if entries:
            told[group] = entries
    told["generation"] = pod["metadata"].get("generation", 1)
    if error:
        told["error"] = error
    return orjson.dumps(told).decode()
