"""Attributes failed requests and starts to the failing calls behind them, summed up from the traffic."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sregym_apps.model import (
    DialStep,
    QueryStep,
    RegisterStep,
    SeedStep,
    ServiceProgram,
    expand,
)
from sregym_core.interfaces import FatalCalls, PodFailures

from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.dashboard.flowing import stretches
from sregym_cluster_embedded.userland.wiring import dependency_of, parse_address

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.dashboard.flowing import Stretch
    from sregym_cluster_embedded.traffic.segments import Flow
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

_Pod: TypeAlias = tuple[str, str]
_Callee: TypeAlias = tuple[str, str, str]
_DIGITS = 3


class Blaming:
    """What the flow of requests itself knows of failures."""

    _live: LiveWorld

    def failures(self, start: float, end: float) -> tuple[PodFailures, ...]:
        """What failed between two moments, and by whose calls: counts are those of traces and metrics."""
        with self._live.look() as world:
            return _failures(world, start - world.epoch, min(end - world.epoch, world.now))


class _Tally:
    """Requests to one pod, and starts of its containers."""

    def __init__(self, known: Mapping[str, _Pod]) -> None:
        self.requests = 0.0
        self.failed = 0.0
        self.fatal: dict[_Callee, float] = {}
        self.starts: dict[_Callee, int] = {}
        self._known = known

    def serve(self, flow: Flow, stretch: Stretch) -> None:
        """Count what one flow brought."""
        come = stretch.come(flow.rhythms)
        lost = flow.rate * come.bad
        self.requests += flow.rate * flow.ok * come.good + lost * flow.lost
        self.failed += lost * flow.lost
        for ref, host, share in flow.by_calls:
            pod = self._known.get(host, ("", "")) if ref is None else (ref.namespace, ref.pod)
            callee = (*pod, host)
            self.fatal[callee] = self.fatal.get(callee, 0.0) + lost * share

    def start(self, host: str) -> None:
        """Count a start that failed by calls to a host."""
        callee = (*self._known.get(host, ("", "")), host)
        self.starts[callee] = self.starts.get(callee, 0) + 1

    def of(self, namespace: str, pod: str) -> PodFailures:
        """All of it."""
        fatal = {callee: round(count, _DIGITS) for callee, count in self.fatal.items()}
        callees = sorted({*(one for one, count in fatal.items() if count), *self.starts})
        return PodFailures(
            namespace,
            pod,
            round(self.requests, _DIGITS),
            round(self.failed, _DIGITS),
            tuple(
                FatalCalls(*one, fatal.get(one, 0.0), self.starts.get(one, 0)) for one in callees
            ),
        )


def _failures(world: World, start: float, end: float) -> tuple[PodFailures, ...]:
    every = [instance for instance in instances(world) if instance.process.started_at < end]
    known = _known(every)
    found: dict[_Pod, _Tally] = {}
    followed = _followed(every)
    for instance in every:
        tally = found.setdefault((instance.ref.namespace, instance.ref.pod), _Tally(known))
        for stretch in stretches(instance.served, start, end, instance.ended(world.now)):
            for flow in stretch.segment.flows:
                tally.serve(flow, stretch)
        host = _stuck_at(instance.process)
        if host and _felt_until(world, instance, followed) > start:
            tally.start(host)
    told = (tally.of(*pod) for pod, tally in found.items())
    return tuple(sorted(one for one in told if one.requests or one.calls))


def _followed(every: Sequence[ContainerInstance]) -> dict[tuple[str, str, int], float]:
    """When each life of a container began, by pod, container and number."""
    return {
        (instance.ref.pod_uid, instance.ref.name, instance.ref.attempt): instance.process.started_at
        for instance in every
    }


def _felt_until(
    world: World, instance: ContainerInstance, followed: Mapping[tuple[str, str, int], float]
) -> float:
    """Until when a start that failed is felt: until the next one, while there is a pod to start."""
    ref = instance.ref
    further = followed.get((ref.pod_uid, ref.name, ref.attempt + 1))
    if further is not None:
        return further
    pod = world.store.get(Key("pods", ref.namespace, ref.pod))
    there = pod is not None and pod["metadata"]["uid"] == ref.pod_uid
    return world.now if there else instance.ended(world.now)


def _known(every: Sequence[ContainerInstance]) -> dict[str, _Pod]:
    """Who last had an address, or registered under a name."""
    found: dict[str, _Pod] = {}
    for instance in sorted(every, key=lambda one: (one.process.started_at, one.ref)):
        process, pod = instance.process, (instance.ref.namespace, instance.ref.pod)
        found[process.config.pod_ip] = pod
        if isinstance(process.behaviour, ServiceProgram):
            for step in process.behaviour.startup:
                if isinstance(step, RegisterStep):
                    found[expand(step.name, process.facts())] = pod
    return found


def _stuck_at(process: Process) -> str:
    """Whom a program called without success that did not come to serve; empty for none."""
    program = process.behaviour
    if process.served_at is not None or not isinstance(program, ServiceProgram):
        return ""
    tried = process.tries > 0 or (not process.running and process.leaving is None)
    if not tried or process.step >= len(program.startup):
        return ""
    step = program.startup[process.step]
    if not isinstance(step, DialStep | QueryStep | SeedStep | RegisterStep):
        return ""
    client = process.clients[dependency_of(step)[0]]
    if client.registry is not None:
        return client.name
    return parse_address(client.address, client.wire.port).host
