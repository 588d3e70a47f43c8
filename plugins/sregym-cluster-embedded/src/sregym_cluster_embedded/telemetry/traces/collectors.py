"""Programs that collect traces, and which spans reached them.

Spans reach a collector that runs and that its address leads to when they are sent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import ServiceProgram, expand

from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.object_history import Past
from sregym_cluster_embedded.userland.wiring import parse_address

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.traces.chronicle import Traced
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# Clients hand spans over in batches, once a second.
_FLUSH_S = 1.0


class Collector(NamedTuple):
    """A running process that collects traces.

    Attributes:
        process: The process.
        since: Virtual second from which on it takes spans.
        most_traces: How many traces it keeps; 0 for all.
        port: Where it answers queries.
    """

    process: Process
    since: float
    most_traces: int
    port: int


def collectors(processes: Iterable[Process]) -> list[Collector]:
    """The collectors that run, in order of their start."""
    found: list[Collector] = []
    for process in processes:
        program = process.behaviour
        if not isinstance(program, ServiceProgram) or program.traces is None:
            continue
        since = process.served_at
        if not process.running or since is None:
            continue
        listener = program.listeners[program.traces.query]
        facts = process.facts()
        most = expand(program.traces.most_traces, facts)
        port = expand(listener.port, facts)
        found.append(
            Collector(
                process,
                since,
                int(most) if most.isdecimal() else 0,
                int(port) if port.isdecimal() else 0,
            )
        )
    return found


class Reach:
    """When spans of processes reached one collector.

    Args:
        world: The cluster.
        collector: The collector.
    """

    def __init__(self, world: World, collector: Collector) -> None:
        self._past = Past(world)
        self._collector = collector
        self._now = world.now
        self._relays = tuple(_relays(world))
        self._known: dict[tuple[str, str], tuple[tuple[float, float], ...]] = {}

    def reaches(self, traced: Traced, end: float) -> bool:
        """Whether a span that ended at a virtual second has come to the collector by now."""
        process = traced.instance.process
        turns = math.ceil((end - process.started_at) / _FLUSH_S)
        sent = process.started_at + max(1, turns) * _FLUSH_S
        if sent > self._now or (process.ended_at is not None and sent > process.ended_at):
            return False
        return any(start <= sent < stop for start, stop in self.spans(traced))

    def latest(self, traced: Traced) -> float:
        """The virtual second of the last batch that a process has sent."""
        process = traced.instance.process
        until = self._now if process.ended_at is None else process.ended_at
        return process.started_at + math.floor((until - process.started_at) / _FLUSH_S) * _FLUSH_S

    def spans(self, traced: Traced) -> tuple[tuple[float, float], ...]:
        """(start, stop) of the times at which the collector was reached."""
        key = (traced.instance.ref.namespace, traced.collector)
        if key not in self._known:
            self._known[key] = tuple(self._spans(*key))
        return self._known[key]

    def _spans(self, namespace: str, address: str) -> Iterator[tuple[float, float]]:
        """Directly, or through a collector that forwards what it receives."""
        since, end = self._collector.since, self._now + 1.0
        own = self._collector.process
        yield from self._led_to(namespace, address, own, (since, end))
        for instance, onward in self._relays:
            served, ended = instance.process.served_at, instance.ended(end)
            if served is None or (namespace, address) == (instance.ref.namespace, onward):
                continue
            for begin, until in self._led_to(namespace, address, instance.process, (served, ended)):
                for start, stop in self._led_to(instance.ref.namespace, onward, own, (since, end)):
                    if max(begin, start) < min(until, stop):
                        yield max(begin, start), min(until, stop)

    def _led_to(
        self, namespace: str, address: str, process: Process, within: tuple[float, float]
    ) -> Iterator[tuple[float, float]]:
        """When an address led to a process."""
        since, end = within
        parsed = parse_address(address)
        if not parsed.host:
            return
        if parsed.host == process.config.pod_ip:
            yield since, end
            return
        name, _, rest = parsed.host.partition(".")
        where = rest.split(".")[0] or namespace
        services = self._past.one(Key("services", where, name)).spans(self._now + 1.0)
        for start, stop, service in services:
            for begin, until in self._served(where, name, process.ref.pod_uid):
                first, last = max(start, begin, since), min(stop, until, end)
                if first < last and _has_port(service, parsed.port):
                    yield first, last

    def _served(self, namespace: str, service: str, uid: str) -> Iterator[tuple[float, float]]:
        """When a pod was a ready endpoint of a service."""
        for line in self._past.of("endpointslices.discovery.k8s.io"):
            if line.key.namespace != namespace:
                continue
            for start, stop, cut in line.spans(self._now + 1.0):
                labels = cut["metadata"].get("labels", {})
                if labels.get("kubernetes.io/service-name") != service:
                    continue
                if any(_is_ready(endpoint, uid) for endpoint in cut.get("endpoints") or ()):
                    yield start, stop


def _relays(world: World) -> Iterator[tuple[ContainerInstance, str]]:
    """Programs that hand spans on, with the address that each hands them to."""
    for instance in instances(world):
        program = instance.process.behaviour
        if isinstance(program, ServiceProgram) and program.relays_traces_to:
            yield instance, expand(program.relays_traces_to, instance.process.facts())


def _has_port(service: Object, port: int) -> bool:
    return any(entry.get("port") == port for entry in service["spec"].get("ports") or ())


def _is_ready(endpoint: Object, uid: str) -> bool:
    ready = endpoint.get("conditions", {}).get("ready", True)
    return bool(ready) and endpoint.get("targetRef", {}).get("uid") == uid
