"""The numbers of the traffic at one moment, by the indices of its structure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_cluster_embedded.traffic.structure import CacheLookup, CallStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.structure import Queue, Step, Structure

_OPERATIONS = ("rate", "ok", "mean", "variance", "failed")
_SITES = ("made", "attempts", "needed", "failing", "calls", "held", "shed", "faulty")
_SERVERS = (
    *("waiting", "wait_ms", "turn_ms", "busy", "cores", "capacity", "dropped", "rejected"),
    *("share", "turn_around_ms", "computed"),
)
_WAYS = ("late", "slow")
_OPENINGS = ("unopened",)
_BREAKERS = ("circuit", "tripping", "shut_s", "barred")
_PARTITIONS = ("lag", "ahead", "come", "taken", "progress")


class FlowState:
    """All numbers of one moment; immutable once they are in a table of the world.

    Attributes:
        rate: Of operations: requests a second.
        ok: Fraction of the requests taken on that succeeds.
        mean: Mean time of those, in ms.
        variance: Its variance.
        failed: Mean time of those that fail, in ms.
        made: Of sites: calls for each request of the operation.
        attempts: Attempts for each call.
        needed: The same, as present failures have it; attempts follow more slowly.
        failing: Fraction of calls that fail in the end.
        calls: Attempts a second.
        held: Mean time of an attempt, however it ends, in ms.
        shed: Fraction of attempts that never get a connection of their pool.
        faulty: Fraction of the attempts that are made which fails.
        waiting: Of servers: requests that wait because more came than could be served.
        wait_ms: How long they wait.
        turn_ms: Chance wait for a worker of a server that has but so many.
        busy: Work that comes, as a fraction of what can be done.
        cores: The same of the processor alone.
        capacity: Requests a second that can be done.
        dropped: Fraction of requests thrown away after waiting without success.
        rejected: Fraction turned away at once.
        share: Processors that its requests may use now.
        turn_around_ms: Until others on the node that compute without rest are put off for them.
        computed: Processors that threads use which compute besides.
        late: Of ways: fraction of the callee's good answers that come too late.
        slow: The same of its errors.
        unopened: Of openings: fraction of attempts that get no connection.
        lag: Of partitions: records that the group has not taken yet.
        ahead: How many of them stand before one that cannot be read; infinite without such a one.
        come: Records a second that arrive.
        taken: Records a second that are tried.
        progress: Records a second that are done with.
        warm: Of fills: fraction of the keys that are there.
        filled: Of fills: fraction of the misses that got what they put there.
        sent: Of load generators: requests a second.
        gain: Of closed loops: part of the way to a new rate that one round goes.
        swing: The last change of such a rate, whose sign tells whether rounds swing.
    """

    __slots__ = (
        *_OPERATIONS,
        *_SITES,
        *_SERVERS,
        *_WAYS,
        *_OPENINGS,
        *_BREAKERS,
        *_PARTITIONS,
        "gain",
        "sent",
        "swing",
        "warm",
        "filled",
    )

    rate: list[float]
    ok: list[float]
    mean: list[float]
    variance: list[float]
    failed: list[float]
    made: list[float]
    attempts: list[float]
    needed: list[float]
    failing: list[float]
    calls: list[float]
    held: list[float]
    shed: list[float]
    faulty: list[float]
    waiting: list[float]
    wait_ms: list[float]
    turn_ms: list[float]
    busy: list[float]
    cores: list[float]
    capacity: list[float]
    dropped: list[float]
    rejected: list[float]
    share: list[float]
    turn_around_ms: list[float]
    computed: list[float]
    late: list[float]
    slow: list[float]
    unopened: list[float]
    circuit: list[float]
    tripping: list[float]
    shut_s: list[float]
    barred: list[float]
    lag: list[float]
    ahead: list[float]
    come: list[float]
    taken: list[float]
    progress: list[float]
    warm: list[float]
    filled: list[float]
    sent: list[float]
    gain: list[float]
    swing: list[float]

    def __init__(self, structure: Structure) -> None:
        for names, size in (
            (_OPERATIONS, len(structure.operations)),
            (_SITES, len(structure.sites)),
            (_SERVERS, len(structure.servers)),
            (_WAYS, structure.routes),
            (_OPENINGS, len(structure.openings)),
            (_BREAKERS, len(structure.breakers)),
            (_PARTITIONS, structure.partitions),
        ):
            for name in names:
                setattr(self, name, [0.0] * size)
        self.share = [server.cores for server in structure.servers]
        self.ahead = [math.inf] * structure.partitions
        self.attempts = [1.0] * len(structure.sites)
        self.needed = self.attempts[:]
        self.unopened = [float(opening.most == 0) for opening in structure.openings]
        for operation in structure.operations:
            self._expect(operation.steps, 1.0)
        self.warm = [0.0] * len(structure.fills)
        self.filled = [1.0] * len(structure.fills)
        self.sent = [0.0] * len(structure.sources)
        self.gain = [0.5] * len(structure.sources)
        self.swing = [0.0] * len(structure.sources)

    def __repr__(self) -> str:
        return f"Numbers({self.waiting}, {self.rate}, {self.warm}, {self.lag}, {self.ahead})"

    def _expect(self, steps: tuple[Step, ...], reached: float) -> None:
        """Take it that nothing fails."""
        for step in steps:
            if isinstance(step, CallStep):
                self.made[step.site.index] = reached * step.share * step.site.times
            elif isinstance(step, CacheLookup):
                self.made[step.look.site.index] = reached
                self._expect(step.miss, reached * (1 - step.hit_rate))
            else:
                for part in step.parts:
                    self._expect(part, reached)

    def copy(self) -> FlowState:
        """The same numbers, to be changed."""
        twin = FlowState.__new__(FlowState)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name)[:])
        return twin

    def equals(self, other: FlowState) -> bool:
        """Whether the numbers are the same to the last bit."""
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)


class Carried:
    """What outlives a change of the structure: what waits, what is warm, calls being made again.

    Args:
        structure: The structure before.
        numbers: Its numbers.
    """

    def __init__(self, structure: Structure, numbers: FlowState) -> None:
        self._waiting = {
            server.ref: numbers.waiting[index]
            for index, server in enumerate(structure.servers)
            if numbers.waiting[index] > 0
        }
        self._unopened = {
            opening.key: numbers.unopened[index] for index, opening in enumerate(structure.openings)
        }
        self._breakers = {
            breaker.key: [getattr(numbers, name)[index] for name in _BREAKERS]
            for index, breaker in enumerate(structure.breakers)
        }
        self._warm = {fill.key: numbers.warm[i] for i, fill in enumerate(structure.fills)}
        self._queues = {
            queue.key: (
                queue,
                numbers.lag[queue.first : queue.first + queue.partitions],
                numbers.ahead[queue.first : queue.first + queue.partitions],
            )
            for queue in structure.queues
        }
        self._tries: dict[tuple[ContainerRef, str, int], tuple[float, float]] = {}
        if self._waiting:
            self._tries = {
                key: (numbers.made[site], numbers.attempts[site])
                for key, site in _places(structure)
            }

    def give(self, structure: Structure, numbers: FlowState) -> bool:
        """Begin the numbers of a new structure with it; whether anything waits."""
        for index, fill in enumerate(structure.fills):
            numbers.warm[index] = self._warm.get(fill.key, 0.0)
        for queue in structure.queues:
            self._take_up(queue, numbers)
        for index, opening in enumerate(structure.openings):
            if opening.most != 0:
                numbers.unopened[index] = self._unopened.get(opening.key, 0.0)
        for index, breaker in enumerate(structure.breakers):
            known = self._breakers.get(breaker.key)
            for name, value in zip(_BREAKERS, known or (), strict=known is not None):
                getattr(numbers, name)[index] = value
        if not self._waiting:
            return False
        for index, server in enumerate(structure.servers):
            numbers.waiting[index] = self._waiting.get(server.ref, 0.0)
        for key, site in _places(structure):
            if key in self._tries:
                numbers.made[site], numbers.attempts[site] = self._tries[key]
        return any(numbers.waiting)

    def _take_up(self, queue: Queue, numbers: FlowState) -> None:
        """Go on with a topic where the group was, with what has been done to it meanwhile."""
        before, lag, ahead = self._queues.get(queue.key, (None, [], []))
        known = 0 if before is None else len(before.odd)
        resets = queue.resets[len(before.resets) :] if before is not None else ()
        # Whoever was set to the end has nothing left.
        if before is not None and all(reset.places for reset in resets):
            for partition in range(min(len(lag), queue.partitions)):
                numbers.lag[queue.first + partition] = lag[partition]
                numbers.ahead[queue.first + partition] = ahead[partition]
        for partition, _, left, next_odd in (place for reset in resets for place in reset.places):
            numbers.lag[queue.first + partition] = left
            numbers.ahead[queue.first + partition] = next_odd
        known = len(queue.odd) if resets else known
        for partition, _ in queue.odd[known:]:
            spot = queue.first + partition
            numbers.ahead[spot] = min(numbers.ahead[spot], numbers.lag[spot])


def _places(structure: Structure) -> Iterator[tuple[tuple[ContainerRef, str, int], int]]:
    """The sites, by operation and their order in it."""
    for operation in structure.operations:
        for number, site in enumerate(operation.sites):
            yield (operation.ref, operation.name, number), site.index
