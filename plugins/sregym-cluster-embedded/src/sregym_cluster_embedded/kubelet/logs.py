"""The log subresource: lines of a container's present or previous life, in the API's words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api import resources
from sregym_cluster_embedded.api.chosen_container import chosen_container
from sregym_cluster_embedded.api.errors import bad_request, not_found
from sregym_cluster_embedded.api.request import is_true
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.state import EXITED, RUNNING, PodState, state_of
from sregym_cluster_embedded.kubelet.unresponsive import check_reachable
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRuntime, LogLine
    from sregym_cluster_embedded.world import World

_WAITING = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}

# For followers of a log: a virtual second, exactly. What clients send is text, and not taken.
SINCE_MOMENT = "since moment"


def read_logs(
    world: World, namespace: str, pod: str, container: str, options: Mapping[str, Any]
) -> str:
    """What `GET pods/NAME/log` answers.

    Args:
        world: The cluster.
        namespace: Namespace of the pod.
        pod: Its name.
        container: Name of the container, empty for the only one (or the default one).
        options: Query parameters: tailLines, sinceSeconds, sinceTime, timestamps, previous,
            limitBytes.

    Raises:
        ApiError: The container is unknown, has not started, or has no life to read from.
    """
    obj = world.store.get(Key("pods", namespace, pod))
    if obj is None:
        kind = resources.named("pods")
        assert kind is not None
        raise not_found(kind, pod)
    name = chosen_container(obj, container)
    node = obj["spec"].get("nodeName")
    if not node:
        # No kubelet can be asked.
        return ""
    check_reachable(world, obj, "containerLogs", name)
    container_id = _container_id(obj, name, is_true(options.get("previous", "false")))
    state = state_of(world, obj["metadata"]["uid"])
    attempt = _life(state, name, container_id)
    if state is None or attempt is None:
        return f"unable to retrieve container logs for {container_id}"
    runtime: ContainerRuntime = world.service(RUNTIME)
    tail, since = options.get("tailLines"), _since(world, options)
    lines = runtime.logs(
        world,
        state.ref(name)._replace(attempt=attempt),
        tail_lines=int(tail) if tail is not None else None,
        since=since,
    )
    return _text(world, lines, options)


def _container_id(pod: Object, name: str, previous: bool) -> str:
    """Which life of a container is meant: the status decides, as the API shows it.

    Raises:
        ApiError: There is no such life.
    """
    where = f'"{name}" in pod "{pod["metadata"]["name"]}"'
    status = _status_of(pod, name)
    if status is None:
        raise bad_request(f"container {where} is not available")
    last: Object = status.get("lastState", {}).get("terminated") or {}
    if previous:
        if not last.get("containerID"):
            raise bad_request(f"previous terminated container {where} not found")
        return str(last["containerID"])
    shown = status.get("state", {})
    if "running" in shown:
        return str(status["containerID"])
    ended = shown.get("terminated") or last
    if ended:
        if not ended.get("containerID"):
            raise bad_request(f"container {where} is terminated")
        return str(ended["containerID"])
    reason = shown.get("waiting", {}).get("reason", "ContainerCreating")
    raise bad_request(f"container {where} is waiting to start: {_WAITING.get(reason, reason)}")


def _status_of(pod: Object, name: str) -> Object | None:
    for field in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for status in pod.get("status", {}).get(field, ()):
            if status["name"] == name:
                found: Object = status
                return found
    return None


def _life(state: PodState | None, name: str, container_id: str) -> int | None:
    """The number of the life that has this id; None when it has been garbage-collected."""
    container = state.containers.get(name) if state is not None else None
    if container is None or container.attempt < 0:
        return None
    begun = container.phase in (RUNNING, EXITED)
    if container_id == f"containerd://{container.container_id}":
        return container.attempt if begun else container.attempt - 1
    if container.phase == EXITED or (container.previous or {}).get("containerID") != container_id:
        return None
    return container.attempt - 1


def _text(world: World, lines: list[LogLine], options: Mapping[str, Any]) -> str:
    since = _since(world, options)
    if since is not None:
        lines = [line for line in lines if line.at >= since]
    tail = options.get("tailLines")
    if tail is not None:
        lines = lines[max(len(lines) - int(tail), 0) :]
    stamped = is_true(options.get("timestamps", "false"))
    parts = [f"{_stamp(world, line.at)} {line.text}" if stamped else line.text for line in lines]
    text = "".join(f"{part}\n" for part in parts)
    limit = options.get("limitBytes")
    return text if limit is None else text.encode()[: int(limit)].decode(errors="ignore")


def _stamp(world: World, at: float) -> str:
    nanoseconds = round((at % 1.0) * 1e9) % 1_000_000_000
    return f"{world.timestamp(at)[:-1]}.{nanoseconds:09d}Z"


def _since(world: World, options: Mapping[str, Any]) -> float | None:
    exact = options.get(SINCE_MOMENT)
    if isinstance(exact, float):
        return exact
    if "sinceSeconds" in options:
        return world.now - float(options["sinceSeconds"])
    if "sinceTime" in options:
        return datetime.fromisoformat(options["sinceTime"]).timestamp() - world.epoch
    return None
