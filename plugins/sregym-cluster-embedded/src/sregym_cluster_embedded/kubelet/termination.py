"""The way out: stop containers within their grace, report the end, confirm the deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet import probes, resizing
from sregym_cluster_embedded.kubelet.images import forget_pulls
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.killing import forget_stop, stop_pod, take_turns
from sregym_cluster_embedded.kubelet.live_files import forget_sources
from sregym_cluster_embedded.kubelet.pacing import KILLED_S, next_relist, schedule_sync
from sregym_cluster_embedded.kubelet.report import (
    pod_of,
    record_pod_event,
    remembered,
    write_status,
)
from sregym_cluster_embedded.kubelet.requests import confirm_end, until_turn
from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ExitState
from sregym_cluster_embedded.kubelet.sandbox import release_address
from sregym_cluster_embedded.kubelet.state import (
    EXITED,
    MOUNT_DELAYS,
    RUNNING,
    PodState,
    pod_states,
    save,
    state_of,
)
from sregym_cluster_embedded.workqueue import forget

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

GONE = "kubelet.gone"
_CLOSE_S = 1e-6
# A kubelet lets go of a pod when its list of containers confirms the end, and what the pod had is
# put away by then.
_CLEANUP_S = 0.15
_UNKNOWN = ExitState(
    137,
    "ContainerStatusUnknown",
    "The container could not be located when the pod was terminated",
)


def advance(world: World, pod: Object, state: PodState) -> None:
    """Make the next step with a pod that is being deleted."""
    grace = float(pod["metadata"].get("deletionGracePeriodSeconds", 30))
    restarting = False
    if state.deadline is None:
        probes.leave(world, pod, state)
        state, restarting = _begin(world, state, grace)
    elif world.now + grace < state.deadline - 1.0:
        state = _shorten(world, state, grace)
    if any(entry.phase == RUNNING for entry in state.containers.values()):
        if not _partly_ended(state, grace):
            write_status(world, pod, state)
        take_turns(world, state)
        return
    if restarting:
        write_status(world, pod, state)
        schedule_sync(world, state.uid, KILLED_S)
        return
    if not state.ended and not _wind_down(world, pod, state):
        _end(world, pod, state)


def pod_terminated(world: World, uid: str) -> None:
    """Handler: nothing of the pod is left on its node."""
    state = state_of(world, uid)
    if state is None:
        return
    pod = pod_of(world, state)
    if pod is None:
        drop(world, state)
        return
    if not write_status(world, pod, state) or not confirm_end(world, state):
        world.after(until_turn(world, state.node), GONE, uid)
    elif pod_of(world, state) is None:
        drop(world, state)


def drop(world: World, state: PodState) -> None:
    """Forget a pod whose API object is gone; what still runs is killed."""
    runtime: ContainerRuntime = world.service(RUNTIME)
    for container in state.containers.values():
        if container.attempt < 0:
            continue
        ref = state.ref(container.name)
        if container.phase == RUNNING:
            if state.deadline is None and not state.ending:
                # Its API object was deleted by force: the kubelet learns that it has to kill it.
                text = f"Stopping container {container.name}"
                record_pod_event(
                    world, remembered(state), state, "Normal", "Killing", text, container.name
                )
            runtime.kill(world, ref)
        for attempt in range(max(container.attempt - 1, 0), container.attempt + 1):
            runtime.forget(world, ref._replace(attempt=attempt))
    probes.drop(world, state)
    forget_stop(world, state)
    forget(world, "kubelet.sync", state.uid)
    forget_sources(world, state)
    world.table(MOUNT_DELAYS).pop(state.uid, None)
    release_address(world, state)
    pod_states(world).pop(state.uid, None)
    resizing.retry_deferred_resizes(world, state)


def _begin(world: World, state: PodState, grace: float) -> tuple[PodState, bool]:
    """Stop what runs; nothing is started again, so that nothing waits for its restart any more.

    Returns:
        The pod, and whether a container of it was waiting so.
    """
    waited = any(entry.waiting and entry.phase == EXITED for entry in state.containers.values())
    if waited:
        containers = {
            name: entry._replace(waiting=None) if entry.phase == EXITED else entry
            for name, entry in state.containers.items()
        }
        state = state._replace(containers=containers)
    state = save(world, state._replace(deadline=world.now + grace, busy=False, again=False))
    stop_pod(world, state, grace)
    return state_of(world, state.uid) or state, waited


def _partly_ended(state: PodState, grace: float) -> bool:
    """Whether a container has ended since the pod has to go: that is told with the others' end."""
    began = (state.deadline or 0.0) - grace - _CLOSE_S
    return any(
        entry.phase == EXITED and entry.finished_at >= began for entry in state.containers.values()
    )


def _shorten(world: World, state: PodState, grace: float) -> PodState:
    for container in state.containers.values():
        if container.phase == RUNNING:
            arguments = (state.uid, container.name, container.attempt, False)
            world.after(grace, "kubelet.kill", *arguments)
    return save(world, state._replace(deadline=world.now + grace))


def _wind_down(world: World, pod: Object, state: PodState) -> bool:
    """A pod with a container that never started: forget why, then let go of the sandbox.

    Returns True when a further step is planned.
    """
    never = [entry for entry in state.containers.values() if entry.attempt < 0]
    if not never or not state.sandbox:
        return False
    if any(entry.waiting for entry in never):
        containers = {
            name: entry._replace(waiting=None) if entry.attempt < 0 else entry
            for name, entry in state.containers.items()
        }
        state = save(world, state._replace(containers=containers))
    else:
        state = save(world, state._replace(sandbox=False))
    write_status(world, pod, state)
    schedule_sync(world, state.uid, KILLED_S)
    return True


def _end(world: World, pod: Object, state: PodState) -> None:
    containers = {
        name: entry
        if entry.phase == EXITED
        else entry._replace(phase=EXITED, exit=_UNKNOWN, waiting=None, finished_at=world.now)
        for name, entry in state.containers.items()
    }
    containers = {name: entry._replace(waiting=None) for name, entry in containers.items()}
    state = save(
        world, state._replace(containers=containers, ended=True, sandbox=False, busy=False)
    )
    forget_stop(world, state)
    forget_pulls(world, pod, state.uid)
    write_status(world, pod, state)
    wait_s = next_relist(world, state.node)
    world.after(wait_s if wait_s >= _CLEANUP_S else wait_s + 1.0, GONE, state.uid)
