"""Stopping one container: hook, SIGTERM, grace, SIGKILL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.hooks import run_hook
from sregym_cluster_embedded.kubelet.lives import record_exit
from sregym_cluster_embedded.kubelet.messages import with_message
from sregym_cluster_embedded.kubelet.pacing import KILLED_S, next_relist, wake
from sregym_cluster_embedded.kubelet.report import pod_of, tell
from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ExitState
from sregym_cluster_embedded.kubelet.state import (
    RUNNING,
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


def stop_container(world: World, state: PodState, name: str, message: str, grace_s: float) -> None:
    """Begin to stop a running container; `kubelet.kill` ends it."""
    pod = pod_of(world, state)
    hook_s = 0.0
    if pod is not None:
        tell(world, pod, state, "Normal", "Killing", message, name)
        hook = (container_spec(pod["spec"], name).get("lifecycle") or {}).get("preStop")
        if hook is not None and grace_s > 0:
            result = run_hook(world, state.ref(name), hook)
            if result.failure:
                tell(world, pod, state, "Warning", "FailedPreStopHook", "PreStopHook failed", name)
            hook_s = min(result.duration_s, grace_s)
    world.after(
        hook_s, "kubelet.signal", state.uid, name, state.containers[name].attempt, grace_s - hook_s
    )


def signal(world: World, uid: str, name: str, attempt: int, grace_s: float) -> None:
    """Handler: send SIGTERM, and plan the end by itself or by SIGKILL."""
    state = state_of(world, uid)
    if state is None or not lives(state, name, attempt):
        return
    runtime: ContainerRuntime = world.room("runtime")
    grace_s = max(grace_s, _SHORTEST_GRACE_S)
    takes_s = runtime.terminate(world, state.ref(name))
    by_itself = takes_s is not None and takes_s < grace_s
    delay_s = takes_s if takes_s is not None and by_itself else grace_s
    world.after(delay_s, "kubelet.kill", uid, name, attempt, by_itself)


def kill(world: World, uid: str, name: str, attempt: int, by_itself: bool) -> None:
    """Handler: the container is at its end now, by itself or by SIGKILL."""
    state = state_of(world, uid)
    if state is None or not lives(state, name, attempt):
        return
    runtime: ContainerRuntime = world.room("runtime")
    ended = runtime.kill(world, state.ref(name))
    if ended is None:
        ended = _COMPLETED if by_itself else _KILLED
    ended = with_message(world, state, name, ended)
    leaving = state.deadline is not None or state.ending
    failed_start = state.containers[name].waiting is not None
    state = record_exit(world, state, name, ended, killed=not leaving and not failed_start)
    if leaving:
        wake(world, uid, KILLED_S * (0.6 + 1.2 * world.seed.fraction("killed", uid)))
        return
    save(world, state._replace(busy=False, again=False))
    if failed_start:
        wake(world, uid, next_relist(world, state.node))
        return
    # A container that failed a probe: the sync that killed it goes on to start it again.
    world.after(0.05, "kubelet.resume", uid)


def lives(state: PodState, name: str, attempt: int) -> bool:
    """Whether this life of the container is the one that runs."""
    container = state.containers.get(name)
    return container is not None and container.phase == RUNNING and container.attempt == attempt
