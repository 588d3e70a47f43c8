"""Who calls whom: nodes and edges of the service graph, from the history of traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_apps.model import ServiceProgram, StoreProgram

from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.dashboard.flowing import (
    Mixture,
    Stretch,
    Tally,
    sent,
    stretches,
)
from sregym_cluster_embedded.telemetry.dashboard.workloads import Census

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.segments import CallFlow, Segment
    from sregym_cluster_embedded.world import World

# While something evolves there is a segment each second: of older ones only some are looked at.
_STRIDE = 30

# Calls older than this are forgotten by the graph.
MEMORY_S = 900.0


class Edge:
    """Calls from one workload to another over a span.

    Attributes:
        requests: Attempts, repeated ones included.
        ok: Attempts that succeeded.
        errors: (kind, words) -> attempts.
    """

    def __init__(self) -> None:
        self.requests = 0.0
        self.ok = 0.0
        self.errors: dict[tuple[str, str], float] = {}
        self.times = Mixture()

    def add(self, call: CallFlow, rhythm: RateModulations, stretch: Stretch) -> None:
        """Count what one client's calls brought."""
        come = stretch.come(call.rhythms(rhythm))
        ok, failed = call.rate * call.ok * come.good, call.rate * (1 - call.ok) * come.bad
        self.requests += ok + failed
        self.ok += ok
        for kind, words, share in call.errors:
            self._fail(kind, words, call.rate * share * come.bad)
        expected = call.rate * come.seconds
        self.times.add(call.time, expected * call.ok)
        self.times.add(call.failed_time, expected * (1 - call.ok))

    def add_users(self, tally: Tally) -> None:
        """Count what a load generator sent."""
        self.requests += tally.requests
        self.ok += tally.ok
        for words, count in tally.errors.items():
            kind = words if words in ("timeout", "connect") else "server"
            self._fail(kind, words, count)

    def _fail(self, kind: str, words: str, count: float) -> None:
        if count > 0:
            self.errors[kind, words] = self.errors.get((kind, words), 0.0) + count


class Calls:
    """The graph of a span that ends now.

    Args:
        world: The world of the traffic.
        span_s: How many seconds are looked at.

    Attributes:
        nodes: Workload id -> what it served.
        edges: (caller's id, callee's id) -> calls; ids without a `/` are unknown hosts.
        roles: Workload id -> `load`, `service` or `store`; missing for other things.
        users: All that load generators saw.
    """

    def __init__(self, world: World, span_s: float) -> None:
        self._world = world
        self._since = world.now - span_s
        self.census = Census(world)
        self.nodes: dict[str, Tally] = {}
        self.edges: dict[tuple[str, str], Edge] = {}
        self.roles: dict[str, str] = {}
        self.users = Tally()
        every = list(instances(world))
        self._reached = self._remembered(every)
        for instance in every:
            self._serve(instance)
        for instance, known, host in sent(world):
            self._send(instance, known, host)

    def _serve(self, instance: ContainerInstance) -> None:
        me = self.census.of_container(instance.ref)
        program = instance.process.behaviour
        if isinstance(program, ServiceProgram | StoreProgram):
            self.roles[me] = "store" if isinstance(program, StoreProgram) else "service"
        now = self._world.now
        for stretch in stretches(instance.served, self._since, now, instance.ended(now)):
            for flow in stretch.segment.flows:
                self.nodes.setdefault(me, Tally()).add(flow, stretch)
                for call in flow.calls:
                    edge = self.edges.setdefault((me, self._target(me, instance, call)), Edge())
                    edge.add(call, flow.rhythm, stretch)

    def _send(self, instance: ContainerInstance, known: Sequence[Segment], host: str) -> None:
        me, now, tally = self.census.of_container(instance.ref), self._world.now, Tally()
        self.roles[me] = "load"
        for stretch in stretches(known, self._since, now, instance.ended(now)):
            for flow in stretch.segment.flows:
                tally.add(flow, stretch)
                self.users.add(flow, stretch)
        target = self.census.behind(host, instance.ref.namespace) or host
        self.edges.setdefault((me, target), Edge()).add_users(tally)
        self.nodes.setdefault(me, Tally())

    def _target(self, me: str, instance: ContainerInstance, call: CallFlow) -> str:
        """Whom a call reaches, or would reach: whom it reached before, whom its host names."""
        if call.callee is not None:
            return self.census.of_container(call.callee)
        known = self._reached.get((me, call.client))
        return known or self.census.behind(call.host, instance.ref.namespace) or call.host

    def _remembered(self, every: Sequence[ContainerInstance]) -> dict[tuple[str, str], str]:
        """Whom each client of a workload last reached; edges are there even when quiet now."""
        found: dict[tuple[str, str], tuple[float, str]] = {}
        now = self._world.now
        for instance in every:
            me = self.census.of_container(instance.ref)
            seen: set[tuple[tuple[str, ContainerRef | None], ...]] = set()
            for segment in _looked_at(instance.served, now - MEMORY_S):
                # While something evolves only numbers change: what is called stays the same.
                calls = [call for flow in segment.flows for call in flow.calls]
                shape = tuple((call.client, call.callee) for call in calls)
                if shape in seen:
                    continue
                seen.add(shape)
                for call in calls:
                    if call.callee is None:
                        continue
                    target = self.census.of_container(call.callee)
                    if instance.ended(now) >= now - MEMORY_S:
                        self.edges.setdefault((me, target), Edge())
                    if found.get((me, call.client), (-1.0, ""))[0] < segment.start:
                        found[me, call.client] = segment.start, target
        return {key: target for key, (_, target) in found.items()}


def _looked_at(known: Sequence[Segment], since: float) -> Iterator[Segment]:
    """The latest segments, then every so many of the older ones, the latest first."""
    older = 0
    for segment in reversed(known):
        if segment.start < since:
            older += 1
            if older % _STRIDE != 1:
                continue
        yield segment
