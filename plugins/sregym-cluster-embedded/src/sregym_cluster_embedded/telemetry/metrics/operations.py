"""What processes served, operation by operation, as counters and histograms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.clock.seed import Seed
from sregym_cluster_embedded.telemetry.metrics.arrival_integrals import Shared
from sregym_cluster_embedded.telemetry.metrics.exposition import Row
from sregym_cluster_embedded.telemetry.metrics.integrals import Outcomes, Parts, Sum, shares_within
from sregym_cluster_embedded.telemetry.metrics.work import end_of
from sregym_cluster_embedded.traffic.arrivals import blended

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.exposition import Pairs, Value
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.latency import Time
    from sregym_cluster_embedded.traffic.segments import CallFlow, Flow, Segment

    # A rate, fractions of outcomes, the times of what succeeds and of what fails, and
    # how unevenly that and this come.
    Stretch = tuple[float, dict[str, float], Time, Time, tuple[RateModulations, RateModulations]]

OK = ""
# The same in all worlds: a fork with another seed has the same past.
_CHANCE = Seed(0)


class Served:
    """One kind of requests over the run of a process.

    Args:
        starts: Virtual seconds of the segments.
        stretches: What was in effect from each on; None for nothing.
        end: When the instance ended.
        course: Of the instance.
        purpose: What tells it from other kinds, of other processes too.
    """

    def __init__(
        self,
        starts: Sequence[float],
        stretches: Sequence[Stretch | None],
        end: float,
        course: Shared,
        purpose: tuple[object, ...],
    ) -> None:
        self._purpose = purpose
        found = [part for part in stretches if part is not None]
        names = sorted({name for part in found for name in part[1]})
        rates = [0.0 if part is None else part[0] for part in stretches]
        shares = {
            name: [0.0 if part is None else part[1].get(name, 0.0) for part in stretches]
            for name in names
        }
        # What succeeds takes what is left over by rounding.
        lost = [sum(values) for values in zip(*shares.values(), strict=True)] or [0.0] * len(rates)
        shares[OK] = [max(0.0, 1.0 - part) for part in lost]
        rhythms = [((), ()) if part is None else part[4] for part in stretches]
        self.outcomes = Outcomes(starts, rates, end, shares, rhythms, names, course)
        self.since = starts[0] if starts else end
        self.end = end
        nothing = found[0][2]._replace(mean_ms=0.0, variance=0.0) if found else None
        self._times = [
            (nothing, nothing) if part is None else (part[2], part[3]) for part in stretches
        ]

    def _of(self, name: str) -> list[Time]:
        place = 0 if name == OK else 1
        return [pair[place] for pair in self._times if pair[place] is not None]  # type: ignore[misc]

    def total(self) -> Value:
        """All of them."""
        return Count(self.outcomes, None)

    def counters(self, labels: Callable[[str], Pairs]) -> Iterator[Row]:
        """One series for each outcome."""
        for name in self._known():
            yield Row(labels(name), Count(self.outcomes, name), self._first(name), self.end)

    def sums(self, labels: Callable[[str], Pairs], unit_ms: float) -> Iterator[Row]:
        """The sums of durations."""
        for name in self._known():
            value = Sum(self.outcomes, name, self._of(name), unit_ms, self._begin(name))
            yield Row(labels(name), value, self._first(name), self.end)

    def buckets(
        self, labels: Callable[[str], Pairs], bounds: Sequence[tuple[str, float]]
    ) -> Iterator[Row]:
        """The buckets of a histogram; bounds as written, and in milliseconds."""
        for name in self._known():
            shares = shares_within(self._of(name), [bound for _, bound in bounds])
            since = self._first(name)
            parts, own = Parts(self.outcomes, name, shares, self._begin(name)), labels(name)
            for number, (written, _) in enumerate(bounds):
                value = Count(self.outcomes, name, parts, number)
                yield Row((*own, ("le", written)), value, since, self.end)
            yield Row((*own, ("le", "+Inf")), Count(self.outcomes, name), since, self.end)

    def _begin(self, name: str) -> float:
        return _CHANCE.fraction("durations", *self._purpose, name)

    def _known(self) -> list[str]:
        return [name for name in self.outcomes.names if self._first(name) < self.end]

    def _first(self, name: str) -> float:
        return self.since if name == OK else self.outcomes.since(name)


class Count:
    """A counter: all requests of an outcome, or those in one bucket of their histogram.

    Args:
        outcomes: Of which requests.
        name: Of the outcome; None for all requests.
        parts: The histogram; None for all of the outcome.
        number: Of the bucket.
    """

    __slots__ = ("name", "number", "outcomes", "parts")

    def __init__(
        self, outcomes: Outcomes, name: str | None, parts: Parts | None = None, number: int = 0
    ) -> None:
        self.outcomes, self.name, self.parts, self.number = outcomes, name, parts, number

    def __call__(self, seconds: Floats) -> Floats:
        """How many there were up to each moment."""
        if self.parts is not None:
            return self.parts.count(self.number, seconds)
        if self.name is None:
            return self.outcomes.total(seconds)
        return self.outcomes.count(self.name, seconds)


def operations_of(
    instance: ContainerInstance, word: Callable[[Flow, str], str]
) -> Iterator[tuple[str, Served]]:
    """The operations that a process served.

    Args:
        instance: The process.
        word: What an error (of requests, in words) counts as; those that count alike are one outcome.
    """
    names = dict.fromkeys(flow.operation for part in instance.served for flow in part.flows)
    starts, course = [segment.start for segment in instance.served], Shared()
    for name in names:
        stretches = [_stretch(_flow(segment, name), word) for segment in instance.served]
        yield name, Served(starts, stretches, end_of(instance), course, (instance.ref, name))


def _flow(segment: Segment, name: str) -> Flow | None:
    return next((flow for flow in segment.flows if flow.operation == name), None)


def _stretch(flow: Flow | None, word: Callable[[Flow, str], str]) -> Stretch | None:
    if flow is None:
        return None
    shares: dict[str, float] = {}
    for text, share in flow.errors:
        name = word(flow, text)
        shares[name] = shares.get(name, 0.0) + share
    return flow.rate, shares, flow.time, flow.failed_time, flow.rhythms


def calls_of(
    instance: ContainerInstance,
    named: Callable[[Flow], Iterable[tuple[str, CallFlow]]],
    word: Callable[[str], str],
) -> Iterator[tuple[str, Served]]:
    """The calls that a process made; those of one name are taken together.

    Args:
        instance: The process.
        named: The calls of an operation that count, with the names under which they do.
        word: What an error (its kind) counts as.
    """
    by_name: dict[str, list[Stretch | None]] = {}
    for number, segment in enumerate(instance.served):
        for flow in segment.flows:
            for name, call in named(flow) if flow.calls else ():
                if call.rate > 0:
                    known = by_name.setdefault(name, [None] * len(instance.served))
                    known[number] = _joined(known[number], call, word, flow.rhythm)
    starts, course = [segment.start for segment in instance.served], Shared()
    for name, stretches in by_name.items():
        yield (
            name,
            Served(starts, stretches, end_of(instance), course, (instance.ref, "calls", name)),
        )


def _joined(
    known: Stretch | None, call: CallFlow, word: Callable[[str], str], rhythm: RateModulations
) -> Stretch:
    """Calls of one key together: shares by rate, the times of the more frequent ones."""
    shares: dict[str, float] = {}
    for kind, _, share in call.errors:
        shares[word(kind)] = shares.get(word(kind), 0.0) + share
    if known is None:
        return call.rate, shares, call.time, call.failed_time, call.rhythms(rhythm)
    rate = known[0] + call.rate
    merged = {
        name: (known[1].get(name, 0.0) * known[0] + shares.get(name, 0.0) * call.rate) / rate
        for name in sorted({*known[1], *shares})
    }
    times = (known[2], known[3]) if known[0] >= call.rate else (call.time, call.failed_time)
    own, lost = call.rhythms(rhythm), [min(1.0, sum(part.values())) for part in (known[1], shares)]
    # Each side weighs as much as it has requests of that end.
    weights = [(known[0] * (1 - lost[0]), call.rate * (1 - lost[1]))]
    weights.append((known[0] * lost[0], call.rate * lost[1]))
    both = [
        blended(((mine, known[4][end]), (more, own[end])), mine + more)
        for end, (mine, more) in enumerate(weights)
    ]
    return rate, merged, *times, (both[0], both[1])
