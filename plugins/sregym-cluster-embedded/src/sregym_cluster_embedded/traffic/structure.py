"""Who calls whom, and how calls end by configuration: what stays while only numbers change.

A structure is built when something changes and then shared, by steps of time and by forks; nothing
in it is edited. What changes from second to second stands in `numbers.Numbers`, by the indices
that are given out here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.throttling import PERIOD_S

if TYPE_CHECKING:
    from sregym_apps.model import Client, Line, OnError, Poison

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.breaking import Breaker
    from sregym_cluster_embedded.traffic.heaps import Heap
    from sregym_cluster_embedded.traffic.searches import Search
    from sregym_cluster_embedded.userland.command_counts import Peer
    from sregym_cluster_embedded.userland.queues import OffsetReset
    from sregym_cluster_embedded.userland.wiring import Target


class CallRoute(NamedTuple):
    """One possible end of a call.

    Attributes:
        number: Its place among all ways.
        share: Fraction of the attempts.
        target: As the network has it.
        callee: Index of the operation that is reached; -1 when there is none.
        kind: How it fails when there is none.
        text: The caller's words for that.
        took_ms: How long that takes.
        transit: Time of packets there and back.
        lost: Fraction of attempts whose packets are lost until the timeout.
        opening: Index of the connections that its attempts need; -1 where there are enough.
        chance: As in `segments.Flow`.
        search: What a datastore looks for without success in all that it has; None by an index.
    """

    number: int
    share: float
    target: Target
    callee: int
    kind: str = ""
    text: str = ""
    took_ms: float = 0.0
    transit: Time = Time()
    lost: float = 0.0
    opening: int = -1
    chance: float = 1.0
    search: Search | None = None


class Opening(NamedTuple):
    """Connections that some calls need, and of which there may be too few.

    Attributes:
        key: Who opens them, and where to.
        kind: How a call fails that gets none.
        routes: (index of the site, its way) of the calls.
        text: What the server says to that, if it does.
        most: How many there are at once; None for any number.
        per_s: How many can be opened in a second.
    """

    key: tuple[object, ...]
    kind: str
    routes: list[tuple[int, CallRoute]]
    text: str = ""
    most: int | None = None
    per_s: float = math.inf


@dataclass(slots=True)
class CallSite:
    """A place in an operation from which a call is made.

    Attributes:
        index: Its place among all sites.
        name: Name of the client.
        client: The client, settings filled in.
        operation: As the call names it.
        collection: What a datastore's command is about.
        reaction: What a failure does.
        times: Calls for each time the place is reached.
        stage: Order within the operation.
        routes: Where attempts end.
        timeout_ms: Timeout of one attempt, in milliseconds.
        retries: Further attempts at most.
        retries_within_deadline: The same where each attempt times out, before the caller's caller gives up.
        pause_ms: Mean pause before a retry.
        straight: Index of the callee where there is but one, and nothing on the way to it; else -1.
        pooled: The same of a client with a pool of connections.
        breaker: Index of its circuit breaker; -1 without one.
        fails_as: Kind and words of whatever makes it fail; empty for those of the failure.
    """

    index: int
    name: str
    client: Client
    operation: str
    collection: str
    reaction: OnError
    times: float
    stage: int
    routes: tuple[CallRoute, ...]
    timeout_ms: float
    retries: int = 0
    retries_within_deadline: float = 0.0
    pause_ms: float = 0.0
    straight: int = -1
    pooled: int = -1
    breaker: int = -1
    fails_as: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if len(self.routes) == 1 and self.times == 1:
            route = self.routes[0]
            if not route.kind and not route.lost and not route.transit.mean_ms:
                if not self.client.pool:
                    self.straight = route.callee
                elif route.share == 1:
                    self.pooled = route.callee


class CallStep(NamedTuple):
    """A call made by a fraction of the requests."""

    site: CallSite
    share: float


class CacheLookup(NamedTuple):
    """A look into a cache, and what is done without an answer; `fill` is -1 for a warm cache."""

    look: CallStep
    hit_rate: float
    fill: int
    miss: tuple[Step, ...]


class ParallelCalls(NamedTuple):
    """Parts that are done at once."""

    parts: tuple[tuple[Step, ...], ...]


Step: TypeAlias = CallStep | CacheLookup | ParallelCalls


@dataclass(slots=True)
class Operation:
    """One operation of one process.

    Attributes:
        ref: The process.
        name: Its name; `*` for datastores.
        server: Index of the process among the servers.
        cpu_ms: CPU time per request.
        latency_ms: Other time of its own.
        jitter: Spread of its own time.
        steps: What it calls.
        sites: All places it calls from.
        log: Lines for each request that succeeds.
        deadline_ms: The longest deadline of its callers, in milliseconds.
        status: What an HTTP client gets when a request fails; 0 for other protocols.
        leaves_bytes: Memory that each request takes and never gives back.
    """

    ref: ContainerRef
    name: str
    server: int
    cpu_ms: float
    latency_ms: float
    jitter: float = 0.35
    steps: tuple[Step, ...] = ()
    sites: tuple[CallSite, ...] = ()
    log: tuple[Line, ...] = ()
    deadline_ms: float = 0.0
    status: int = 0
    leaves_bytes: float = 0.0


@dataclass(slots=True)
class Server:
    """One process and what it can take.

    Attributes:
        ref: The process.
        cores: Processors it can use at most for requests.
        limited: Whether a CPU limit says so.
        room: Processors that its container can use at most.
        node: Where it runs.
        weight: Its part of the processors where they do not suffice for all.
        threads: How many threads of its container compute without rest, besides.
        concurrency: Requests it works on at once; 0 for no limit of its own.
        rate: Requests that it begins in a second at most; 0 for no such limit.
        queue: Requests that may wait; None for as long as callers wait.
        heap: Its heap, where that is collected.
        request_bytes: Memory that a request in flight holds.
        operations: Indices of its operations.
        deadline_ms: The longest deadline of its callers, in milliseconds.
    """

    ref: ContainerRef
    cores: float
    limited: bool
    room: float
    node: str
    weight: int
    threads: float = 0.0
    concurrency: int = 0
    rate: float = 0.0
    queue: int | None = None
    heap: Heap | None = None
    request_bytes: float = 0.0
    operations: list[int] = field(default_factory=list)
    deadline_ms: float = 0.0

    def held_back_ms(self, cpu_ms: float) -> float:
        """How long a request stands still that needs more of a processor than a period allows."""
        quota_ms = PERIOD_S * 1000 * self.cores
        if not self.limited or self.cores >= 1 or cpu_ms <= quota_ms:
            return 0.0
        return (cpu_ms - quota_ms) * (1 / self.cores - 1)

    def slowed_ms(self, cpu_ms: float, share: float, turn_around_ms: float) -> float:
        """How much longer a request takes where others use the same processors.

        Args:
            cpu_ms: Work of it.
            share: Processors that are left to the server.
            turn_around_ms: Until those who compute without rest are put off for it.
        """
        alone = min(1.0, self.cores)
        return turn_around_ms + (cpu_ms * (alone / share - 1) if share < alone else 0.0)


def chance_ms(cpu_ms: float, cores: float, busy: float) -> float:
    """How long requests wait for each other, as Sakasegawa has it.

    Args:
        cpu_ms: Work of one of them.
        cores: Processors: the more there are, the later the queue grows.
        busy: Utilisation, below 1.
    """
    bend = math.sqrt(2 * (max(cores, 1.0) + 1)) - 1
    return cpu_ms / cores * float(busy**bend) / (1 - busy)


class Processors(NamedTuple):
    """The processors of a node.

    Attributes:
        cores: How many its pods have in all.
        servers: Indices of the servers that run there.
        weight: Of all of these.
        computes: Whether something there computes without rest.
    """

    cores: float
    servers: tuple[int, ...]
    weight: int
    computes: bool


class Fill(NamedTuple):
    """The keys that one kind of look has put into one life of a cache.

    Attributes:
        key: The life of the cache, since when it has kept what it has, and the place in the program
            that looks.
        keys: Different keys there are.
        sites: The places that look, one for each process of the program.
    """

    key: tuple[ContainerRef, float, str, str, int]
    keys: int
    sites: list[int]


class Consumer(NamedTuple):
    """A member of a consumer group.

    Attributes:
        operation: Index of what it does with a record.
        poison: What it does with a record that it cannot read.
    """

    operation: int
    poison: Poison


class Queue(NamedTuple):
    """A topic as one consumer group sees it.

    Attributes:
        key: Identity of the broker's storage, topic and group.
        first: Index of its first partition among all.
        partitions: How many there are.
        produced: (index of the site, share of its attempts) of what is sent to the topic.
        consumers: The members of the group, in the order of their start.
        odd: (partition, number) of the records that are no JSON.
        resets: How the group was set to other places of the topic.
    """

    key: tuple[str, str, str]
    first: int
    partitions: int
    produced: tuple[tuple[int, float], ...]
    consumers: tuple[Consumer, ...]
    odd: tuple[tuple[int, int], ...]
    resets: tuple[OffsetReset, ...]


class Destination(NamedTuple):
    """Where a request of a load generator ends.

    Attributes:
        share: Fraction of the requests.
        callee: Index of the operation; -1 when none is reached.
        status: What the generator calls a failure there.
        transit: Time of packets there and back; None when the way is clear.
        lost: Fraction whose packets are lost until the timeout.
        unknown: The host, where its name is not found.
        why: What is said of that then.
    """

    share: float
    callee: int
    status: str
    transit: Time | None
    lost: float
    unknown: str = ""
    why: str = ""


class Part(NamedTuple):
    """One kind of request of a load generator: its name, its part of the load, where it ends."""

    name: str
    weight: float
    ends: tuple[Destination, ...]


class Source(NamedTuple):
    """A load generator.

    Attributes:
        ref: The process.
        rate: Requests a second of an open loop.
        users: Users of a closed loop; 0 for an open one.
        think_s: Between an answer and the next request.
        timeout_s: Its timeout, in seconds.
        parts: What it sends.
    """

    ref: ContainerRef
    rate: float
    users: float
    think_s: float
    timeout_s: float
    parts: tuple[Part, ...]


@dataclass(slots=True)
class Structure:
    """All of it; callees stand before callers among the operations.

    `work` is what programs do by themselves: (index of the operation, how often a second); `pools`
    and `room` tell of servers what `segments.Load` does; `starved` are those without descriptors.
    """

    operations: list[Operation] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    nodes: list[Processors] = field(default_factory=list)
    sites: list[CallSite] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    queues: list[Queue] = field(default_factory=list)
    work: list[tuple[int, float]] = field(default_factory=list)
    openings: list[Opening] = field(default_factory=list)
    breakers: list[Breaker] = field(default_factory=list)
    pools: dict[ContainerRef, tuple[Peer, ...]] = field(default_factory=dict)
    room: dict[ContainerRef, int] = field(default_factory=dict)
    starved: dict[ContainerRef, Line] = field(default_factory=dict)
    partitions: int = 0
    routes: int = 0

    def __repr__(self) -> str:
        return f"Structure of {len(self.operations)} operations"
