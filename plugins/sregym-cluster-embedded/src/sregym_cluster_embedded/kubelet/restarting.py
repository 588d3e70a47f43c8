"""The end of a container's life: what is kept of it, and when the next may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.pacing import stretch
from sregym_cluster_embedded.kubelet.state import (
    EXITED,
    ContainerState,
    PodState,
    save,
    with_container,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, ExitState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_FIRST_BACKOFF_S = 10.0
_LONGEST_BACKOFF_S = 300.0
# A back-off that was not raised for so long is forgotten.
_BACKOFF_MEMORY_S = 600.0


def record_exit(
    world: World, state: PodState, name: str, ended: ExitState, *, killed: bool = False
) -> PodState:
    """A container has ended: keep how, collect the garbage of the life before, begin the wait.

    A container that the kubelet itself killed to start it again is judged by the end of its life
    *before* that one, as in the real kubelet: the first such restart comes at once and raises no
    back-off, and so does every one that comes late enough after the end before.
    """
    container = state.containers[name]
    if container.attempt > 0:
        # Of each container only the last dead life is kept.
        runtime: ContainerRuntime = world.service(RUNTIME)
        runtime.forget(world, state.ref(name)._replace(attempt=container.attempt - 1))
    backoff_s = remembered_backoff(world, container)
    retry_at = world.now + backoff_s * stretch(world, state) if backoff_s else world.now
    if killed and world.now >= container.ended_before_at + backoff_s:
        retry_at = world.now
    finished = container._replace(
        phase=EXITED,
        finished_at=world.now,
        exit=ended,
        started=False,
        ready=False,
        retry_at=retry_at,
        ended_before_at=world.now,
        free_restart=killed and container.attempt == 0,
    )
    return save(world, with_container(state, finished))


def remembered_backoff(world: World, container: ContainerState) -> float:
    """The back-off that stands against a restart now; 0 when there is none."""
    if world.now - container.backoff_since > _BACKOFF_MEMORY_S:
        return 0.0
    return container.backoff_s


def raised_backoff(world: World, container: ContainerState) -> float:
    """The back-off after one more restart."""
    present = remembered_backoff(world, container)
    return min(present * 2, _LONGEST_BACKOFF_S) if present else _FIRST_BACKOFF_S


def in_backoff(world: World, container: ContainerState) -> bool:
    """Whether the container must still wait for its restart."""
    return world.now < container.retry_at - 1e-6


def restarts(pod_spec: Object, container: Object, ended: ExitState | None) -> bool:
    """Whether a container begins again after this end, by its own restart policy or its pod's."""
    code = 0 if ended is None else ended.exit_code
    policy = container.get("restartPolicy")
    if policy is not None and restart_rule_applies("Restart", container, ended):
        return True
    policy = policy or pod_spec.get("restartPolicy", "Always")
    return policy == "Always" or (policy == "OnFailure" and (ended is None or code != 0))


def restart_rule_applies(action: str, container: Object, ended: ExitState | None) -> bool:
    """Whether a rule of the container itself wants this after this end."""
    code = 0 if ended is None else ended.exit_code
    return any(
        rule.get("action") == action and _matches(rule.get("exitCodes") or {}, code)
        for rule in container.get("restartPolicyRules", ())
    )


def _matches(codes: Object, code: int) -> bool:
    among = code in codes.get("values", ())
    return among if codes.get("operator") == "In" else not among
