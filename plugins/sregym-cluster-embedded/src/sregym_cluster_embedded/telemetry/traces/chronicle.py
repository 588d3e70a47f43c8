"""Who was traced when, and what flowed: the history of a world as traces need it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import ServiceProgram, Tracing, expand

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.traces.ids import origin_code
from sregym_cluster_embedded.telemetry.traces.messages import Messages
from sregym_cluster_embedded.telemetry.traces.names import handled_messages
from sregym_cluster_embedded.telemetry.traces.numbering import Numbering
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.segments import Flow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.traces.names import HandledMessages
    from sregym_cluster_embedded.telemetry.traces.queues import Topic
    from sregym_cluster_embedded.traffic.segments import Segment
    from sregym_cluster_embedded.world import World

    # (virtual second, by how much a rate changes).
    _Changes = list[tuple[float, float]]

_NOTHING = Flow("", 0.0, 1.0, (), Time())
# Less than this fraction of the requests of an operation is nothing but rounding.
_ROUNDING = 1e-4
# Messages a second that are none: what adding and taking away leaves.
_NEVER = 1e-9


class Traced(NamedTuple):
    """An instance of a program that writes spans.

    Attributes:
        instance: Of a container.
        program: Its program.
        tracing: How it is instrumented.
        service: Its name in spans.
        collector: Where it sends spans: `host:port`, empty when that is not set.
        sample: Fraction of the requests entering here that are traced.
        taken: Operation -> the messages that it is done for.
    """

    instance: ContainerInstance
    program: ServiceProgram
    tracing: Tracing
    service: str
    collector: str
    sample: float
    taken: Mapping[str, HandledMessages]


class Origin(NamedTuple):
    """Requests without a trace so far, as they come in to an operation of a traced instance.

    Those that succeed or those that fail, since they are counted apart.

    Attributes:
        traced: The instance.
        operation: Its operation.
        failed: Whether they fail.
        numbering: The requests by number.
        code: What stands for it in trace ids.
    """

    traced: Traced
    operation: str
    failed: bool
    numbering: Numbering
    code: int

    @property
    def kind(self) -> str:
        """What tells its requests from others that come in to the same instance."""
        return kind_of(self.operation, failed=self.failed)


class Chronicle:
    """What was, for one question about a world; recreated for each.

    Args:
        world: The world of the history.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.now = world.now
        self.instances: dict[ContainerRef, ContainerInstance] = {
            instance.ref: instance for instance in instances(world)
        }
        self.traced: dict[ContainerRef, Traced] = {}
        for ref, instance in self.instances.items():
            found = _traced(instance)
            if found is not None:
                self.traced[ref] = found
        self.messages = Messages(world, self.instances.values())
        self._flows: dict[tuple[ContainerRef, int], dict[str, Flow]] = {}
        self._seeds: dict[int, Seed] = {}
        self._origins: tuple[Origin, ...] | None = None

    def seed(self, segment: Segment) -> Seed:
        """The source of chance of what happened in a segment."""
        if segment.seed not in self._seeds:
            self._seeds[segment.seed] = Seed(segment.seed)
        return self._seeds[segment.seed]

    def segment(self, ref: ContainerRef, at: float) -> tuple[int, Segment] | None:
        """The segment of an instance that was in effect at a virtual second, with its index."""
        instance = self.instances.get(ref)
        if instance is None:
            return None
        index = bisect_right(instance.served, at, key=lambda segment: segment.start) - 1
        return (index, instance.served[index]) if index >= 0 else None

    def flow(self, ref: ContainerRef, operation: str, at: float) -> Flow | None:
        """What an operation did at a virtual second."""
        found = self.segment(ref, at)
        return None if found is None else self.flows(ref, *found).get(operation)

    def flows(self, ref: ContainerRef, index: int, segment: Segment) -> dict[str, Flow]:
        """The flows of a segment by operation."""
        key = (ref, index)
        if key not in self._flows:
            self._flows[key] = {flow.operation: flow for flow in segment.flows}
        return self._flows[key]

    def origins(self) -> tuple[Origin, ...]:
        """All operations where traces begin, in the order of the instances."""
        if self._origins is None:
            called = self._called_by_traced()
            messages = self._messages_of_traced()
            self._origins = tuple(
                origin
                for ref, traced in self.traced.items()
                for operation in dict.fromkeys(
                    flow.operation for part in traced.instance.served for flow in part.flows
                )
                for origin in self._of(
                    traced, operation, called.get((ref, operation)), messages.get((ref, operation))
                )
            )
        return self._origins

    def _called_by_traced(self) -> dict[tuple[ContainerRef, str], _Rates]:
        """By (process, operation): the rate of calls that come with a trace."""
        changes: dict[tuple[ContainerRef, str], list[tuple[float, float]]] = {}
        for traced in self.traced.values():
            for start, stop, segment in spans_of(traced.instance, self.now):
                for flow in segment.flows:
                    for call in flow.calls:
                        if call.callee in self.traced:
                            known = changes.setdefault((call.callee, call.operation), [])
                            known += ((start, call.rate), (stop, -call.rate))
        return {key: _Rates(known) for key, known in changes.items()}

    def _messages_of_traced(self) -> dict[tuple[ContainerRef, str], _Messages]:
        """By (process, operation): the rates of messages that it is done for."""
        sent: dict[Topic, list[tuple[float, float]]] = {}
        for traced in self.traced.values():
            for start, stop, segment in spans_of(traced.instance, self.now):
                for flow in segment.flows:
                    for call in flow.calls:
                        topic = self.messages.topic(call)
                        if topic is not None:
                            known = sent.setdefault(topic, [])
                            known += ((start, call.rate), (stop, -call.rate))
        changes: dict[tuple[ContainerRef, str], tuple[_Changes, _Changes]] = {}
        for topic, rates in sent.items():
            for stint, share in self.messages.with_trace(topic, _Rates(rates).at):
                every, told = changes.setdefault((stint.ref, stint.operation), ([], []))
                every += ((stint.start, stint.rate), (stint.stop, -stint.rate))
                if share:
                    rate = stint.rate * share
                    told += ((stint.start, rate), (stint.stop, -rate))
        return {key: _Messages(_Rates(a), _Rates(b)) for key, (a, b) in changes.items()}

    def _of(
        self, traced: Traced, operation: str, called: _Rates | None, messages: _Messages | None
    ) -> Iterator[Origin]:
        """The origins of an operation."""
        behaviour = traced.program.operations.get(operation)
        asked = behaviour is None or bool(behaviour.listener)
        parts = []
        for start, stop, segment in spans_of(traced.instance, self.now):
            flow = next((flow for flow in segment.flows if flow.operation == operation), _NOTHING)
            own = flow.rate if called is None else flow.rate - called.at(start)
            if messages is not None:
                own -= messages.told(start, None if asked else flow.rate)
            parts.append((start, stop, own if own > _ROUNDING * flow.rate else 0.0, flow, segment))
        if not any(own for _, _, own, _, _ in parts):
            return
        ends = (False, True) if any(flow.errors for *_, flow, _ in parts) else (False,)
        for failed in ends:
            numbering = Numbering(
                [
                    (start, stop, own * (flow.lost if failed else 1 - flow.lost),
                     flow.rhythms[failed], segment)
                    for start, stop, own, flow, segment in parts
                ]
            )  # fmt: skip
            if numbering.last >= 1:
                code = origin_code(traced.instance.ref, kind_of(operation, failed=failed))
                yield Origin(traced, operation, failed, numbering, code)


