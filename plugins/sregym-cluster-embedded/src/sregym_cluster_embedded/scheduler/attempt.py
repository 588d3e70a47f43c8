"""One look at all nodes for one pod: which can take it, and why the others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.scheduler import (
    claims,
    devices,
    inter_pod_affinity,
    nominations,
    volume_limits,
)
from sregym_cluster_embedded.scheduler.filter_status import Verdict
from sregym_cluster_embedded.scheduler.filters import FILTERED_OUT, named_nodes, refusal
from sregym_cluster_embedded.scheduler.inter_pod_affinity import Neighbours
from sregym_cluster_embedded.scheduler.load import IDLE, PodLoad, less, load_of, more, node_loads
from sregym_cluster_embedded.scheduler.nodes import NodeFacts, all_nodes
from sregym_cluster_embedded.scheduler.scoring import Fitness, fitness
from sregym_cluster_embedded.scheduler.spread import Spread

if TYPE_CHECKING:
    from sregym_cluster_embedded.scheduler.claims import Volumes
    from sregym_cluster_embedded.scheduler.load import NodeLoad
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_CACHE: TableKey[tuple[object, ...], dict[str, CachedNodeResult]] = TableKey("scheduler.fitness")
_CACHED_PODS = 512
_TURN: TableKey[str, int] = TableKey("scheduler.turn")
# Up to so many nodes all are looked at.
_ALL = 100
_LEAST_PERCENT = 5


class CachedNodeResult(NamedTuple):
    """A node as it was seen for pods of one kind: still true while both facts are the same."""

    facts: NodeFacts
    load: NodeLoad
    answer: Verdict | Fitness


class Attempt:
    """The state of one scheduling cycle.

    Attributes:
        pod: The pod.
        wanted: What it takes.
        volumes: Its claims.
        devices: What it wants of devices.
        nodes: All nodes of the cluster by name.
        feasible: Nodes that can take the pod, with what they are worth.
        verdicts: Why the others cannot.
        neighbours: How pods around see it; None when no pod has terms.
    """

    def __init__(
        self,
        world: World,
        pod: Object,
        volumes: Volumes,
        wanted_devices: devices.DeviceRequirements = devices.NOTHING,
    ) -> None:
        self.world = world
        self.pod = pod
        self.volumes = volumes
        self.devices = wanted_devices
        self.wanted: PodLoad = load_of(pod, "")
        self.nodes = all_nodes(world)
        self.feasible: list[tuple[NodeFacts, Fitness]] = []
        self.verdicts: dict[str, Verdict] = {}
        self.neighbours: Neighbours | None = None
        self._spread: Spread | None = None
        self._prepare()

    def look(self) -> None:
        """Filter the nodes, as many as are needed."""
        named = named_nodes(self.pod) if "affinity" in self.pod["spec"] else None
        wanted_count = _enough(len(self.nodes))
        turn = self.world.table(_TURN) if wanted_count < len(self.nodes) else {}
        start = turn.get("", 0) % max(len(self.nodes), 1)
        seen = self._seen()
        loads = node_loads(self.world)
        alone = self._is_alone()
        looked = 0
        for facts in (*self.nodes[start:], *self.nodes[:start]) if start else self.nodes:
            looked += 1
            if named is not None and facts.name not in named:
                self.verdicts[facts.name] = FILTERED_OUT
                continue
            load = loads.get(facts.name, IDLE)
            known = seen.get(facts.name)
            if known is not None and known[0] is facts and known[1] is load:
                answer = known[2]
            else:
                answer = self._look_at(facts, load)
                seen[facts.name] = CachedNodeResult(facts, load, answer)
            if not alone and not isinstance(answer, Verdict):
                answer = self._beyond(facts, load) or answer
            if isinstance(answer, Verdict):
                self.verdicts[facts.name] = answer
                continue
            self.feasible.append((facts, answer))
            if len(self.feasible) >= wanted_count:
                break
        if wanted_count < len(self.nodes):
            turn[""] = start + looked

    def check(self, facts: NodeFacts, gone: tuple[Object, ...]) -> Verdict | None:
        """Why the node cannot take the pod when the `gone` pods of it have left; None: it can."""
        loads = tuple(load_of(pod, facts.name) for pod in gone)
        load = less(node_loads(self.world).get(facts.name, IDLE), loads)
        coming = nominations.on(self.world, self.pod, facts.name)
        refused = refusal(self.pod, self.wanted, facts, more(load, coming))
        refused = refused or inter_pod_affinity.refused_by(self.world, self.wanted, coming)
        if refused is not None:
            return refused
        uids = frozenset(pod["metadata"]["uid"] for pod in gone)
        return self._around(facts, loads, uids)

    def _prepare(self) -> None:
        if inter_pod_affinity.needed(self.world, self.wanted):
            self.neighbours = Neighbours(self.world, self.wanted, self.nodes)
        if self.pod["spec"].get("topologySpreadConstraints"):
            self._spread = Spread(self.world, self.pod, self.wanted, self.nodes)

    def _is_alone(self) -> bool:
        """Whether nothing beyond the nodes themselves matters to the pod, as with most pods."""
        return (
            self._spread is None
            and self.neighbours is None
            and self.volumes is claims.NO_VOLUMES
            and self.devices is devices.NOTHING
            and not nominations.any_at_all(self.world)
        )

    def _beyond(self, facts: NodeFacts, load: NodeLoad) -> Verdict | None:
        """Why a node that has room cannot take the pod all the same."""
        coming = nominations.on(self.world, self.pod, facts.name)
        if coming:
            refused = refusal(self.pod, self.wanted, facts, more(load, coming))
            refused = refused or inter_pod_affinity.refused_by(self.world, self.wanted, coming)
            if refused is not None:
                return refused
        return self._around(facts, (), frozenset())

    def _look_at(self, facts: NodeFacts, load: NodeLoad) -> Verdict | Fitness:
        refused = refusal(self.pod, self.wanted, facts, load)
        return refused or fitness(self.pod, self.wanted, facts, load)

    def _around(
        self, facts: NodeFacts, gone: tuple[PodLoad, ...], uids: frozenset[str]
    ) -> Verdict | None:
        """The filters that look beyond the node: volumes, spread, neighbours, devices."""
        volumes = self.volumes
        if volumes is not claims.NO_VOLUMES:
            if volumes.exclusive and claims.in_use(self.world, self.pod, volumes, uids):
                return claims.IN_USE
            refused = volume_limits.refusal(self.world, self.pod, facts, uids)
            refused = refused or claims.refusal(self.world, volumes, facts)
            if refused is not None:
                return refused
        if self._spread is not None:
            refused = self._spread.refusal(facts, gone)
            if refused is not None:
                return refused
        if self.neighbours is not None:
            refused = self.neighbours.refusal(facts, gone)
            if refused is not None:
                return refused
        if self.devices is not devices.NOTHING:
            return devices.refusal(self.world, self.devices, facts)
        return None

    def _seen(self) -> dict[str, CachedNodeResult]:
        """What is known of the nodes for pods like this one; edited in place by this attempt."""
        table = self.world.table(_CACHE)
        if len(table) > _CACHED_PODS:
            table.clear()
        spec = self.pod["spec"]
        kind = (
            self.wanted.requests,
            self.wanted.assumed,
            self.wanted.ports,
            spec.get("nodeName", ""),
            str(spec.get("nodeSelector") or ""),
            str((spec.get("affinity") or {}).get("nodeAffinity") or ""),
            str(spec.get("tolerations") or ""),
        )
        # A copy: the table's value may belong to another fork, too.
        seen: dict[str, CachedNodeResult] = dict(table.get(kind, {}))
        table[kind] = seen
        return seen


def _enough(total: int) -> int:
    """How many feasible nodes are enough, as with `percentageOfNodesToScore: 0`."""
    if total <= _ALL:
        return total
    percent = max(50 - total // 125, _LEAST_PERCENT)
    return max(total * percent // 100, _ALL)
