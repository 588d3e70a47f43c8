"""Stopping containers: hook, SIGTERM, grace, SIGKILL; of a whole pod in their order.

When a pod goes, all its containers are told so at once and run their hooks. A sidecar gets its
signal only when what started after it has ended, or when its grace is over.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.hooks import run_hook
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.messages import with_message
from sregym_cluster_embedded.kubelet.pacing import KILLED_S, next_relist, schedule_sync
from sregym_cluster_embedded.kubelet.report import pod_of, record_pod_event
from sregym_cluster_embedded.kubelet.restarting import record_exit
from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ExitState
from sregym_cluster_embedded.kubelet.state import (
    MAIN,
    RUNNING,
    SIDECAR,
    PodState,
    container_spec,
    save,
    state_of,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_KILLED = ExitState(137, "Error")
_COMPLETED = ExitState(0, "Completed")
# What a container gets at least: however long its hook took, however soon it has to go.
_SHORTEST_GRACE_S = 2.0
# The uids of the pods whose containers have been told to go.
_STOPPING: TableKey[str, bool] = TableKey("kubelet.stopping")
# By uid and name: the life of each sidecar that waits for its signal, since when, and its grace.
_TURNS: TableKey[tuple[str, str], tuple[int, float, float]] = TableKey("kubelet.turns")


def stop_pod(world: World, state: PodState, grace_s: float) -> None:
    """Begin to stop all that runs of a pod."""
    world.table(_STOPPING)[state.uid] = True
    running = [entry for entry in state.containers.values() if entry.phase == RUNNING]
    sidecars = [entry for entry in reversed(running) if entry.role == SIDECAR]
    for entry in [*(entry for entry in running if entry.role != SIDECAR), *sidecars]:
        stop_container(world, state, entry.name, f"Stopping container {entry.name}", grace_s)


def is_stopping(world: World, uid: str) -> bool:
    """Whether the containers of a pod have been told to go."""
    return uid in world.table(_STOPPING)


def take_turns(world: World, state: PodState) -> None:
    """A container of a pod that goes has ended: those that waited for it get their signal."""
    turns = world.table(_TURNS)
    if not turns:
        return
    for name in state.containers:
        waiting = turns.get((state.uid, name))
        if waiting is not None and not _waits(state, name):
            world.after(0.0, "kubelet.turn", state.uid, name, waiting[0])


def forget_stop(world: World, state: PodState) -> None:
    """All containers of a pod have ended, or the pod is gone."""
    world.table(_STOPPING).pop(state.uid, None)
    turns = world.table(_TURNS)
    for name in state.containers if turns else ():
        turns.pop((state.uid, name), None)


def stop_container(world: World, state: PodState, name: str, message: str, grace_s: float) -> None:
    """Begin to stop a running container; `kubelet.kill` ends it."""
    pod = pod_of(world, state)
    hook_s = 0.0
    if pod is not None:
        record_pod_event(world, pod, state, "Normal", "Killing", message, name)
        hook = (container_spec(pod["spec"], name).get("lifecycle") or {}).get("preStop")
        if hook is not None and grace_s > 0:
            result = run_hook(world, state.ref(name), hook)
            if result.failure:
                record_pod_event(
                    world, pod, state, "Warning", "FailedPreStopHook", "PreStopHook failed", name
                )
            hook_s = min(result.duration_s, grace_s)
    world.after(
        hook_s, "kubelet.signal", state.uid, name, state.containers[name].attempt, grace_s - hook_s
    )


def signal(world: World, uid: str, name: str, attempt: int, grace_s: float) -> None:
    """Handler: the hook is over; send SIGTERM, as soon as it is the container's turn."""
    state = state_of(world, uid)
    if state is None or not is_current_instance(state, name, attempt):
        return
    if grace_s > 0 and is_stopping(world, uid) and _waits(state, name):
        world.table(_TURNS)[(uid, name)] = (attempt, world.now, grace_s)
        world.after(grace_s, "kubelet.turn", uid, name, attempt)
        return
    _terminate(world, state, name, grace_s)


def turn(world: World, uid: str, name: str, attempt: int) -> None:
    """Handler: it is a sidecar's turn, or it has no time to wait any longer."""
    state = state_of(world, uid)
    waiting = world.table(_TURNS).get((uid, name))
    if state is None or waiting is None or waiting[0] != attempt:
        return
    del world.table(_TURNS)[(uid, name)]
    if is_current_instance(state, name, attempt):
        _, since, grace_s = waiting
        _terminate(world, state, name, grace_s - math.floor(world.now - since))


def _waits(state: PodState, name: str) -> bool:
    """Whether a sidecar has to wait for a container that started after it."""
    if state.containers[name].role != SIDECAR:
        return False
    after = list(state.containers.values())
    while after.pop(0).name != name:
        pass
    return any(entry.phase == RUNNING and entry.role in (MAIN, SIDECAR) for entry in after)


def _terminate(world: World, state: PodState, name: str, grace_s: float) -> None:
    """Send SIGTERM, and plan the end by itself or by SIGKILL."""
    runtime: ContainerRuntime = world.service(RUNTIME)
    grace_s = max(grace_s, _SHORTEST_GRACE_S)
    takes_s = runtime.terminate(world, state.ref(name))
    by_itself = takes_s is not None and takes_s < grace_s
    delay_s = takes_s if takes_s is not None and by_itself else grace_s
    attempt = state.containers[name].attempt
    world.after(delay_s, "kubelet.kill", state.uid, name, attempt, by_itself)


def kill(world: World, uid: str, name: str, attempt: int, by_itself: bool) -> None:
    """Handler: the container is at its end now, by itself or by SIGKILL."""
    state = state_of(world, uid)
    if state is None or not is_current_instance(state, name, attempt):
        return
    runtime: ContainerRuntime = world.service(RUNTIME)
    ended = runtime.kill(world, state.ref(name))
    if ended is None:
        ended = _COMPLETED if by_itself else _KILLED
    ended = with_message(world, state, name, ended)
    leaving = state.deadline is not None or state.ending
    failed_start = state.containers[name].waiting is not None
    state = record_exit(world, state, name, ended, killed=not leaving and not failed_start)
    if leaving:
        schedule_sync(world, uid, KILLED_S * (0.6 + 1.2 * world.seed.fraction("killed", state.key)))
        return
    save(world, state._replace(busy=False, again=False))
    if failed_start:
        schedule_sync(world, uid, next_relist(world, state.node))
        return
    # A container that failed a probe: the sync that killed it goes on to start it again.
    world.after(0.05, "kubelet.resume", uid)


def is_current_instance(state: PodState, name: str, attempt: int) -> bool:
    """Whether this life of the container is the one that runs."""
    container = state.containers.get(name)
    return container is not None and container.phase == RUNNING and container.attempt == attempt
