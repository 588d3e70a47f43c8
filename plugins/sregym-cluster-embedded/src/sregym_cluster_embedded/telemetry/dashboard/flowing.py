"""What flowed through the processes of workloads in a span of time, added up."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import LoadGeneratorProgram, expand

from sregym_cluster_embedded.telemetry.container_instances import instances
from sregym_cluster_embedded.traffic.arrivals import Course
from sregym_cluster_embedded.traffic.segments import SENT, segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.latency import Time
    from sregym_cluster_embedded.traffic.segments import Flow, Segment
    from sregym_cluster_embedded.world import World

_STEPS = 40


class Come(NamedTuple):
    """How far requests have come in a stretch.

    Attributes:
        good: Those that succeed, in seconds at their mean rate.
        bad: Those that fail.
        seconds: How long the stretch is: what it should be.
    """

    good: float
    bad: float
    seconds: float


class Stretch(NamedTuple):
    """A segment as far as it lies in a span."""

    segment: Segment
    start: float
    stop: float

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.stop - self.start

    def come(self, rhythms: tuple[RateModulations, RateModulations]) -> Come:
        """How far requests have come in it; from the rate modulations of those that succeed and fail."""
        good, bad = rhythms
        well = Course(good, self.start).elapsed(self.stop)
        ill = well if bad is good else Course(bad, self.start).elapsed(self.stop)
        return Come(well, ill, self.seconds)


def stretches(
    known: Sequence[Segment], start: float, end: float, until: float
) -> Iterator[Stretch]:
    """The parts of segments between `start` and `end`, the latest first; none after `until`."""
    end = min(end, until)
    last = bisect_left(known, end, key=_start) - 1
    for index in range(last, -1, -1):
        stop = known[index + 1].start if index + 1 < len(known) else until
        begin, stop = max(known[index].start, start), min(stop, end)
        if stop > begin:
            yield Stretch(known[index], begin, stop)
        if known[index].start <= start:
            return


def _start(segment: Segment) -> float:
    return segment.start


class Mixture:
    """Response times of many flows, each with the number of its requests."""

    def __init__(self) -> None:
        self._parts: dict[Time, float] = {}

    def add(self, time: Time, requests: float) -> None:
        """Count requests of one distribution."""
        if requests > 0 and time.mean_ms > 0:
            self._parts[time] = self._parts.get(time, 0.0) + requests

    def quantile(self, level: float) -> float | None:
        """Milliseconds that a fraction `level` of requests does not exceed; None without any."""
        whole = sum(self._parts.values())
        if not whole:
            return None
        if len(self._parts) == 1:
            return round(next(iter(self._parts)).quantile(level), 3)
        wanted = whole * (1 - level)
        low, high = 0.001, max(time.quantile(0.999) for time in self._parts) * 2
        for _ in range(_STEPS):
            middle = (low * high) ** 0.5
            beyond = sum(count * time.beyond(middle) for time, count in self._parts.items())
            low, high = (middle, high) if beyond > wanted else (low, middle)
        return round(high, 3)


class Tally:
    """Requests over a span, with what became of them."""

    def __init__(self) -> None:
        self.requests = 0.0
        self.ok = 0.0
        self.errors: dict[str, float] = {}
        self.times = Mixture()

    def add(self, flow: Flow, stretch: Stretch) -> None:
        """Count what one flow brought."""
        come = stretch.come(flow.rhythms)
        ok, failed = flow.rate * flow.ok * come.good, flow.rate * (1 - flow.ok) * come.bad
        self.requests += ok + failed
        self.ok += ok
        for words, share in flow.errors:
            self.errors[words] = self.errors.get(words, 0.0) + flow.rate * share * come.bad
        expected = flow.rate * come.seconds
        self.times.add(flow.time, expected * flow.ok)
        self.times.add(flow.failed_time, expected * (1 - flow.ok))

    @property
    def success(self) -> float | None:
        """Fraction of requests that succeeded; None without requests."""
        return round(self.ok / self.requests, 6) if self.requests > 1e-9 else None


def sent(world: World) -> Iterable[tuple[ContainerInstance, tuple[Segment, ...], str]]:
    """Load generators, dead ones too: life, what they sent, and the host that they send to."""
    for instance in instances(world):
        program = instance.process.behaviour
        if isinstance(program, LoadGeneratorProgram):
            known = segments(world, SENT, instance.ref)
            target = expand(program.target, instance.process.facts())
            yield instance, known, target.partition("://")[2].partition("/")[0].partition(":")[0]
