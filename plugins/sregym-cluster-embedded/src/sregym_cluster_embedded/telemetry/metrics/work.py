"""What processes use of processors and memory, as functions of time.

The same model as that of `kubectl top` (`traffic.usage`, `userland.life.working_set`), over the
whole run of a process.
"""

from __future__ import annotations

import math
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from sregym_cluster_embedded.clock import jitter
from sregym_cluster_embedded.clock.jitter import level, place
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
from sregym_cluster_embedded.telemetry.metrics.arrival_integrals import Progress
from sregym_cluster_embedded.telemetry.metrics.exposition import BEGINNING, FOREVER, Steps
from sregym_cluster_embedded.telemetry.metrics.integrals import Integral
from sregym_cluster_embedded.telemetry.metrics.jitter import Unsteady, drift
from sregym_cluster_embedded.telemetry.metrics.values import Member, Summed
from sregym_cluster_embedded.traffic.arrivals import blended
from sregym_cluster_embedded.traffic.segments import SERVED, segments
from sregym_cluster_embedded.traffic.usage import idle_nanocores
from sregym_cluster_embedded.userland.command_counts import Scheduled
from sregym_cluster_embedded.userland.life import (
    MEMORY_PERIOD_S,
    MEMORY_SPREAD,
    PAGE_BYTES,
    base_memory,
    loaded_share,
    paged,
)
from sregym_cluster_embedded.userland.process import process_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sregym_apps.model import Memory
    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.segments import Flow
    from sregym_cluster_embedded.world import World

_MIB = 1024 * 1024
# The working set of what is no program of a service model.
_TOOL_BYTES = 1024 * 1024
# CFS looks ten times a second.
_PERIODS_PER_S = 10.0
# A rate that is unsteady is at most this much below its highest.
_ROOM = 0.88
# Of a period in which the limit was reached, so long is left.
_STOPPED_S = 0.06


def end_of(instance: ContainerInstance) -> float:
    """Virtual second at which an instance ended; infinity while it goes on."""
    return FOREVER if instance.process.ended_at is None else instance.process.ended_at


def cpu(instance: ContainerInstance) -> Unsteady | Summed:
    """CPU seconds since the start; what a process uses varies, but never beyond its limit."""
    process = instance.process
    idle = idle_nanocores(instance.ref) / 1e9
    limit = process.config.cpu_limit_cores
    starts, rates, steady = [process.started_at], [idle], [0.0]
    for segment in instance.served:
        starts.append(max(segment.start, process.started_at))
        used = idle + segment.load.cpu
        rates.append(used if limit is None else min(used, limit))
        steady.append(segment.load.computed)
    end, purpose = (
        end_of(instance),
        ("cpu", instance.ref.namespace, instance.ref.pod, instance.ref.name),
    )
    if (limit is None or max(rates) <= _ROOM * limit) and not any(steady):
        return Unsteady(Integral(starts, rates, end), *purpose)
    # What is at its limit stays there, and what never rests does not vary.
    room = math.inf if limit is None else limit
    free = [
        min(max(0.0, rate - part), max(0.0, (room - rate) / (1 / _ROOM - 1)))
        for rate, part in zip(rates, steady, strict=True)
    ]
    bound = [rate - part for rate, part in zip(rates, free, strict=True)]
    parts = (Unsteady(Integral(starts, free, end), *purpose), Integral(starts, bound, end))
    return Summed([Member(part, BEGINNING, FOREVER) for part in parts], stays=True)


class Requests:
    """An amount that grows with the requests that a process serves.

    Args:
        course: How far they have come.
        rates: Per second, from each start of the course on.
        end: Virtual second after which there are none.
    """

    def __init__(self, course: Progress, rates: Sequence[float], end: float) -> None:
        self._course = course
        self._flow = Integral(course.places, rates, course.at(end))

    def __call__(self, seconds: Floats) -> Floats:
        """The amount up to each moment."""
        return self._flow(self._course(seconds))


def requests_of(
    instance: ContainerInstance, weight: Callable[[Flow], float] = lambda flow: flow.rate
) -> Requests:
    """What the requests that a process served add up to.

    Args:
        instance: The process.
        weight: What the requests of an operation add a second.
    """
    starts, rhythms, rates = [], [], []
    for segment in instance.served:
        starts.append(max(segment.start, instance.process.started_at))
        parts = [(weight(flow), flow.rhythm) for flow in segment.flows]
        rates.append(sum(part for part, _ in parts))
        rhythms.append(blended(parts, rates[-1]))
    if not starts:
        starts, rhythms, rates = [instance.process.started_at], [()], [0.0]
    return Requests(Progress(np.array(starts), rhythms), rates, end_of(instance))


def periods(instance: ContainerInstance) -> tuple[Integral, Integral, Integral]:
    """CFS periods in which the process ran, those in which its limit stopped it, and for how long."""
    process = instance.process
    starts, ran, stopped, seconds = [process.started_at], [1.0], [0.0], [0.0]
    limit = process.config.cpu_limit_cores or 1.0
    for segment in instance.served:
        load = segment.load
        requests = sum(flow.rate for flow in segment.flows)
        # A period counts when something ran in it; a busy process runs in nearly all.
        busy = load.cpu >= limit or load.threads > 0
        share = 1.0 if busy else 1 - float(np.exp(-requests / _PERIODS_PER_S))
        active = max(1.0, _PERIODS_PER_S * share)
        starts.append(max(segment.start, process.started_at))
        ran.append(active)
        stopped.append(active * load.throttled)
        # Each thread that never rests stands still for what is left of a period.
        left = load.threads - load.computed if load.threads else active * _STOPPED_S
        seconds.append(left * load.throttled)
    end = end_of(instance)
    return (
        Integral(starts, ran, end),
        Integral(starts, stopped, end),
        Integral(starts, seconds, end),
    )


