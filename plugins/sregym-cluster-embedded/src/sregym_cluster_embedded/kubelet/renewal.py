"""Pods that begin anew as a whole: a rule of one of their containers wants all to be restarted.

All that runs is stopped without its hooks; then the init containers run again, and the others
after them. The pod, its address and its volumes stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.killing import stop_container
from sregym_cluster_embedded.kubelet.pacing import next_relist, schedule_sync
from sregym_cluster_embedded.kubelet.report import write_status
from sregym_cluster_embedded.kubelet.restarting import in_backoff, restart_rule_applies
from sregym_cluster_embedded.kubelet.state import (
    EPHEMERAL,
    EXITED,
    NEVER,
    RENEWS,
    RUNNING,
    STARTING,
    ContainerState,
    PodState,
    container_spec,
    save,
)
from sregym_cluster_embedded.kubelet.status import terminated

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

RENEWING = "renewing"
_SEEN_S = 0.2


def could_renew(spec: Object) -> bool:
    """Whether a container of the pod has a rule that restarts all of them."""
    return any(
        rule.get("action") == "RestartAllContainers"
        for group in ("initContainers", "containers")
        for container in spec.get(group, ())
        for rule in container.get("restartPolicyRules") or ()
    )


def step(world: World, pod: Object, state: PodState) -> bool:
    """Make the next step of a pod that begins anew; False when it does not."""
    causes = [
        entry
        for entry in state.containers.values()
        if entry.phase == EXITED
        and restart_rule_applies(
            "RestartAllContainers", container_spec(pod["spec"], entry.name), entry.exit
        )
    ]
    if state.renews != RENEWING:
        if not causes:
            return False
        state = save(world, state._replace(renews=RENEWING))
        write_status(world, pod, state)
        for entry in state.containers.values():
            if entry.phase == RUNNING and entry.role != EPHEMERAL:
                stop_container(world, state, entry.name, f"Stopping container {entry.name}", 0.0)
    if any(entry.phase in (RUNNING, STARTING) for entry in _own(state)):
        return True
    held = [entry.retry_at for entry in causes if in_backoff(world, entry)]
    if held:
        schedule_sync(world, state.uid, max(held) - world.now)
        return True
    if world.now - max(entry.finished_at for entry in _own(state)) < _SEEN_S:
        # The node's list of containers has to show that all have ended.
        schedule_sync(world, state.uid, next_relist(world, state.node))
        return True
    fresh = {entry.name: _fresh(world, entry) for entry in _own(state)}
    state = save(world, state._replace(containers={**state.containers, **fresh}, renews=RENEWS))
    write_status(world, pod, state)
    schedule_sync(world, state.uid, 0.0)
    return True


def _own(state: PodState) -> list[ContainerState]:
    return [entry for entry in state.containers.values() if entry.role != EPHEMERAL]


def _fresh(world: World, entry: ContainerState) -> ContainerState:
    """A container that has yet to start, after all the lives that it had."""
    previous = terminated(world, entry) if entry.phase == EXITED else entry.previous
    return entry._replace(phase=NEVER, previous=previous, waiting=None, exit=None)