def kind_of(operation: str, *, failed: bool) -> str:
    """What tells requests of an operation that fail from those that succeed."""
    return f"{operation}\0failed" if failed else operation


class _Rates:
    """A rate that changes in steps.

    Args:
        changes: (virtual second, by how much), in any order.
    """

    def __init__(self, changes: list[tuple[float, float]]) -> None:
        ordered = sorted(changes)
        self._times = [at for at, _ in ordered]
        self._rates = list(accumulate(change for _, change in ordered))

    def at(self, moment: float) -> float:
        """The rate from a moment on."""
        index = bisect_right(self._times, moment) - 1
        return self._rates[index] if index >= 0 else 0.0


class _Messages(NamedTuple):
    """Messages that an operation is done for: tries of all, and of those that come with a trace."""

    every: _Rates
    traced: _Rates

    def told(self, moment: float, rate: float | None) -> float:
        """The rate of tries of messages with a trace.

        Args:
            moment: The virtual second from which on.
            rate: How often the operation is done, if that is for messages alone.
        """
        if rate is None:
            return self.traced.at(moment)
        every = self.every.at(moment)
        return rate * min(1.0, self.traced.at(moment) / every) if every > _NEVER else 0.0


def spans_of(instance: ContainerInstance, now: float) -> list[tuple[float, float, Segment]]:
    """(start, stop, segment) of what an instance served; nothing after its end."""
    end = instance.ended(now)
    return [
        (segment.start, stop, segment)
        for position, segment in enumerate(instance.served)
        if (
            stop := min(
                end,
                instance.served[position + 1].start if position + 1 < len(instance.served) else end,
            )
        )
        > segment.start
    ]


def _traced(instance: ContainerInstance) -> Traced | None:
    program = instance.process.behaviour
    if not isinstance(program, ServiceProgram) or program.tracing is None:
        return None
    tracing, facts = program.tracing, instance.process.facts()
    return Traced(
        instance,
        program,
        tracing,
        expand(tracing.service, facts),
        expand(tracing.collector, facts),
        _share(expand(tracing.sample, facts)),
        handled_messages(program, facts),
    )


def _share(text: str) -> float:
    """A sampling ratio as clients read it: text that is no number is 0, more than 1 is 1."""
    try:
        return min(1.0, max(0.0, float(text)))
    except ValueError:
        return 0.0
