"""What a load generator tells of its rounds: how many requests came to what, and how long they took."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.telemetry.order_statistics import Sampled
from sregym_cluster_embedded.traffic.counting import Counting, Totals
from sregym_cluster_embedded.traffic.segments import SENT, Segment, segments
from sregym_cluster_embedded.userland.formats import moment, seconds_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.model import LoadGeneratorProgram

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance
    from sregym_cluster_embedded.world import World

# What a round tells of the times of its requests.
_LEVELS = ("p50", "p90", "p99")
_AT = (0.5, 0.9, 0.99)
# By generator and its start.
_ROUNDS: CacheKey[dict[tuple[ContainerRef, float], _Teller]] = CacheKey("telemetry.rounds")


def rounds(
    world: World,
    instance: ContainerInstance,
    program: LoadGeneratorProgram,
    oldest: float,
    until: float,
    wanted: int | None,
) -> Iterator[LogLine]:
    """One line for each operation at the end of each round of a span.

    At least the last `wanted` lines, all when None.
    """
    start = instance.process.served_at
    sent = segments(world, SENT, instance.ref)
    if start is None or not sent:
        return
    last = math.floor((until - start) / program.round_s + 1e-9)
    first = math.floor((oldest - start) / program.round_s) - 1
    if wanted is not None:
        first = max(first, last - wanted // len(program.told) - 1)
    tellers = world.cache.kept(_ROUNDS)
    if tellers is None:
        tellers = world.cache.keep(_ROUNDS, {})
    teller = tellers.get((instance.ref, start))
    if teller is None or teller.program is not program:
        teller = tellers[(instance.ref, start)] = _Teller(instance.ref, program, start)
    numbers = range(max(0, first), last)
    teller.tell(world, sent, numbers)
    for number in numbers:
        end = start + (number + 1) * program.round_s
        for text in teller.told[number]:
            yield LogLine(end, program.log.stream, text)


class _Teller:
    """The lines of the rounds of one generator.

    Rounds that are over stay as they were: what has flowed is immutable. And a count goes
    on from where he stopped for as long as nothing else flows.

    Args:
        ref: The generator.
        program: What it runs.
        start: Virtual second of its first round.

    Attributes:
        told: By number of the round, its lines.
    """

    def __init__(self, ref: ContainerRef, program: LoadGeneratorProgram, start: float) -> None:
        self.program = program
        self.told: dict[int, tuple[str, ...]] = {}
        self._start = start
        self._sampled = {name: Sampled(ref, name) for name in program.told}
        self._counting: dict[str, Counting] = {}
        self._counted: tuple[Segment, ...] = ()
        self._next = 0

    def tell(self, world: World, sent: tuple[Segment, ...], numbers: range) -> None:
        """Have the lines of some rounds, of what a generator has sent."""
        for number in numbers:
            if number not in self.told:
                self.told[number] = self._lines(world, sent, number)

    def _lines(self, world: World, sent: tuple[Segment, ...], number: int) -> tuple[str, ...]:
        if self._counted is not sent or number < self._next:
            self._counting = {
                name: Counting(sent, name, world.shared_cache) for name in self.program.told
            }
            self._counted = sent
        self._next = number + 1
        length = self.program.round_s
        begin, end = self._start + number * length, self._start + (number + 1) * length
        when = seconds_form(moment(world, end))
        texts = []
        for name, counting in self._counting.items():
            counted = counting.totals(begin, end)
            times: tuple[float, ...] = ()
            if counted.ok:
                times = self._sampled[name].quantiles(counted.time, number, counted.ok, _AT)
            texts.append(f"{when} op={name} {_round_text(counted, times)}")
        return tuple(texts)


def _round_text(counted: Totals, times: tuple[float, ...]) -> str:
    failed = sum(counted.failed.values())
    text = f"requests={counted.requests} ok={counted.ok} failed={failed}"
    text += "".join(f" {name}_ms={time:.1f}" for name, time in zip(_LEVELS, times, strict=False))
    if failed:
        kinds = " ".join(
            f"{'http ' if kind.isdecimal() else ''}{kind}={count}"
            for kind, count in counted.failed.items()
        )
        text += f' errors="{kinds}"'
    return text
