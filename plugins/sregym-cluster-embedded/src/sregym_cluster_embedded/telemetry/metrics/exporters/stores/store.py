"""One instance of a datastore, with what its callers asked of it: what its exporter counts."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sregym_apps.model import ServiceProgram, expand

from sregym_cluster_embedded.telemetry.metrics.exposition import Steps
from sregym_cluster_embedded.telemetry.metrics.integrals import Outcomes
from sregym_cluster_embedded.telemetry.metrics.work import end_of, requests_of
from sregym_cluster_embedded.telemetry.traces.sites import sites_of
from sregym_cluster_embedded.traffic.arrivals import RateModulation
from sregym_cluster_embedded.userland.command_counts import Peer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_promql.storage import Floats

    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.telemetry.metrics.exposition import Value
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.segments import CallFlow, Flow, Segment

# What becomes of a command: it is refused, it finds nothing in a cache, or it does what it should.
FAILED, MISS, DONE = "failed", "miss", "done"
# Kinds of errors that the server itself gives; others end before it or on the way back.
_REFUSED = ("auth", "unauthorized", "server", "overloaded")


class Rate(NamedTuple):
    """Commands a second, and how unevenly all of them come; the weights are times the rate."""

    all: float = 0.0
    missed: float = 0.0
    failed: float = 0.0
    uneven: RateModulations = ()

    def plus(self, other: Rate, times: int = 1) -> Rate:
        """The sum of both."""
        whole, missed, failed, _ = other
        rate = Rate(
            self.all + times * whole, self.missed + times * missed, self.failed + times * failed
        )
        weights = {swing[:2]: swing.weight for swing in self.uneven}
        for swing in other.uneven:
            weights[swing[:2]] = weights.get(swing[:2], 0.0) + times * swing.weight
        uneven = (RateModulation(*key, weights[key]) for key in sorted(weights))
        left = tuple(swing for swing in uneven if abs(swing.weight) > _LITTLE)
        return rate._replace(uneven=left)

    def rhythm(self) -> RateModulations:
        """How unevenly commands come."""
        if self.all <= _LITTLE:
            return ()
        return tuple(
            swing._replace(weight=round(swing.weight / self.all, 9)) for swing in self.uneven
        )


class Store:
    """One instance of a datastore, with what its callers asked of it.

    Args:
        everybody: All instances there ever were, in the order in which their calls are added up.
        epoch: Unix seconds at which virtual time began.
        instance: Of a container.
    """

    def __init__(
        self, everybody: Sequence[ContainerInstance], epoch: int, instance: ContainerInstance
    ) -> None:
        self.everybody = everybody
        self.epoch = epoch
        self.instance = instance

    @property
    def since(self) -> float:
        """When it began to serve."""
        served = self.instance.process.served_at
        return math.inf if served is None else served

    @cached_property
    def commands(self) -> Mapping[str, Outcomes]:
        """Command -> the counter of its calls by what became of them, over all callers."""
        changes: dict[str, dict[float, Rate]] = {}
        for caller in self.everybody:
            present: dict[str, Rate] = {}
            for segment in caller.served:
                rates = self._asked_by(caller, segment)
                _note(changes, segment.start, present, rates)
                present = rates
            if present and caller.process.ended_at is not None:
                _note(changes, caller.process.ended_at, present, {})
        end = end_of(self.instance)
        moments = [segment.start for segment in self.instance.served]
        return {name: _outcomes(steps, moments, end) for name, steps in sorted(changes.items())}

    def _asked_by(self, caller: ContainerInstance, segment: Segment) -> dict[str, Rate]:
        found: dict[str, Rate] = {}
        ref = self.instance.ref
        for flow in segment.flows:
            mine = [call for call in flow.calls if call.callee == ref and call.rate > 0]
            for call in mine:
                refused = sum(share for kind, _, share in call.errors if kind in _REFUSED)
                uneven = (swing._replace(weight=swing.weight * call.rate) for swing in flow.rhythm)
                rate = Rate(call.rate, 0.0, call.rate * refused, tuple(uneven))
                found[call.operation] = found.get(call.operation, Rate()).plus(rate)
            if any(call.operation == "get" for call in mine):
                found["get"] = found["get"].plus(Rate(missed=self._missed(caller, flow)))
        return found

    def _missed(self, caller: ContainerInstance, flow: Flow) -> float:
        """Looks a second that found nothing: as often as what is only done then."""
        program = caller.process.behaviour
        if not isinstance(program, ServiceProgram):
            return 0.0
        sites, missed, seen = sites_of(program, flow), 0.0, set()
        for site in sites:
            if site.look is None or site.look in seen:
                continue
            seen.add(site.look)
            look = sites[site.look]
            own = sum(call.rate for call in look.targets if call.callee == self.instance.ref)
            looked = sum(call.rate for call in look.targets)
            done = sum(call.rate - call.retries for call in site.targets)
            if own and looked:
                missed += min(done * own / looked, own * look.ok)
        return missed

    @property
    def callers(self) -> Steps:
        """How many connections its callers hold."""
        starts, numbers = [self.instance.process.started_at], [0.0]
        for segment in self.instance.served:
            starts.append(segment.start)
            numbers.append(float(_held(segment)))
        return Steps(starts, numbers)

    def peers(self) -> tuple[Peer, ...]:
        """The programs whose commands it carries out at the end of what is known."""
        ref = self.instance.ref
        pools = self.instance.served[-1].load.pools if self.instance.served else ()
        pooled = {peer._replace(held=0) for peer in pools}
        callers = (
            self._peer(caller)
            for caller in self.everybody
            if caller.process.ended_at is None
            and caller.served
            and any(
                call.callee == ref and call.rate > 0 and not _turned_away(call)
                for flow in caller.served[-1].flows
                for call in flow.calls
            )
        )
        return (*pools, *(peer for peer in callers if peer not in pooled))

    def refused(self, now: float) -> dict[str, int]:
        """How many commands were refused up to a moment, by the first word of the refusal."""
        found: dict[str, float] = {}
        for caller in self.everybody:
            ended = caller.process.ended_at
            last = now if ended is None else min(now, ended)
            ends = [*(segment.start for segment in caller.served[1:]), last]
            for segment, end in zip(caller.served, ends, strict=False):
                for call in (call for flow in segment.flows for call in flow.calls):
                    for kind, words, share in (
                        call.errors if call.callee == self.instance.ref else ()
                    ):
                        if kind in _REFUSED:
                            word = words.partition(" ")[0]
                            lasted_s = max(0.0, min(end, now) - segment.start)
                            found[word] = found.get(word, 0.0) + lasted_s * call.rate * share
        return {word: int(count) for word, count in sorted(found.items()) if count >= 1}

    def _peer(self, caller: ContainerInstance) -> Peer:
        process, program = caller.process, caller.process.behaviour
        kind = str(getattr(self.instance.process.behaviour, "kind", ""))
        clients = program.clients.values() if isinstance(program, ServiceProgram) else ()
        own = next((one for one in clients if one.protocol == kind), None)
        if own is None:
            return Peer(process.config.pod_ip)
        facts = process.facts()
        user, database = expand(own.user, facts), expand(own.database, facts)
        return Peer(process.config.pod_ip, user, database)

    def connected(self) -> Value:
        """How many connections there have been: each growth of their number opened some."""
        times, made = [self.instance.process.started_at], [0.0]
        before = 0.0
        for segment in self.instance.served:
            number = float(self.callers(np.array([segment.start]))[0])
            times.append(segment.start)
            made.append(made[-1] + max(0.0, number - before))
            before = number
        return Steps(times, made)

    def most_callers(self) -> Steps:
        """The largest number of connections at one time so far."""
        times = [self.instance.process.started_at, *(part.start for part in self.instance.served)]
        numbers = self.callers(np.asarray(times))
        return Steps(times, list(np.maximum.accumulate(numbers)))

    def total(
        self, outcome: str | None = None, names: tuple[str, ...] = (), factor: float = 1.0
    ) -> Value:
        """How many commands there were.

        Args:
            outcome: Only those of which this became.
            names: Only these; all commands without any.
            factor: What each counts.
        """
        known = [one for name, one in self.commands.items() if not names or name in names]

        def of(seconds: Floats) -> Floats:
            total = 0.0 * seconds
            for outcomes in known:
                if outcome is None:
                    total = total + outcomes.total(seconds)
                elif outcome in outcomes.names:
                    total = total + outcomes.count(outcome, seconds)
            return total * factor

        return of

    def spent(self, factor: float = 1.0, name: str = "") -> Value:
        """Seconds that commands took at the server, times a factor; of one command when named."""
        if not name:
            return requests_of(
                self.instance, lambda flow: flow.rate * flow.time.mean_ms / 1000 * factor
            )
        starts = [
            max(part.start, self.instance.process.started_at) for part in self.instance.served
        ]
        means = [_mean_s(part) * factor for part in self.instance.served]
        outcomes = self.commands[name]
        weights = Steps(starts or [0.0], means or [0.0])(outcomes.starts)

        def of(seconds: Floats) -> Floats:
            total = 0.0 * seconds
            for outcome in outcomes.names:
                total = total + outcomes.amount(outcome, weights, seconds)
            return total

        return of

    def slow(self, longer_ms: float) -> Value:
        """How many commands took longer than so many milliseconds."""
        counted = requests_of(self.instance, lambda flow: flow.rate * flow.time.beyond(longer_ms))
        return lambda seconds: np.floor(counted(seconds) + 1e-6)

    def load(self, of: Callable[[Segment], float]) -> Steps:
        """A figure of the load, as a whole number."""
        starts = [self.instance.process.started_at, *(part.start for part in self.instance.served)]
        return Steps(starts, [0.0, *(float(round(of(part))) for part in self.instance.served)])

    def uptime(self) -> Value:
        """Whole seconds since the start."""
        started = self.instance.process.started_at

        def of(seconds: Floats) -> Floats:
            found: Floats = (seconds - started) // 1
            return found

        return of

    def started(self) -> float:
        """The start in Unix seconds."""
        return float(int(self.epoch + self.instance.process.started_at))

    def setting(self, name: str, default: float) -> float:
        """A number among what it was configured with."""
        try:
            return float(self.instance.process.settings.get(name, default))
        except ValueError:
            return default

    @property
    def version(self) -> str:
        """Of the program; empty where its model has none."""
        return str(getattr(self.instance.process.behaviour, "version", ""))


def _turned_away(call: CallFlow) -> bool:
    """Whether none of some calls gets a connection."""
    return sum(share for kind, _, share in call.errors if kind == "overloaded") >= 1


def _held(segment: Segment) -> int:
    """Connections: those of pools, and what clients without one open for their requests."""
    load = segment.load
    pooled = sum(peer.held for peer in load.pools)
    rate = sum(flow.rate for flow in segment.flows) - load.pooled
    if not segment.flows or (load.pools and rate <= _LITTLE_RATE):
        return pooled
    opened = math.ceil(rate / 100) + 2
    return pooled + (opened if load.room is None else min(opened, load.room))


def _mean_s(segment: Segment) -> float:
    rate = sum(flow.rate for flow in segment.flows)
    took = sum(flow.rate * flow.time.mean_ms for flow in segment.flows)
    return took / rate / 1000 if rate else 0.0


def _note(
    changes: dict[str, dict[float, Rate]],
    at: float,
    before: Mapping[str, Rate],
    after: Mapping[str, Rate],
) -> None:
    for name in sorted({*before, *after}):
        old, new = before.get(name, Rate()), after.get(name, Rate())
        if old != new:
            known = changes.setdefault(name, {})
            known[at] = known.get(at, Rate()).plus(new).plus(old, -1)


def _outcomes(changes: Mapping[float, Rate], moments: list[float], end: float) -> Outcomes:
    """The counter of a command; `moments` are such at which times of commands change."""
    present, starts, rates = Rate(), [], []
    first = min(changes)
    failed, missed, rhythms = [], [], []
    for at in sorted({*changes, *(moment for moment in moments if moment > first)}):
        present = present.plus(changes.get(at, Rate()))
        rate = max(0.0, present.all)
        starts.append(at)
        rates.append(rate)
        rhythms.append((present.rhythm(),) * 2)
        failed.append(min(1.0, max(0.0, present.failed / rate)) if rate > _LITTLE else 0.0)
        missed.append(
            min(1 - failed[-1], max(0.0, present.missed / rate)) if rate > _LITTLE else 0.0
        )
    done = [1 - lost - none for lost, none in zip(failed, missed, strict=True)]
    shares = {FAILED: failed, MISS: missed, DONE: done}
    return Outcomes(starts, rates, end, shares, rhythms, (FAILED,))


# The same of the difference between two rates.
_LITTLE_RATE = 1e-5
# Rates below this are what rounding leaves of none.
_LITTLE = 1e-9