def waiting(instances: Iterable[ContainerInstance]) -> Integral | None:
    """Threads that want to run and wait for a processor, over time; None where none ever did.

    Those that a limit stops do not wait for one.
    """
    found: dict[float, float] = {}
    for instance in instances:
        before = 0.0
        for segment in instance.served:
            load = segment.load
            now = (load.threads - load.computed) * (1 - load.throttled)
            found[segment.start] = found.get(segment.start, 0.0) + now - before
            before = now
        if before:
            found[end_of(instance)] = found.get(end_of(instance), 0.0) - before
    if not any(found.values()):
        return None
    starts = sorted(found)
    return Integral(starts, list(accumulate(found[at] for at in starts)), FOREVER)


class WorkingSet:
    """Bytes that a process holds.

    Args:
        instance: The process and what it served.
    """

    def __init__(self, instance: ContainerInstance) -> None:
        self._process = instance.process
        program = instance.process.behaviour
        self._memory = None if program is None else program.memory
        starts, held = [instance.process.started_at], [0.0]
        per_rps = 0.0 if self._memory is None else self._memory.per_rps_kib * 1024
        for segment in instance.served:
            starts.append(segment.start)
            load = sum(flow.rate for flow in segment.flows) * per_rps
            held.append(load + segment.load.memory_bytes)
        self._load = Steps(starts, held)
        leaks = [0.0, *(segment.load.leaks for segment in instance.served)]
        begins = [max(at, instance.process.started_at) for at in starts]
        self._left = Integral(begins, leaks, end_of(instance)) if any(leaks) else None
        self._begin = place(instance.ref.namespace, instance.ref.pod, instance.ref.name)

    def __call__(self, seconds: Floats) -> Floats:
        """The working set at each moment."""
        if self._memory is None:
            return np.full(len(seconds), float(_TOOL_BYTES))
        wandering = drift(self._begin, seconds, MEMORY_PERIOD_S) + level(self._begin)
        return self._seen(self._memory, seconds, wandering / 2)

    def highest(self, seconds: Floats) -> Floats:
        """The most that it may have been around each moment."""
        if self._memory is None:
            return np.full(len(seconds), float(_TOOL_BYTES))
        return self._seen(self._memory, seconds, (1 + level(self._begin)) / 2)

    def _seen(self, memory: Memory, seconds: Floats, wandering: float | Floats) -> Floats:
        """`userland.life.paged` at many moments."""
        age = np.maximum(seconds - self._process.started_at, 0.0)
        ramp = np.minimum(1.0, age / memory.ramp_s) if memory.ramp_s else np.ones(len(seconds))
        leaked = memory.leak_mib_per_hour * _MIB * age / 3600
        if self._left is not None:
            leaked = leaked + self._left(seconds)
        held = (self._loaded + (self._base - self._loaded) * ramp) + self._load(seconds) + leaked
        room, limit = MEMORY_SPREAD * held, self._process.config.memory_limit_bytes
        if limit is not None:
            room = np.maximum(0.0, np.minimum(room, (limit - held) / 2))
            held = np.minimum(held, float(limit))
        found: Floats = np.floor((held + room * wandering) / PAGE_BYTES) * PAGE_BYTES
        return found

    def at(self, second: float) -> float:
        """The working set at one moment."""
        if self._memory is None:
            return float(_TOOL_BYTES)
        memory = self._memory
        age = max(second - self._process.started_at, 0.0)
        ramp = min(1.0, age / memory.ramp_s) if memory.ramp_s else 1.0
        leaked = memory.leak_mib_per_hour * _MIB * age / 3600
        if self._left is not None:
            leaked += self._left.at(second)
        held = (self._loaded + (self._base - self._loaded) * ramp) + self._load.at(second) + leaked
        wandering = jitter.drift(self._begin, second, MEMORY_PERIOD_S) + level(self._begin)
        return float(paged(held, wandering / 2, self._process.config.memory_limit_bytes))

    @cached_property
    def _loaded(self) -> float:
        program = self._process.behaviour
        return 0.0 if program is None else self._base * loaded_share(program)

    @cached_property
    def _base(self) -> float:
        return 0.0 if self._memory is None else base_memory(self._process, self._memory)


def in_flight(instance: ContainerInstance) -> Steps:
    """Requests that a process works on, as whole numbers."""
    starts = [instance.process.started_at, *(segment.start for segment in instance.served)]
    numbers = [0.0, *(float(round(segment.load.in_flight)) for segment in instance.served)]
    return Steps(starts, numbers)


def scheduled_of(world: World, ref: ContainerRef) -> Scheduled:
    """How a container has been scheduled by now."""
    process = process_of(world, ref)
    if process is None:
        return Scheduled()
    instance = ContainerInstance(process, segments(world, SERVED, ref))
    now = np.array([world.now])
    if process.config.cpu_limit_cores is None:
        return Scheduled(float(cpu(instance)(now)[0]))
    ran, stopped, seconds = (part(now)[0] for part in periods(instance))
    return Scheduled(float(cpu(instance)(now)[0]), int(ran), int(stopped), float(seconds))
