"""Resizing a pod in place: its kubelet gives the containers what the spec asks for, or says why not.

As long as the node cannot give it, the containers keep what they have (`PodState.allotted`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.kubelet.admission import shortage
from sregym_cluster_embedded.kubelet.killing import stop_container
from sregym_cluster_embedded.kubelet.pacing import RESYNC_S, wake
from sregym_cluster_embedded.kubelet.report import tell
from sregym_cluster_embedded.kubelet.resources_status import WHOLE_POD, granted, limits_of
from sregym_cluster_embedded.kubelet.runtime import Resizer
from sregym_cluster_embedded.kubelet.state import (
    RUNNING,
    PodState,
    change,
    container_spec,
    save,
    state_of,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

PENDING, IN_PROGRESS = "PodResizePending", "PodResizeInProgress"
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
            tell(world, pod, state, "Warning", f"Resize{reason}", text)
        if reason == "Deferred":
            wake(world, state.uid, RESYNC_S)
        return state
    changed = tuple(state.allotted)
    before = granted(pod["spec"], state.allotted)
    resize = (IN_PROGRESS, "", "", generation)
    state = save(world, state._replace(allotted={}, resize=resize))
    tell(world, pod, state, "Normal", "ResizeStarted", f"Pod resize started: {_summary(pod)}")
    for name, container in state.containers.items():
        if container.phase == RUNNING and (name in changed or WHOLE_POD in changed):
            _grant(world, pod, state, name, container_spec(before, name))
    wake(world, state.uid, _CONFIRMED_S)
    return state_of(world, state.uid) or state


def _confirm(world: World, pod: Object, state: PodState) -> PodState:
    if state.resize and state.resize[0] == IN_PROGRESS:
        text = f"Pod resize completed: {_summary(pod)}"
        tell(world, pod, state, "Normal", "ResizeCompleted", text)
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
    runtime = world.room("runtime")
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
