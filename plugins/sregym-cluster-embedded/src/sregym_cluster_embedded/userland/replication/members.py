"""Sets of servers: how they are configured, what a member knows of itself and of the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.replication.changes import Progress
from sregym_cluster_embedded.userland.replication.sleeping import asleep, rouse

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.network.outcomes import Path
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class Role(StrEnum):
    """What a member is."""

    STARTUP = "startup"
    SYNCING = "syncing"
    PRIMARY = "primary"
    SECONDARY = "secondary"
    ARBITER = "arbiter"
    REMOVED = "removed"


class Member(NamedTuple):
    """A member as the configuration of its set has it.

    Attributes:
        number: Its own number, which it keeps.
        host: `host:port` by which the others and drivers reach it.
        priority: Who has a higher one leads where it can; who has 0 never does.
        votes: 0 or 1.
        delay_s: How old changes must be before it applies them.
        hidden: Whether drivers are not told of it.
        arbiter: Whether it keeps no data, and only votes.
    """

    number: int
    host: str
    priority: float = 1.0
    votes: int = 1
    delay_s: float = 0.0
    hidden: bool = False
    arbiter: bool = False


class MemberSet(NamedTuple):
    """The configuration of a set.

    Attributes:
        name: By which its members know that they belong together.
        members: All of them.
        version: Grows with each change.
        heartbeat_s: Seconds between two heartbeats.
        patience_s: How long a missing primary, or a missing majority, is borne.
        uid: Drawn when the set was made.
    """

    name: str
    members: tuple[Member, ...]
    version: int = 1
    heartbeat_s: float = 2.0
    patience_s: float = 10.0
    uid: str = ""


class MemberView(NamedTuple):
    """What a member knows of another.

    Attributes:
        number: Of the other.
        ref: Its process while it answers; None while it does not.
        since: Virtual second since which that is so.
        heard: Virtual second of its last answer; negative: none yet.
        kind: The kind of failure, as of any connection; empty while it answers.
        path: The way there; None when it is clear.
    """

    number: int
    ref: ContainerRef | None
    since: float
    heard: float = -1.0
    kind: str = ""
    path: Path | None = None


class Standing(NamedTuple):
    """What a running member knows of itself.

    Attributes:
        role: What it is.
        since: Virtual second since which it is that.
        number: Which of the members it is; None while it finds itself in no configuration.
        placed_by: Version of the configuration in which it found itself.
        term: The number of the last election that it knows of.
        progress: How far its data is; that of a primary is never behind.
        data_term: The election after which its newest changes were made.
        sights: Of the others, by number.
        alone_since: Since when it has missed a primary, or as a primary a majority; negative: it
            does not.
        elected: Virtual second at which it was elected; negative: it was not.
        inherited: How far its data was when it was elected.
        barred_until: Before then it does not stand for election.
        beats_at: Virtual second of its next heartbeat.
        late: How far behind it is, in steps that others notice; 0: not at all.
    """

    role: Role
    since: float
    number: int | None = None
    term: int = 0
    progress: Progress = Progress(-1.0, 0.0)
    data_term: int = 0
    sights: tuple[MemberView, ...] = ()
    alone_since: float = -1.0
    elected: float = -1.0
    inherited: float = -1.0
    barred_until: float = -1.0
    beats_at: float = -1.0
    late: int = 0
    placed_by: int = 0


STANDINGS: TableKey[ContainerRef, Standing] = TableKey("userland.replication-standings")
# What a data directory keeps over restarts: term, term of its data, and how far that is.
LASTING: TableKey[str, tuple[int, int, float]] = TableKey("userland.replication-lasting")


class Electing(ABC):
    """What a kind of server says so that its servers form sets; instances keep nothing.

    Attributes:
        protocol: What its members speak with each other.
    """

    protocol: str

    @abstractmethod
    def member_set(self, world: World, process: Process) -> MemberSet | None:
        """The configuration that a process has; None while it has none."""

    @abstractmethod
    def set_name(self, process: Process) -> str:
        """The name of the set that a process was started for; empty where it stands alone."""

    @abstractmethod
    def storage(self, process: Process) -> str:
        """The identity of its data directory."""

    @abstractmethod
    def adopt(self, world: World, process: Process, given: MemberSet) -> None:
        """Keep a configuration that another member has handed over."""

    @abstractmethod
    def copy(self, world: World, process: Process, source: Process, until: float) -> None:
        """Take over what the source held at a virtual second."""

    def stopped(self, world: World, process: Process) -> bool:
        """Whether a secondary does not apply changes at present."""
        return False

    def tell(self, world: World, process: Process, what: str, facts: dict[str, Any]) -> None:  # noqa: B027 - who keeps no log says nothing
        """Write in its log what has happened.

        Args:
            world: The cluster.
            process: The process of the log.
            what: `role` (`old`, `new`), `standing`, `elected` (`term`), `unelected`, `alone`, `deposed`
                (`term`), `lost` (`host`, `kind`), `found` (`host`, `role`), `rolled-back`.
            facts: What belongs to it.
        """


def standing_of(world: World, ref: ContainerRef) -> Standing | None:
    """What a running member knows of itself; None for servers that stand alone."""
    return world.table(STANDINGS).get(ref)


def member_of(given: MemberSet, number: int | None) -> Member:
    """The member of a number that is in the configuration."""
    return next(member for member in given.members if member.number == number)


def majority(given: MemberSet) -> int:
    """How many votes make a primary."""
    return sum(member.votes for member in given.members) // 2 + 1


def applied(world: World, ref: ContainerRef, own: Standing) -> float:
    """Up to which virtual second a member has the changes of its set."""
    if asleep(world, ref):
        return own.progress.applied + (world.now - own.progress.looked)
    return own.progress.applied


def last_heartbeat(world: World, ref: ContainerRef, sight: MemberView) -> float:
    """When a member has last heard of another; negative: never."""
    return world.now if sight.ref is not None and asleep(world, ref) else sight.heard


def leave(world: World, process: Process, electing: Electing) -> None:
    """A member has ended: what its data directory keeps."""
    own = standing_of(world, process.ref)
    if own is not None:
        kept = (own.term, own.data_term, applied(world, process.ref, own))
        world.table(LASTING)[electing.storage(process)] = kept
        rouse(world, process.ref)


def freeze(world: World, process: Process, seconds: float) -> None:
    """Keep a member from standing for election for some time; 0 seconds let it again."""
    own = standing_of(world, process.ref)
    if own is not None:
        world.table(STANDINGS)[process.ref] = own._replace(barred_until=world.now + seconds)
