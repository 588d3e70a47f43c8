"""What is taken on each node, kept up to date from the pod writes: the table `scheduler.load`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.scheduler.quantities import requests_of
from sregym_cluster_embedded.store import Change, ChangeType, Object, owner_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

# What the scheduler assumes of a container that asks for nothing, when it spreads load.
_ASSUMED_CPU_MILLI = 100
_ASSUMED_MEMORY = 200 * 1024 * 1024


class PodLoad(NamedTuple):
    """One pod on one node: what it takes.

    Attributes:
        node: Node name.
        requests: In the units of `quantities.counted`.
        assumed: Millicores and bytes with the assumptions for containers that ask for nothing.
        ports: (host address, protocol, port) of its host ports.
        owner: Uid of its controller, or empty.
    """

    node: str
    requests: tuple[tuple[str, int], ...]
    assumed: tuple[int, int]
    ports: tuple[tuple[str, str, int], ...]
    owner: str


class NodeLoad(NamedTuple):
    """All that is taken on one node."""

    pods: int = 0
    requests: tuple[tuple[str, int], ...] = ()
    assumed: tuple[int, int] = (0, 0)
    ports: tuple[tuple[str, str, int], ...] = ()


def follow(world: World, change: Change) -> bool:
    """Take over a pod write; True when room was given free."""
    uid = change.obj["metadata"]["uid"]
    pods = world.table("scheduler.pods")
    known: PodLoad | None = pods.get(uid)
    node = change.obj["spec"].get("nodeName", "")
    over = change.type is ChangeType.DELETED or change.obj.get("status", {}).get("phase") in (
        "Succeeded",
        "Failed",
    )
    if known is None:
        if node and not over:
            pods[uid] = load = load_of(change.obj, node)
            _account(world, load, 1)
        return False
    if over:
        del pods[uid]
        _account(world, known, -1)
        return True
    return False


IDLE = NodeLoad()


def node_loads(world: World) -> Mapping[str, NodeLoad]:
    """What is taken, by node; nothing on nodes that are missing here (`IDLE`)."""
    return world.table("scheduler.load")


def siblings_of(world: World, owner: str) -> Mapping[str, int]:
    """How many pods of one controller run on each node that has some."""
    counts: Mapping[str, int] = world.table("scheduler.siblings").get(owner, {})
    return counts


def load_of(pod: Object, node: str) -> PodLoad:
    """What a pod takes on `node`."""
    spec = pod["spec"]
    cpu = memory = 0
    ports = []
    for container in spec["containers"]:
        asked = (container.get("resources") or {}).get("requests", {})
        cpu += 0 if "cpu" in asked else _ASSUMED_CPU_MILLI
        memory += 0 if "memory" in asked else _ASSUMED_MEMORY
        for port in container.get("ports", ()):
            if port.get("hostPort"):
                address = port.get("hostIP", "0.0.0.0")  # noqa: S104  compared, not bound
                ports.append((address, port.get("protocol", "TCP"), port["hostPort"]))
    requests = requests_of(spec)
    assumed = (cpu + requests.get("cpu", 0), memory + requests.get("memory", 0))
    owner = owner_of(pod)
    uid = owner["uid"] if owner is not None else ""
    return PodLoad(node, tuple(requests.items()), assumed, tuple(ports), uid)


def _account(world: World, load: PodLoad, sign: int) -> None:
    table = world.table("scheduler.load")
    old: NodeLoad = table.get(load.node, IDLE)
    totals = dict(old.requests)
    for name, value in load.requests:
        totals[name] = totals.get(name, 0) + sign * value
    ports = old.ports
    if load.ports:
        ports = (
            ports + load.ports
            if sign > 0
            else tuple(port for port in ports if port not in load.ports)
        )
    table[load.node] = NodeLoad(
        old.pods + sign,
        tuple(totals.items()),
        (old.assumed[0] + sign * load.assumed[0], old.assumed[1] + sign * load.assumed[1]),
        ports,
    )
    if load.owner:
        table = world.table("scheduler.siblings")
        counts = dict(table.get(load.owner, {}))
        counts[load.node] = counts.get(load.node, 0) + sign
        if not counts[load.node]:
            del counts[load.node]
        if counts:
            table[load.owner] = counts
        else:
            table.pop(load.owner, None)
