"""When what was sent to a topic is taken from it, and the way back: as the lag of each group says.

Records of a partition are taken in the order in which they came. The record that arrives as number
n is done with when as many are; who sets a group forward or empties a queue leaves records behind
that are never consumed.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.segments import QueueSegment

    # The identity of a broker's storage, and the name of a topic.
    Topic = tuple[str, str]

# What rounding makes of a lag is less.
_ROUNDING = 0.5
# Of tries without end those of the first octaves are told; of each later one so many.
_TOLD = 16


class Course(NamedTuple):
    """A partition from the start of a segment on.

    Attributes:
        start: Virtual second.
        stop: Where the next begins; infinity for the last.
        come: Records that had arrived at its start.
        done: Records that the group was done with, or past, at its start.
        end: Records that it is done with where it ends.
        arrives: Records a second that arrive.
        progress: Records a second that are done with while there are some behind.
    """

    start: float
    stop: float
    come: float
    done: float
    end: float
    arrives: float
    progress: float

    def done_at(self, at: float) -> float:
        """Records that the group is done with at a moment of this segment."""
        passed = at - self.start
        return min(self.done + self.progress * passed, self.come + self.arrives * passed)


class Stint(NamedTuple):
    """A span of time in which a member of a group takes records from a partition.

    Attributes:
        ref: The member.
        operation: What it does with a record.
        partition: The partition.
        start: Virtual second.
        stop: Virtual second; infinity while it goes on.
        rate: Records a second that it tries.
        stands: Whether it tries the same record again and again.
    """

    ref: ContainerRef
    operation: str
    partition: int
    start: float
    stop: float
    rate: float
    stands: bool


class Queue:
    """A topic as one group sees it.

    Args:
        group: The group.
        known: What is known of it, oldest first.
    """

    def __init__(self, group: str, known: tuple[QueueSegment, ...]) -> None:
        self.group = group
        self.known = known
        self.partitions = max((len(segment.come) for segment in known), default=0)
        self._starts = [segment.start for segment in known]
        self._courses: dict[int, list[Course]] = {}
        self._stints: list[Stint] | None = None

    def come(self, partition: int, at: float) -> float:
        """Records that have arrived until a moment."""
        index = bisect_right(self._starts, at) - 1
        if index < 0:
            return 0.0
        course = self._course(partition)[index]
        return course.come + course.arrives * (at - course.start)

    def done(self, partition: int, at: float) -> float:
        """Records that the group is done with, or past, at a moment."""
        index = bisect_right(self._starts, at) - 1
        return 0.0 if index < 0 else self._course(partition)[index].done_at(at)

    def arrived(self, partition: int, count: float) -> float:
        """The virtual second at which so many records had arrived; infinity for never."""
        courses = self._course(partition)
        index = max(bisect_left(courses, count, key=lambda course: course.come) - 1, 0)
        course = courses[index]
        if count <= course.come:
            return course.start
        return course.start + (count - course.come) / course.arrives if course.arrives else math.inf

    def taken_at(self, partition: int, at: float) -> float:
        """When the record had arrived that is taken at a moment."""
        done = self.done(partition, at)
        found = self.arrived(partition, done + _ROUNDING)
        return found if found < math.inf else self.arrived(partition, done)

    def sent_between(self, partition: int, first: float, last: float) -> tuple[float, float]:
        """From when to when the records arrived that are worked on from `first` to `last`."""
        begin = self.arrived(partition, self.done(partition, first) - 1)
        return begin, self.arrived(partition, self.done(partition, last) + 1)

    def rate(self, at: float) -> float:
        """Records a second that arrive at a moment."""
        index = bisect_right(self._starts, at) - 1
        return sum(self.known[index].come) if index >= 0 else 0.0

    def due(self, partition: int, at: float) -> float | None:
        """When the record that arrives at a moment is taken; None: never, as things stand."""
        place = self.come(partition, at)
        first = bisect_right(self._starts, at) - 1
        courses = self._course(partition)
        if first < 0:
            return None
        index = bisect_left(courses, place, first, key=lambda course: course.end)
        if index >= len(courses):
            return None
        course = courses[index]
        if course.start <= at or course.done < place:
            return max(at, course.start + max(0.0, place - course.done) / (course.progress or 1.0))
        # It was passed over where the segment begins, unless that is rounding.
        passed = course.done - place > _ROUNDING and place - courses[index - 1].end > _ROUNDING
        return None if passed else course.start

    def taker(self, partition: int, at: float) -> tuple[ContainerRef, str] | None:
        """Who takes from a partition at a moment, and what it does with a record."""
        index = bisect_right(self._starts, at) - 1
        takers = self.known[index].takers if index >= 0 else ()
        return takers[partition % len(takers)] if takers else None

    def stints(self) -> list[Stint]:
        """Who took records when, in order of partition and time."""
        if self._stints is None:
            self._stints = [
                stint for partition in range(self.partitions) for stint in self._taken(partition)
            ]
        return self._stints

    def tries(self, partition: int, at: float, until: float) -> Iterator[tuple[float, int, Stint]]:
        """(moment, number, whose) of tries without success of the record that arrives at a moment.

        A group that gets nothing done tries the next record of each partition over and over; of
        the very many tries that follow each other ever fewer are told.
        """
        place = self.come(partition, at)
        tried = 0.0
        for stint in self.stints():
            if stint.partition != partition or stint.stop <= at or not stint.stands:
                continue
            done = self.done(partition, stint.start)
            if stint.start >= until or done >= place:
                return
            if place - done > 1:
                continue
            begin, end = max(stint.start, at), min(stint.stop, until)
            for number in _told(tried, tried + (end - begin) * stint.rate):
                yield begin + (number - tried) / stint.rate, number, stint
            tried += (end - begin) * stint.rate

    def _taken(self, partition: int) -> Iterator[Stint]:
        for index, segment in enumerate(self.known):
            if (
                not segment.takers
                or partition >= len(segment.taken)
                or not segment.taken[partition]
            ):
                continue
            stop = self._starts[index + 1] if index + 1 < len(self.known) else math.inf
            ref, operation = segment.takers[partition % len(segment.takers)]
            rate, stands = segment.taken[partition], not segment.progress[partition]
            yield Stint(ref, operation, partition, segment.start, stop, rate, stands)

    def _course(self, partition: int) -> list[Course]:
        if partition not in self._courses:
            self._courses[partition] = list(self._walk(partition))
        return self._courses[partition]

    def _walk(self, partition: int) -> Iterator[Course]:
        come = done = 0.0
        for index, segment in enumerate(self.known):
            stop = self._starts[index + 1] if index + 1 < len(self.known) else math.inf
            there = partition < len(segment.come)
            arrives = segment.come[partition] if there else 0.0
            progress = segment.progress[partition] if there else 0.0
            done = max(done, come - (segment.lag[partition] if there else 0.0))
            lasts = stop - segment.start
            after = come + arrives * lasts if arrives else come
            end = min(done + progress * lasts if progress else done, after)
            yield Course(segment.start, stop, come, done, end, arrives, progress)
            come, done = after, max(done, end)


def _told(first: float, last: float) -> Iterator[int]:
    """The whole numbers from `first` on and below `last` that are told."""
    number = math.ceil(first)
    while number < last:
        step = 1 << max(0, (number // _TOLD).bit_length() - 1)
        if number % step == 0:
            yield number
        number += step - number % step
