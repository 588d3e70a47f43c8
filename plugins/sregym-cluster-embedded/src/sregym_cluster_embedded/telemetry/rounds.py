"""What a load generator tells of its rounds: how many requests came to what, and how long they took."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import CacheKey
from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.telemetry.order_statistics import Sampled
from sregym_cluster_embedded.traffic.segments import SENT, Counting, Segment, Totals, segments
from sregym_cluster_embedded.userland.formats import moment, seconds_form

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.model import LoadGeneratorProgram

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.telemetry.lives import Life
    from sregym_cluster_embedded.world import World

# What a round tells of the times of its requests.
_LEVELS = ("p50", "p90", "p99")
_AT = (0.5, 0.9, 0.99)
# By generator and its start: its program, and the lines of each round.
_ROUNDS: CacheKey[
    dict[tuple[ContainerRef, float], tuple[LoadGeneratorProgram, dict[int, tuple[str, ...]]]]
] = CacheKey("telemetry.rounds")


def rounds(
    world: World,
    life: Life,
    program: LoadGeneratorProgram,
    oldest: float,
    until: float,
    wanted: int | None,
) -> Iterator[LogLine]:
    """One line for each operation at the end of each round of a span.

    At least the last `wanted` lines, all when None.
    """
    start = life.process.served_at
    sent = segments(world, SENT, life.ref)
    if start is None or not sent:
        return
    last = math.floor((until - start) / program.round_s + 1e-9)
    first = math.floor((oldest - start) / program.round_s) - 1
    if wanted is not None:
        first = max(first, last - wanted // len(program.told) - 1)
    known = world.worked_out.kept(_ROUNDS)
    if known is None:
        known = world.worked_out.keep(_ROUNDS, {})
    # Rounds that are over stay as they were: nobody changes what has flowed.
    of, told = known.get((life.ref, start), (program, {}))
    if of is not program:
        told = {}
    known[(life.ref, start)] = program, told
    missing = [number for number in range(max(0, first), last) if number not in told]
    told.update(_told(world, life, program, start, sent, missing))
    for number in range(max(0, first), last):
        end = start + (number + 1) * program.round_s
        for text in told[number]:
            yield LogLine(end, program.log.stream, text)


def _told(
    world: World,
    life: Life,
    program: LoadGeneratorProgram,
    start: float,
    sent: tuple[Segment, ...],
    numbers: list[int],
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The lines of some rounds, which are in order."""
    counting = {name: Counting(sent, name) for name in program.told}
    sampled = {name: Sampled(life.ref, name) for name in program.told}
    for number in numbers:
        begin, end = start + number * program.round_s, start + (number + 1) * program.round_s
        when = seconds_form(moment(world, end))
        texts = []
        for name in program.told:
            counted = counting[name].totals(begin, end)
            times: tuple[float, ...] = ()
            if counted.ok:
                times = sampled[name].quantiles(counted.time, number, counted.ok, _AT)
            texts.append(f"{when} op={name} {_round_text(counted, times)}")
        yield number, tuple(texts)


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
