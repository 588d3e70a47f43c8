"""The golden signals over time: rate, errors, latency and saturation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.api.quantity import parse
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.telemetry.dashboard.flowing import Tally, sent, stretches
from sregym_cluster_embedded.telemetry.dashboard.workloads import SYSTEM, Census

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.traffic.segments import Segment
    from sregym_cluster_embedded.world import World

# Seconds of a step: the shortest that needs no more points.
_STEPS = (1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0)
_POINTS = 90
_QUANTILES = (0.5, 0.95, 0.99)

# What one process did: its segments, and the virtual second up to which they count.
_Source = tuple["Sequence[Segment]", float]


def signals(world: World, workload: str, window_s: float) -> dict[str, Any]:
    """The signals of a workload, or, without one, what users see and the most loaded process.

    Points stand at multiples of `step_s`; each tells of the step that begins there. The last one
    is of a step that goes on. A point is null where nothing was asked.
    """
    span = min(window_s, world.now)
    step = next((step for step in _STEPS if step * _POINTS >= span), _STEPS[-1])
    end = world.epoch + world.now
    first = int((end - span) // step) + 1
    starts = [at for number in range(first, int(end // step) + 1) if (at := number * step) < end]
    served, loads = _sources(world, workload)
    rows = _Rows(world)
    for start in starts:
        rows.add(served, loads, start - world.epoch, min(start + step, end) - world.epoch)
    return {
        "workload": workload,
        "step_s": step,
        "times": starts,
        "end": round(end, 3),
        "rate": rows.rate,
        "failed": rows.failed,
        "latency_ms": {f"p{round(level * 100)}": rows.times[level] for level in _QUANTILES},
        "cpu": rows.cpu,
        "throttled": rows.throttled,
        "in_flight": rows.in_flight,
    }


def _sources(
    world: World, workload: str
) -> tuple[list[_Source], list[tuple[ContainerInstance, float]]]:
    """Whose requests are counted, and whose processors are looked at."""
    census, now = Census(world), world.now
    every = list(instances(world))
    if not workload:
        users: list[_Source] = [(known, instance.ended(now)) for instance, known, _ in sent(world)]
        shown = [instance for instance in every if instance.ref.namespace not in SYSTEM]
        return users, [(instance, instance.ended(now)) for instance in shown]
    mine = [instance for instance in every if census.of_container(instance.ref) == workload]
    generated = [
        (known, instance.ended(now))
        for instance, known, _ in sent(world)
        if census.of_container(instance.ref) == workload
    ]
    served: list[_Source] = [(instance.served, instance.ended(now)) for instance in mine]
    return [*served, *generated], [(instance, instance.ended(now)) for instance in mine]


class _Rows:
    """The points so far. Steps in which nothing changed are computed once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[tuple[object, ...], tuple[float | None, ...]] = {}
        self.rate: list[float | None] = []
        self.failed: list[float | None] = []
        self.times: dict[float, list[float | None]] = {level: [] for level in _QUANTILES}
        self.cpu: list[float | None] = []
        self.throttled: list[float | None] = []
        self.in_flight: list[float | None] = []

    def add(
        self,
        served: Sequence[_Source],
        loads: Sequence[tuple[ContainerInstance, float]],
        start: float,
        end: float,
    ) -> None:
        """One more point, for virtual seconds `start` to `end`."""
        tally, shape, seconds = Tally(), [], max(end - start, 1e-9)
        for known, until in served:
            for stretch in stretches(known, start, end, until):
                segment = stretch.segment
                shape.append((segment.start, stretch.seconds / seconds, id(segment)))
                for flow in segment.flows:
                    tally.add(flow, stretch)
        asked = tally.requests > 1e-9
        self.rate.append(round(tally.requests / seconds, 3))
        self.failed.append(round(1 - tally.ok / tally.requests, 6) if asked else None)
        key = tuple((begun, round(part, 6), number) for begun, part, number in shape)
        if key not in self._known:
            self._known[key] = tuple(tally.times.quantile(level) for level in _QUANTILES)
        for level, value in zip(_QUANTILES, self._known[key], strict=True):
            self.times[level].append(value)
        self._saturation(loads, start, end)

    def _saturation(
        self, loads: Sequence[tuple[ContainerInstance, float]], start: float, end: float
    ) -> None:
        shares: list[tuple[float, float]] = []
        in_flight = 0.0
        for instance, until in loads:
            cpu = throttled = 0.0
            for stretch in stretches(instance.served, start, end, until):
                load, part = stretch.segment.load, stretch.seconds / (end - start)
                cpu += load.cpu * part
                throttled += load.throttled * part
                in_flight += load.in_flight * part
            shares.append((cpu / self._cores(instance), throttled))
        self.cpu.append(round(max((share for share, _ in shares), default=0.0), 6))
        self.throttled.append(round(max((share for _, share in shares), default=0.0), 6))
        self.in_flight.append(round(in_flight, 3))

    def _cores(self, instance: ContainerInstance) -> float:
        """What the process may use: its limit, else its whole node."""
        limit = instance.process.config.cpu_limit_cores
        if limit:
            return limit
        node = self._world.store.get(Key("nodes", "", instance.process.config.node))
        if node is None:
            return 1.0
        return float(parse(node["status"]["allocatable"]["cpu"]))
