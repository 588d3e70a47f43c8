"""What is taken on each node, kept up to date from the pod writes: the table `scheduler.load`.

Pods that have been promised a node count there before they are bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sregym_cluster_embedded.api.pod_requests import requests_of
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.scheduler import pod_terms
from sregym_cluster_embedded.scheduler.pod_terms import PODS
from sregym_cluster_embedded.scheduler.terms import Term, terms_of
from sregym_cluster_embedded.store import Change, ChangeType, Object, owner_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.world import World

G = TypeVar("G")
_TERMS: TableKey[Term, dict[str, int]] = TableKey("scheduler.terms")
_SIBLINGS: TableKey[str, dict[str, int]] = TableKey("scheduler.siblings")
_NODES: TableKey[str, NodeLoad] = TableKey("scheduler.load")
# What the scheduler assumes of a container that asks for nothing, when it spreads load.
_ASSUMED_CPU_MILLI = 100
_ASSUMED_MEMORY = 200 * 1024 * 1024
_NO_LABELS: dict[str, str] = {}


class PodLoad(NamedTuple):
    """One pod on one node: what it takes, and what others may look for in it.

    Attributes:
        node: Node name.
        requests: In the units of `quantities.counted`.
        assumed: Millicores and bytes with the assumptions for containers that ask for nothing.
        ports: (host address, protocol, port) of its host ports.
        owner: Uid of its controller, or empty.
        namespace: Its namespace.
        labels: Its labels, as they stand in its metadata.
        terminating: Whether it is being deleted.
        terms: What it asks of its neighbours.
    """

    node: str
    requests: tuple[tuple[str, int], ...]
    assumed: tuple[int, int]
    ports: tuple[tuple[str, str, int], ...]
    owner: str
    namespace: str = ""
    labels: dict[str, str] = _NO_LABELS
    terminating: bool = False
    terms: tuple[Term, ...] = ()


class NodeLoad(NamedTuple):
    """All that is taken on one node."""

    pods: int = 0
    requests: tuple[tuple[str, int], ...] = ()
    assumed: tuple[int, int] = (0, 0)
    ports: tuple[tuple[str, str, int], ...] = ()


IDLE = NodeLoad()


def follow(world: World, change: Change) -> PodLoad | None:
    """Take over a pod write; returns what was given free, if anything was.

    A pod that is known before it is bound is one that has been promised its node (`assume`).
    """
    obj, old = change.obj, change.old
    metadata, spec = obj["metadata"], obj["spec"]
    uid = metadata["uid"]
    pods = world.table(PODS)
    known: PodLoad | None = pods.get(uid)
    node = spec.get("nodeName", "")
    over = change.type is ChangeType.DELETED or obj.get("status", {}).get("phase") in (
        "Succeeded",
        "Failed",
    )
    if known is None:
        if node and not over:
            pods[uid] = load = load_of(obj, node)
            _account(world, load, 1)
        return None
    if over:
        del pods[uid]
        _account(world, known, -1)
        return known
    node = node or known.node
    if old is not None and (
        node != known.node
        or metadata.get("labels") is not old["metadata"].get("labels")
        or ("deletionTimestamp" in metadata) != known.terminating
        or (spec is not old["spec"] and spec["containers"] is not old["spec"]["containers"])
    ):
        return _changed(world, uid, known, load_of(obj, node))
    return None


def _changed(world: World, uid: str, known: PodLoad, new: PodLoad) -> PodLoad | None:
    if new == known:
        return None
    _account(world, known, -1)
    _account(world, new, 1)
    world.table(PODS)[uid] = new
    alike = (new.node, new.requests, new.labels) == (known.node, known.requests, known.labels)
    return None if alike else known


def assume(world: World, pod: Object, node: str) -> None:
    """Count a pod on the node that it will be bound to."""
    load = load_of(pod, node)
    world.table(PODS)[pod["metadata"]["uid"]] = load
    _account(world, load, 1)


def release(world: World, uid: str) -> PodLoad | None:
    """Count a pod no more that will not be bound; returns what that gives free."""
    known: PodLoad | None = world.table(PODS).pop(uid, None)
    if known is not None:
        _account(world, known, -1)
    return known


def present(world: World, pod: Object) -> PodLoad | None:
    """What a pod takes on its node; None when it has none, has ended or is gone."""
    found: PodLoad | None = world.table(PODS).get(pod["metadata"]["uid"])
    return found


def node_loads(world: World) -> Mapping[str, NodeLoad]:
    """What is taken, by node; nothing on nodes that are missing here (`IDLE`)."""
    return world.table(_NODES)


def siblings_of(world: World, owner: str) -> Mapping[str, int]:
    """How many pods of one controller run on each node that has some."""
    counts: Mapping[str, int] = world.table(_SIBLINGS).get(owner, {})
    return counts


def neighbour_terms(world: World) -> Mapping[Term, Mapping[str, int]]:
    """The terms of the pods that have a node, and how many pods of each node have them."""
    return world.table(_TERMS)


def load_of(pod: Object, node: str) -> PodLoad:
    """What a pod takes on `node`."""
    spec, metadata = pod["spec"], pod["metadata"]
    cpu = memory = 0
    ports = []
    for container in spec["containers"]:
        asked = (container.get("resources") or {}).get("requests") or {}
        cpu += 0 if "cpu" in asked else _ASSUMED_CPU_MILLI
        memory += 0 if "memory" in asked else _ASSUMED_MEMORY
    for container in (*spec["containers"], *_sidecars(spec)):
        for port in container.get("ports", ()):
            if port.get("hostPort"):
                address = port.get("hostIP") or "0.0.0.0"  # noqa: S104  compared, not bound
                ports.append((address, port.get("protocol", "TCP"), port["hostPort"]))
    requests = requests_of(spec)
    assumed = (cpu + requests.get("cpu", 0), memory + requests.get("memory", 0))
    owner = owner_of(pod)
    return PodLoad(
        node,
        tuple(requests.items()),
        assumed,
        tuple(ports),
        owner["uid"] if owner is not None else "",
        metadata["namespace"],
        metadata.get("labels") or _NO_LABELS,
        "deletionTimestamp" in metadata,
        terms_of(pod) if "affinity" in spec else (),
    )


def less(load: NodeLoad, gone: tuple[PodLoad, ...]) -> NodeLoad:
    """The load of a node without some of its pods."""
    for pod in gone:
        load = _sum(load, pod, -1)
    return load


def more(load: NodeLoad, coming: tuple[PodLoad, ...]) -> NodeLoad:
    """The load of a node with some pods more."""
    for pod in coming:
        load = _sum(load, pod, 1)
    return load


def _sidecars(spec: Object) -> list[Object]:
    return [
        container
        for container in spec.get("initContainers") or ()
        if container.get("restartPolicy") == "Always"
    ]


def _sum(old: NodeLoad, load: PodLoad, sign: int) -> NodeLoad:
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
    return NodeLoad(
        old.pods + sign,
        tuple(totals.items()),
        (old.assumed[0] + sign * load.assumed[0], old.assumed[1] + sign * load.assumed[1]),
        ports,
    )


def _account(world: World, load: PodLoad, sign: int) -> None:
    table = world.table(_NODES)
    table[load.node] = _sum(table.get(load.node, IDLE), load, sign)
    if load.owner and not load.terminating:
        _count(world.table(_SIBLINGS), load.owner, load.node, sign)
    if load.terms:
        terms = world.table(_TERMS)
        for term in load.terms:
            _count(terms, term, load.node, sign)
    pod_terms.account(world, load, sign)


def _count(table: dict[G, dict[str, int]], group: G, node: str, sign: int) -> None:
    counts = dict(table.get(group, {}))
    counts[node] = counts.get(node, 0) + sign
    if not counts[node]:
        del counts[node]
    if counts:
        table[group] = counts
    else:
        table.pop(group, None)
