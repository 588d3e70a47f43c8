"""The last lines of a container, as `kubectl logs` prints them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.logs import written

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.world import World


class UnknownContainerError(Exception):
    """No container of that name ever ran; the text says which are known."""


def tail(world: World, namespace: str, pod: str, container: str, *, lines: int) -> dict[str, Any]:
    """The last lines of the last lives of a container; of the pod's first one when none is named.

    Raises:
        UnknownContainerError: There is and was none.
    """
    found = [
        instance
        for instance in instances(world)
        if (instance.ref.namespace, instance.ref.pod) == (namespace, pod)
        and container in ("", instance.ref.name)
    ]
    if not found:
        wanted = f"{namespace}/{pod}" + (f", container {container!r}" if container else "")
        message = f"no container of pod {wanted} has started"
        raise UnknownContainerError(message)
    name = container or found[0].ref.name
    own = sorted((instance for instance in found if instance.ref.name == name), key=_started)
    rows: list[dict[str, Any]] = []
    for instance in reversed(own):
        missing = lines - len(rows)
        if missing <= 0:
            break
        written_lines = written(world, instance, instance.process.started_at, world.now, missing)
        rows[:0] = [
            {"at": _moment(world, line.at), "text": line.text, "life": instance.ref.attempt}
            for line in written_lines[-missing:]
        ]
    return {"namespace": namespace, "pod": pod, "container": name, "lines": rows}


def _started(instance: ContainerInstance) -> float:
    return instance.process.started_at


def _moment(world: World, at: float) -> str:
    moment = datetime.fromtimestamp(world.epoch + at, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
