"""What flowed when: piecewise-constant rates in world tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.traffic.arrivals import by_outcome
from sregym_cluster_embedded.traffic.latency import Time

if TYPE_CHECKING:
    from sregym_apps.model import Line

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.arrivals import RateModulations
    from sregym_cluster_embedded.traffic.searches import Search
    from sregym_cluster_embedded.userland.command_counts import Peer
    from sregym_cluster_embedded.world import World

SENT: TableKey[ContainerRef, tuple[Segment, ...]] = TableKey("traffic.sent")
SERVED: TableKey[ContainerRef, tuple[Segment, ...]] = TableKey("traffic.served")

# Under (identity of the broker's storage, topic, group): a tuple of `QueueSegment`s.
QUEUES: TableKey[tuple[str, str, str], tuple[QueueSegment, ...]] = TableKey("traffic.queues")
# What rounding makes of rates is less.
_ONE_RECORD = 1.0


class CallFlow(NamedTuple):
    """Calls that one operation makes through one client to one process while nothing changes.

    Attributes:
        client: Name of the client in the caller's program.
        host: Where it dials: name or address.
        callee: The process that is reached; None where the way ends before one.
        operation: Operation of the callee, or the command of a datastore.
        collection: What a datastore's command is about; empty otherwise.
        stage: Calls of one operation with the same number are made at once, higher ones later.
        rate: Attempts a second, those included that repeat a failed one.
        retries: Attempts a second that repeat a failed one.
        ok: Fraction of attempts that succeeds.
        errors: (kind as in `ErrorKind`, the caller's words, fraction of attempts); with `ok` 1.
        time: Time of attempts that succeed as the caller sees it, the way included.
        failed_time: Time of those that fail.
        chance: As in `Flow`.
        search: What a datastore looks for in all that it has, for want of an index; else None.
    """

    client: str
    host: str
    callee: ContainerRef | None
    operation: str
    collection: str
    stage: int
    rate: float
    retries: float
    ok: float
    errors: tuple[tuple[str, str, float], ...]
    time: Time
    failed_time: Time
    chance: float = 1.0
    search: Search | None = None

    def rhythms(self, rhythm: RateModulations) -> tuple[RateModulations, RateModulations]:
        """How unevenly calls come that succeed, and those that fail; from the caller's rate modulation."""
        return by_outcome(rhythm, min(1.0, sum(share for *_, share in self.errors)), self.chance)


class Flow(NamedTuple):
    """Requests of one operation while nothing changes.

    Attributes:
        operation: Name.
        rate: Requests a second.
        ok: Fraction that succeeds.
        errors: Kind -> fraction, sorted; together with `ok` they make 1. What a process served
            has the error texts for kinds, what a load generator sent has statuses.
        time: Time of the requests that succeed.
        failed_time: Time of those that fail.
        calls: What the operation calls for it, in the order of the program.
        rhythm: The rate modulation of the requests.
        chance: Where failures arise, the fraction of calls that fails; at 1 none of it is chance.
        statuses: Kind of error -> HTTP status, where that is not the one of its failures in general.
        by_calls: Process that was called (None where none was reached), the name by which the
            caller knows it, and the fraction of the requests that fails because such calls do.
    """

    operation: str
    rate: float
    ok: float
    errors: tuple[tuple[str, float], ...]
    time: Time
    failed_time: Time = Time()
    calls: tuple[CallFlow, ...] = ()
    rhythm: RateModulations = ()
    chance: float = 1.0
    statuses: tuple[tuple[str, int], ...] = ()
    by_calls: tuple[tuple[ContainerRef | None, str, float], ...] = ()

    def status(self, error: str, otherwise: int) -> int:
        """The HTTP status that an error is answered with."""
        return next((status for text, status in self.statuses if text == error), otherwise)

    @property
    def lost(self) -> float:
        """Fraction that fails."""
        return min(1.0, sum(share for _, share in self.errors))

    @property
    def rhythms(self) -> tuple[RateModulations, RateModulations]:
        """How unevenly requests come that succeed, and those that fail."""
        return by_outcome(self.rhythm, self.lost, self.chance)


class Load(NamedTuple):
    """How a process fares while nothing changes.

    Attributes:
        cpu: CPU seconds a second that it uses.
        throttled: Fraction of its CPU periods in which its limit stops it.
        in_flight: Requests that it works on or that wait for it.
        waiting: Requests among them that wait for a turn.
        dropped: Requests a second that are thrown away after waiting without success.
        memory_bytes: What requests in flight hold, and what others have left in a heap, beyond the memory at rest.
        pools: The connections that pools of clients hold to it.
        pooled: Requests a second that come through them.
        room: Connections that clients without pools can have; None for any number.
        threads: How many threads beside those of requests compute without rest.
        computed: CPU seconds a second that these use, of all.
        leaks: Bytes a second that requests take and never give back.
    """

    cpu: float = 0.0
    throttled: float = 0.0
    in_flight: float = 0.0
    waiting: float = 0.0
    dropped: float = 0.0
    memory_bytes: float = 0.0
    pools: tuple[Peer, ...] = ()
    pooled: float = 0.0
    room: int | None = None
    threads: float = 0.0
    computed: float = 0.0
    leaks: float = 0.0


class LineStream(NamedTuple):
    """Lines that requests make a process write.

    Attributes:
        operation: The operation.
        number: Which line of that operation.
        rate: Lines a second.
        line: The line.
        facts: What fills its `${names}`.
        event: The first of the lines that are written at the same moments, if it is not the first.
        good: Whether it is of requests that succeed.
    """

    operation: str
    number: int
    rate: float
    line: Line
    facts: tuple[tuple[str, str], ...]
    event: int | None = None
    good: bool = False


class Segment(NamedTuple):
    """What was in effect from a moment on, until the next segment begins.

    Attributes:
        start: Virtual second.
        flows: By operation, in the order of the program.
        lines: Lines that followed from it.
        seed: The world's seed at the time: a fork with another seed keeps what was written.
        load: How the process fared.
    """

    start: float
    flows: tuple[Flow, ...]
    lines: tuple[LineStream, ...] = ()
    seed: int = 0
    load: Load = Load()


class QueueSegment(NamedTuple):
    """A topic as a consumer group sees it, from a moment on until the next segment begins.

    In between a partition's lag grows by what comes less what is done with, and is never below 0.
    Without partitions: the topic has gone with its broker.

    Attributes:
        start: Virtual second.
        lag: Records not taken yet, for each partition.
        come: Records a second that arrive, for each partition.
        taken: Records a second that are tried.
        progress: Records a second that are done with.
        standing: Partitions that stand still before a record that cannot be read.
        takers: The members of the group and what they do with a record; the n-th has the n-th
            partition, and those that follow it by as many as there are members.
    """

    start: float
    lag: tuple[float, ...]
    come: tuple[float, ...]
    taken: tuple[float, ...]
    progress: tuple[float, ...]
    standing: tuple[int, ...] = ()
    takers: tuple[tuple[ContainerRef, str], ...] = ()

    @property
    def members(self) -> int:
        """Programs in the group."""
        return len(self.takers)

    def lag_at(self, partition: int, at: float) -> float:
        """The lag of a partition at a moment of this segment."""
        growth = self.come[partition] - self.progress[partition]
        return max(0.0, self.lag[partition] + growth * (at - self.start))


_IDLE = Load()


def segments(
    world: World, table: TableKey[ContainerRef, tuple[Segment, ...]], ref: ContainerRef
) -> tuple[Segment, ...]:
    """The segments of a process, oldest first."""
    found: tuple[Segment, ...] = world.table(table).get(ref, ())
    return found


def note(
    world: World,
    table: TableKey[ContainerRef, tuple[Segment, ...]],
    ref: ContainerRef,
    flows: tuple[Flow, ...],
    lines: tuple[LineStream, ...] = (),
    load: Load = _IDLE,
) -> bool:
    """Let flows be in effect from now on; whether they differ from those before."""
    known = segments(world, table, ref)
    if known and known[-1][1:3] == (flows, lines) and known[-1].load == load:
        return False
    if not known and not flows and not lines and not load.pools and not load.threads:
        return False
    if known and known[-1].start == world.now:
        known = known[:-1]
    world.table(table)[ref] = (*known, Segment(world.now, flows, lines, world.seed.value, load))
    return True


def note_queue(world: World, key: tuple[str, str, str], segment: QueueSegment) -> None:
    """Let what a group sees of a topic be in effect from now on."""
    known: tuple[QueueSegment, ...] = world.table(QUEUES).get(key, ())
    if known and known[-1][2:] == segment[2:] and _goes_on(known[-1], segment):
        return
    if known and known[-1].start == segment.start:
        known = known[:-1]
    world.table(QUEUES)[key] = (*known, segment)


def _goes_on(before: QueueSegment, now: QueueSegment) -> bool:
    """Whether as much waits as was to be expected; who empties a queue changes that at once."""
    return all(
        abs(before.lag_at(number, now.start) - lag) < _ONE_RECORD
        for number, lag in enumerate(now.lag)
    )


def queue_segments(world: World, key: tuple[str, str, str]) -> tuple[QueueSegment, ...]:
    """What a group saw of a topic, oldest first."""
    found: tuple[QueueSegment, ...] = world.table(QUEUES).get(key, ())
    return found
