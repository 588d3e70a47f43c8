"""Where a pod stands as a whole: its phase, and whether its init containers have done their part."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.kubelet.restarting import restarts
from sregym_cluster_embedded.kubelet.state import (
    EXITED,
    INIT,
    MAIN,
    NEVER,
    SIDECAR,
    STARTING,
    ContainerState,
    PodState,
    container_spec,
)

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object

TERMINAL = ("Succeeded", "Failed")


def verdict(spec: Object, state: PodState) -> str:
    """The phase that follows from the containers alone.

    It is terminal as soon as nothing is left to run; the pod is reported so only after its
    containers and its sandbox have been stopped: see `phase_of`.
    """
    if state.failure[0]:
        return "Failed"
    for entry in state.containers.values():
        if entry.role == INIT and failed_for_good(spec, entry):
            return "Failed"
    if not initialized(state):
        return "Pending"
    mains = [entry for entry in state.containers.values() if entry.role == MAIN]
    if any(entry.attempt < 0 or first_start(entry) for entry in mains):
        return "Pending"
    if any(entry.phase != EXITED for entry in mains):
        return "Running"
    if not state.ended and any(
        restarts(spec, container_spec(spec, entry.name), entry.exit) for entry in mains
    ):
        return "Running"
    return "Succeeded" if all(last_exit_was_zero(entry) for entry in mains) else "Failed"


def phase_of(state: PodState, present: str, reached: str) -> str:
    """status.phase.

    Args:
        state: What its kubelet knows.
        present: What status.phase says so far.
        reached: The `verdict`.
    """
    if state.ended:
        return reached if reached in TERMINAL else "Failed"
    if reached in TERMINAL:
        return present or "Pending"
    return reached


def initialized(state: PodState) -> bool:
    """Whether all init containers have done their part, so that the others may start."""
    for container in state.containers.values():
        if container.role == MAIN:
            break
        done = (
            container.started
            if container.role == SIDECAR
            else container.phase == EXITED and last_exit_was_zero(container)
        )
        if not done:
            # What ran to its end before stays done when it is no longer known.
            return any_container_started(state)
    return True


def any_container_started(state: PodState) -> bool:
    """Whether one of the ordinary containers has been started at least once."""
    return any(entry.role == MAIN and entry.phase != NEVER for entry in state.containers.values())


def failed_for_good(spec: Object, container: ContainerState) -> bool:
    """Whether a container has failed and will not be started again."""
    return (
        container.phase == EXITED
        and not last_exit_was_zero(container)
        and not restarts(spec, container_spec(spec, container.name), container.exit)
    )


def last_exit_was_zero(container: ContainerState) -> bool:
    """Whether the last life that is known ended with code 0."""
    return container.exit is not None and container.exit.exit_code == 0


def first_start(container: ContainerState) -> bool:
    """Whether the container is being started for the first time."""
    return container.phase == STARTING and container.attempt <= 0
