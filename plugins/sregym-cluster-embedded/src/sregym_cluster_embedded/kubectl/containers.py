"""From the names a client uses to the container the runtime knows."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExecResult
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"

_STATUS_FIELDS = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


class ContainerNotRunningError(Exception):
    """A stream to a container that has no process; the message is the kubelet's."""


def container_status(pod: Object, container: str) -> Object | None:
    """The entry of `container` in the status of `pod`, whatever kind of container it is."""
    status = pod.get("status", {})
    for field in _STATUS_FIELDS:
        for entry in status.get(field, ()):
            if entry["name"] == container:
                found: dict[str, Any] = entry
                return found
    return None


def default_container(pod: Object) -> str:
    """The container that a command without `-c` means."""
    annotated: str = pod["metadata"].get("annotations", {}).get(DEFAULT_CONTAINER, "")
    return annotated or str(pod["spec"]["containers"][0]["name"])


class ContainerExitedError(Exception):
    """The process has ended, what the API says of its container does not show it yet."""

    def __init__(self) -> None:
        super().__init__(
            "Internal error occurred: Internal error occurred: error attaching to container: "
            "container is in CONTAINER_EXITED state"
        )


def running_container(world: World, namespace: str, pod: str, container: str) -> ContainerRef:
    """The present life of a running container; the pod's default one when no name is given.

    Raises:
        ContainerNotRunningError: The pod or container is not there or does not run.
    """
    obj = world.store.get(Key("pods", namespace, pod))
    if obj is None:
        raise ContainerNotRunningError(f'pods "{pod}" not found')
    container = container or default_container(obj)
    status = container_status(obj, container)
    if status is None or "running" not in status.get("state", {}):
        message = f'container not found ("{container}")'
        raise ContainerNotRunningError(message)
    return ContainerRef(
        namespace, pod, obj["metadata"]["uid"], container, status.get("restartCount", 0)
    )


def container_instance(
    world: World, namespace: str, pod: str, container: str
) -> tuple[str, int, bool] | None:
    """Uid of the pod, restarts, whether the container runs; None when it is not there."""
    obj = world.store.get(Key("pods", namespace, pod))
    if obj is None:
        return None
    status = container_status(obj, container)
    if status is None or "running" not in status.get("state", {}):
        return (obj["metadata"]["uid"], (status or {}).get("restartCount", 0), False)
    return (obj["metadata"]["uid"], status.get("restartCount", 0), True)


def attach_refusal(namespace: str, pod: str, container: str) -> str:
    """The kubelet's words to one who attaches to a container that does not run."""
    return f"container {container} not found in pod {pod}_{namespace}"


def run_in_container(
    world: World, namespace: str, pod: str, container: str, command: tuple[str, ...], stdin: str
) -> ExecResult:
    """Run a command in the present life of a container.

    Raises:
        ContainerNotRunningError: There is no process to join.
    """
    ref = running_container(world, namespace, pod, container)
    result: ExecResult = world.service(RUNTIME).exec(world, ref, command, stdin)
    if not result.error:
        return result
    # The runtime's words, and those of all who hand them on. The id is that of the attempt.
    attempt = sha256(f"{ref} {world.now} {command}".encode()).hexdigest()
    head = "error executing command in container: failed to exec in container: failed to start exec"
    error = f'Internal error occurred: {head} "{attempt}": {result.error}'
    return replace(result, error=error)
