"""What containers have written: literal lines, and lines of requests computed when asked for.

The k-th line of a stream is a function of the seed, the stream and k, so that the same question
has the same answer in any order and after a fork.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import (
    AnyProgram,
    Line,
    LoadGeneratorProgram,
    ServiceProgram,
    benign_errors,
    expand,
)

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.clock.jitter import mixed
from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.telemetry.benign_errors import benign_streams
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances, keep
from sregym_cluster_embedded.telemetry.event_times import before_last, moments
from sregym_cluster_embedded.telemetry.idle_logs import background
from sregym_cluster_embedded.telemetry.rounds import rounds
from sregym_cluster_embedded.traffic.segments import (
    SENT,
    SERVED,
    LineStream,
    Segment,
    segments,
)
from sregym_cluster_embedded.userland.formats import TIME_SHAPES, moment, render
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.userland.command_counts import Counted, Scheduled
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# A container's log is rotated: so many lines are kept at most.
LINES_KEPT = 10_000
# Who asks for a number of lines gets them from the last so many seconds, or from so many times as
# many: a life may have lasted for months, and most of its lines are not asked for.
_SOON_S, _TIMES = 3600.0, 8

# Between the parts of a line, between lines that are written together, and from the first of these
# to the last at most.
_PART_S, _APART_S, _TOGETHER_S = 2e-6, 5e-5, 1e-3
_RANGE = re.compile(r"\$\{(\d+)\.\.(\d+)\}")


class Telemetry:
    """Offered to lower layers as `telemetry`."""

    def lines(
        self,
        world: World,
        process: Process,
        tail_lines: int | None = None,
        since: float | None = None,
    ) -> list[LogLine]:
        """The lines of one life of a container, oldest first; at least the last `tail_lines`."""
        wanted = LINES_KEPT if tail_lines is None else min(tail_lines, LINES_KEPT)
        oldest = process.started_at if since is None else max(since, process.started_at)
        instance = ContainerInstance(process, segments(world, SERVED, process.ref))
        end = min(world.now, instance.ended(world.now))
        span = _SOON_S
        while end - span > oldest:
            first = end - span
            found = [
                line
                for line in written(world, instance, first, world.now, wanted)
                if line.at >= first
            ]
            if len(found) >= wanted:
                return found
            span *= _TIMES
        return written(world, instance, oldest, world.now, wanted)[-max(wanted, 1) :]

    def counted(self, world: World, ref: ContainerRef) -> Counted:
        """What a server has been asked for, as metrics count it."""
        # Who never asks a datastore for its figures need not load what works them out.
        from sregym_cluster_embedded.telemetry.metrics.exporters.stores import counted_of

        return counted_of(world, ref)

    def commands(self, world: World, ref: ContainerRef) -> dict[str, int]:
        """How often a server has been asked for each command, as metrics count it."""
        from sregym_cluster_embedded.telemetry.metrics.exporters.stores import commands_of

        return commands_of(world, ref)

    def held(self, world: World, ref: ContainerRef, least: int) -> Counted:
        """How many connections a server has now, and whose where that are at least so many."""
        from sregym_cluster_embedded.telemetry.metrics.exporters.stores import held_connections

        return held_connections(world, ref, least)

    def scheduled(self, world: World, ref: ContainerRef) -> Scheduled:
        """How a container has been scheduled, as cAdvisor counts it."""
        from sregym_cluster_embedded.telemetry.metrics.work import scheduled_of

        return scheduled_of(world, ref)

    def forget(self, world: World, ref: ContainerRef) -> None:
        """Keep what a removed container did for those who look back, and drop the rest."""
        keep(world, ref)


def written(
    world: World,
    instance: ContainerInstance,
    oldest: float,
    until: float,
    wanted: int | None = None,
) -> list[LogLine]:
    """What a life wrote before a virtual second, oldest first.

    Args:
        world: The cluster.
        instance: The instance of the lines.
        oldest: From where on all lines are in the answer; earlier ones may be.
        until: Lines at this moment and later are not, but what was written at start and end is.
        wanted: At least so many of the last ones; all when None.
    """
    process = instance.process
    program = process.behaviour
    found = _one_by_one(list(process.lines))
    if program is not None and wanted != 0:
        window = Window(oldest, min(until, instance.ended(world.now)), wanted)
        found.extend(_request_lines(world, instance, program, window))
        if isinstance(program, ServiceProgram):
            found.extend(_repeated(world, process, program, window))
        elif isinstance(program, LoadGeneratorProgram):
            found.extend(rounds(world, instance, program, *window))
        else:
            found.extend(background(world, instance, program, *window))
    found.sort(key=lambda line: line.at)
    return found


def _one_by_one(lines: list[LogLine]) -> list[LogLine]:
    """Lines of one moment some microseconds after each other, as a runtime receives them."""
    moment_before = shifted = -math.inf
    number = 0
    for index, line in enumerate(lines):
        at = later = line.at
        number = number + 1 if at == moment_before else 0
        moment_before = at
        if number:
            later = shifted + (7 + mixed(int(at * 1e6) + number) % 53) / 1e6
        elif at <= shifted:
            later = shifted + 2e-6
        if later != at:
            lines[index] = line._replace(at=later)
        shifted = later
    return lines


def output_streams(world: World, instance: ContainerInstance) -> set[str]:
    """`stdout` and `stderr`, as far as a life has written to them."""
    program = instance.process.behaviour
    found = {line.stream for line in instance.process.lines}
    if program is not None:
        found |= world.service(RUNTIME).kind_of(instance.process).streams(instance.process)
        benign = benign_errors(program)
        lines = [
            stream.line
            for segment, end in instance.spans(world.now)
            for stream in (*segment.lines, *benign_streams(instance.ref, benign, segment, end))
        ]
        if isinstance(program, ServiceProgram) and instance.process.served_at is not None:
            lines.extend(line for repeat in program.repeats for line in repeat.log)
        found.update(line.stream or program.log.stream for line in lines)
        if isinstance(program, LoadGeneratorProgram) and instance.process.served_at is not None:
            found.add(program.log.stream)
    return found


class Window(NamedTuple):
    """Which lines are asked for: from `oldest` on and before `until`, so many of the last ones."""

    oldest: float
    until: float
    wanted: int | None


def _request_lines(
    world: World, instance: ContainerInstance, program: AnyProgram, window: Window
) -> list[LogLine]:
    stop = window.until
    found: list[LogLine] = []
    benign = benign_errors(program)
    for segment in reversed(instance.served):
        if stop <= window.oldest:
            break
        further = [*benign_streams(instance.ref, benign, segment, stop)]
        rate = sum(stream.rate for stream in segment.lines)
        # Where there are many lines it is they that are counted: the others are too seldom.
        counted = segment.lines if rate > 0 else further
        rate = rate or sum(stream.rate for stream in further)
        if rate > 0 and segment.start < stop:
            first = max(segment.start, window.oldest)
            if window.wanted is not None:
                if len(found) >= window.wanted:
                    break
                missing = window.wanted - len(found) + len(counted)
                first = max(first, _last_of(segment, counted, missing / rate, stop))
            for stream in (*segment.lines, *further):
                found.extend(
                    _stream(world, instance.process, program, stream, segment, first, stop)
                )
        stop = min(stop, segment.start)
    return found


def _stream(
    world: World,
    process: Process,
    program: AnyProgram,
    stream: LineStream,
    segment: Segment,
    first: float,
    stop: float,
) -> Iterator[LogLine]:
    """The lines of one stream of a segment from `first` up to `stop`."""
    start, seed = segment.start, Seed(segment.seed)
    name = (process.ref, stream.operation, stream.number, start)
    # Lines of one event are written one behind the other.
    event = stream.number if stream.event is None else stream.event
    offset = seed.fraction("line", process.ref, stream.operation, event, start)
    behind_s = (stream.number - event) * _APART_S
    facts = {**process.facts(), **dict(stream.facts)}
    if any("${client_ip}" in text for text in (stream.line.text, *stream.line.fields.values())):
        facts["client_ip"] = _asker(world, process.ref, segment)
    line = stream.line.model_copy(update={"text": expand(stream.line.text, facts)})
    first -= _TOGETHER_S
    rhythm = _rhythm(segment, stream)
    times = (
        (number, at + behind_s)
        for number, at in moments(stream.rate, start, first, stop, offset, rhythm)
    )
    drawn = {name for name, value in line.fields.items() if _RANGE.search(value)}
    if "${" not in line.text and not drawn:
        pattern = _Pattern(world, program, line, facts, start)
        for _, at in times:
            yield from pattern.at(at)
        return
    for number, at in times:
        said: dict[str, object] = {"text": _filled(seed, line.text, (*name, number))}
        if drawn:
            said["fields"] = {
                field: _filled(seed, value, (*name, number, field)) if field in drawn else value
                for field, value in line.fields.items()
            }
        yield from render(world, program.log, line.model_copy(update=said), facts, at)


def _last_of(segment: Segment, streams: Sequence[LineStream], seconds: float, stop: float) -> float:
    """From when on at least as many lines are written as in so many seconds at the mean rate."""
    return min(
        before_last(
            stream.rate * seconds, stream.rate, segment.start, stop, _rhythm(segment, stream)
        )
        for stream in streams
        if stream.rate > 0
    )


def _rhythm(segment: Segment, stream: LineStream) -> RateModulations:
    """How unevenly the requests come that make a process write a line."""
    for flow in segment.flows:
        if flow.operation == stream.operation:
            return flow.rhythms[0 if stream.good else 1]
    return ()


def _asker(world: World, ref: ContainerRef, segment: Segment) -> str:
    """The address of the most frequent client of a server during a segment; `-` when none is known."""
    found, most = "-", 0.0
    for instance in instances(world):
        sent = segments(world, SENT, instance.ref)
        if any(part.flows for part in sent) and found == "-":
            found = instance.process.config.pod_ip
        part = instance.flowing(segment.start, world.now)
        if part is None:
            continue
        rate = sum(call.rate for flow in part.flows for call in flow.calls if call.callee == ref)
        if rate > most:
            found, most = instance.process.config.pod_ip, rate
    return found


def _filled(seed: Seed, text: str, purpose: tuple[object, ...]) -> str:
    """The text with each `${low..high}` replaced by a number of that range."""

    def drawn(found: re.Match[str]) -> str:
        low, high = int(found.group(1)), int(found.group(2))
        return str(low + int(seed.fraction(*purpose, found.start()) * (high - low + 1)))

    return _RANGE.sub(drawn, text)


class _Pattern:
    """A line whose only change is its time: rendered once, the time put in."""

    def __init__(
        self, world: World, program: AnyProgram, line: Line, facts: dict[str, str], at: float
    ) -> None:
        first, *more = render(world, program.log, line, facts, at)
        self._stream, text = first.stream, first.text
        # What stands behind the first line has no time of its own.
        self._more = [part.text for part in more]
        self._world = world
        when = moment(world, at)
        shape = next((shape for shape in TIME_SHAPES if shape.text(when) in text), None)
        self._shape = shape
        self._parts = [text] if shape is None else text.split(shape.text(when))
        self._second = -1
        self._text = ""

    def at(self, at: float) -> tuple[LogLine, ...]:
        """The line at another time, and those behind it."""
        first = LogLine(at, self._stream, self._first(at))
        if not self._more:
            return (first,)
        more = enumerate(self._more, start=1)
        return (
            first,
            *[LogLine(at + number * _PART_S, self._stream, text) for number, text in more],
        )

    def _first(self, at: float) -> str:
        shape = self._shape
        if shape is None:
            return self._parts[0]
        if shape.fine:
            return shape.text(moment(self._world, at)).join(self._parts)
        if int(at) != self._second:
            self._second = int(at)
            self._text = shape.text(moment(self._world, at)).join(self._parts)
        return self._text


def _repeated(
    world: World, process: Process, program: ServiceProgram, window: Window
) -> Iterator[LogLine]:
    if process.served_at is None:
        return
    for repeat in program.repeats:
        try:
            every = max(0.001, float(expand(repeat.every_s, process.facts())))
        except ValueError:
            continue
        last = math.floor((window.until - process.served_at) / every + 1e-9)
        first = max(0, math.floor((window.oldest - process.served_at) / every) - 1)
        if window.wanted is not None:
            first = max(first, last - window.wanted)
        for number in range(first, last + 1):
            facts = {**process.facts(), "n": str(number + 1)}
            for line in repeat.log:
                yield from render(
                    world, program.log, line, facts, process.served_at + number * every
                )
