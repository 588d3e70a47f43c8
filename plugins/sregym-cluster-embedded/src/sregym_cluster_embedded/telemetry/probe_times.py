"""Times at which the kubelet's probes reached a process: passing probes are not run, they follow a grid.

The kubelet model sleeps while a probe can only be confirmed; a server that tells of each
connection or request tells of each of these probes all the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.kubelet.probes import FIELDS, GRID_OFFSET_S
from sregym_cluster_embedded.telemetry.container_instances import instances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.world import World

_CLOSE_S = 1e-6


class Ticks(NamedTuple):
    """The runs of one probe that a process saw, evenly spaced.

    Attributes:
        handler: The probe as in the container's spec.
        start: Virtual second of the first run.
        period: Seconds between two runs.
        end: Virtual second before which the last one is.
    """

    handler: dict[str, Any]
    start: float
    period: float
    end: float

    def before(self, moment: float) -> int:
        """How many runs there were before a virtual second."""
        stop = min(moment, self.end)
        return max(0, math.ceil((stop - self.start) / self.period - _CLOSE_S))

    def at(self, number: int) -> float:
        """Virtual second of a run; the first is number 0."""
        return self.start + number * self.period

    def between(self, first: float, until: float) -> Iterator[float]:
        """The runs from a virtual second on and before another one."""
        for number in range(self.before(first), self.before(until)):
            yield self.at(number)


def ticks(world: World, instance: ContainerInstance) -> list[Ticks]:
    """The probes of a container that reached a life of it while it served."""
    process = instance.process
    spec, served = process.config.spec, process.served_at
    probes = {kind: spec[field] for kind, field in FIELDS.items() if field in spec}
    if served is None or not probes:
        return []
    origin = _first_start(world, instance) + GRID_OFFSET_S
    end = instance.ended(world.now)
    begun = process.started_at
    found = []
    startup = probes.pop("startup", None)
    if startup is not None:
        one = _grid(startup, origin, max(served, begun + _delay(startup)), end)
        passed = one.at(startup.get("successThreshold", 1) - 1)
        found.append(one._replace(end=min(end, passed + _CLOSE_S)))
        begun = passed
    for probe in probes.values():
        earliest = max(served, begun, process.started_at + _delay(probe))
        found.append(_grid(probe, origin, earliest, end))
    return found


def _delay(probe: dict[str, Any]) -> float:
    return float(probe.get("initialDelaySeconds", 0))


def _grid(probe: dict[str, Any], origin: float, earliest: float, end: float) -> Ticks:
    period = float(probe.get("periodSeconds", 10))
    number = max(0, math.ceil((earliest - origin) / period - _CLOSE_S))
    return Ticks(probe, origin + number * period, period, end)


def _first_start(world: World, instance: ContainerInstance) -> float:
    """When the container's first life began: its probes keep their grid over restarts."""
    ref = instance.ref
    if ref.attempt == 0:
        return instance.process.started_at
    return min(
        (
            known.process.started_at
            for known in instances(world)
            if known.ref.pod_uid == ref.pod_uid and known.ref.name == ref.name
        ),
        default=instance.process.started_at,
    )
