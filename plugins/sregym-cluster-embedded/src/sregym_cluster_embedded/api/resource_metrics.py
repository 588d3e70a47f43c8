"""The resource metrics API (metrics.k8s.io): what containers and nodes use.

It is there when an APIService says so, and answers as long as that is available, as with a real
metrics server behind an aggregation layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

GROUP, VERSION = "metrics.k8s.io", "v1beta1"
API_SERVICE = Key("apiservices.apiregistration.k8s.io", "", f"{VERSION}.{GROUP}")
# How often a metrics server asks the nodes; a container has metrics after its first full window.
RESOLUTION_S = 15.0


class ContainerUse(NamedTuple):
    """What one container uses.

    Attributes:
        name: The container.
        cpu_nanocores: Over the last window.
        memory_bytes: Working set.
        since: Virtual second at which it started.
    """

    name: str
    cpu_nanocores: int
    memory_bytes: int
    since: float


class Usage(Protocol):
    """Offered by the layer above as `usage`."""

    def containers(self, world: World, pod_uid: str) -> Sequence[ContainerUse]:
        """The running containers of a pod, in the order of their start."""

    def node_overhead(self, world: World, node: str) -> tuple[int, int]:
        """(nanocores, bytes) that a node uses outside of pods."""


class PodMetrics(NamedTuple):
    """The metrics of one pod.

    Attributes:
        pod: The pod as stored.
        at: Virtual second of the scrape.
        containers: Those that are old enough.
    """

    pod: Object
    at: float
    containers: tuple[ContainerUse, ...]


def state(world: World) -> str:
    """`missing` without an APIService, `down` when its server does not answer, else `up`."""
    service = world.store.get(API_SERVICE)
    if service is None:
        return "missing"
    conditions = service.get("status", {}).get("conditions", ())
    healthy = any(e["type"] == "Available" and e["status"] == "True" for e in conditions)
    return "up" if healthy else "down"


def pods(world: World, namespace: str | None) -> list[PodMetrics]:
    """The pods that have metrics, of one namespace or of all, by namespace and name."""
    found = []
    for pod in world.store.list("pods", namespace):
        metrics = of_pod(world, pod)
        if metrics is not None:
            found.append(metrics)
    return found


def of_pod(world: World, pod: Object) -> PodMetrics | None:
    """The metrics of one pod; None while a container of it has none yet."""
    if pod.get("status", {}).get("phase") != "Running":
        return None
    at = scraped_at(world)
    usage: Usage = world.service(USAGE)
    used = tuple(usage.containers(world, pod["metadata"]["uid"]))
    if not used or any(entry.since + RESOLUTION_S > at for entry in used):
        return None
    return PodMetrics(pod, at, used)


def node_use(world: World, node: str) -> tuple[int, int]:
    """(nanocores, bytes) that a node uses in all."""
    usage: Usage = world.service(USAGE)
    cpu, memory = usage.node_overhead(world, node)
    machine = machines.machine(world, node)
    if machine is not None:
        cpu += round(machine.other_cores * 1e9)
    for pod in world.store.indexed("pods", "node", node):
        for entry in usage.containers(world, pod["metadata"]["uid"]):
            cpu += entry.cpu_nanocores
            memory += entry.memory_bytes
    return cpu, memory


def scraped_at(world: World) -> float:
    """The virtual second of the last scrape."""
    return world.now - world.now % RESOLUTION_S
