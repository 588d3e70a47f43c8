"""What a Sentinel knows: of the master that it watches, of replicas and other Sentinels, and what it sees."""

from __future__ import annotations

from hashlib import sha1
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import ContainerRef, Process, World

# A number of a member of a set is so many digits of its identity.
_DIGITS = 7


class Watched(NamedTuple):
    """The master of a Sentinel as its configuration file has it, which it rewrites at each change.

    Attributes:
        name: Of the master.
        place: `host port` of the server that leads.
        quorum: So many Sentinels must find it down.
        down_after_s: For how long it must not have answered for that.
        timeout_s: `failover-timeout`.
        epoch: Of the failover by which it leads; 0: none yet.
        replicas: `host port` of those that follow it, or did.
        sentinels: Identity of each other Sentinel, with its `host:port`.
        version: Grows with each change.
    """

    name: str
    place: str
    quorum: int
    down_after_s: float = 30.0
    timeout_s: float = 180.0
    epoch: int = 0
    replicas: tuple[str, ...] = ()
    sentinels: tuple[tuple[str, str], ...] = ()
    version: int = 1

    def changed(self, **fields: object) -> Watched:
        """The same with other fields, as a newer version."""
        return self._replace(**fields, version=self.version + 1)  # type: ignore[arg-type]  # by field name


def with_option(given: Watched, name: str, value: str) -> Watched:
    """With an option as `sentinel NAME MASTER VALUE` sets it; those without effect are taken as they are.

    Raises:
        ValueError: The value is no number of at least 1.
    """
    if name not in ("quorum", "down-after-milliseconds", "failover-timeout"):
        return given
    if not value.isdecimal() or int(value) < 1:
        raise ValueError(value)
    if name == "quorum":
        return given._replace(quorum=int(value))
    seconds = int(value) / 1000
    if name == "failover-timeout":
        return given._replace(timeout_s=seconds)
    return given._replace(down_after_s=seconds)


class SentinelView(NamedTuple):
    """What a running Sentinel sees.

    Attributes:
        missed: Place of each server that is not as it should be -> since when.
        wrong: Place of each replica that follows another, or none -> since when.
        down: Places that it holds for down (`+sdown`).
        agreed: Whether a quorum of Sentinels holds the master for down (`+odown`).
        tried: When it last began a failover; negative: never.
        due: Virtual second of its next look.
    """

    missed: Mapping[str, float] = MappingProxyType({})
    wrong: Mapping[str, float] = MappingProxyType({})
    down: frozenset[str] = frozenset()
    agreed: bool = False
    tried: float = -1.0
    due: float = -1.0


# By the identity of the folder of its configuration file.
_WATCHED: TableKey[str, Watched] = TableKey("userland.redis-sentinel")
SIGHTS: TableKey[ContainerRef, SentinelView] = TableKey("redis.sentinel-sights")
# By server: who has said hello there: identity of the Sentinel -> its process and its `host:port`.
HELLOS: TableKey[ContainerRef, Mapping[str, tuple[ContainerRef, str]]] = TableKey(
    "redis.sentinel-hellos"
)


def watched(world: World, process: Process) -> Watched | None:
    """What a Sentinel keeps of its master; None for one that watches no master, and for other servers."""
    storage = process.settings.get("redis.sentinel")
    return None if storage is None else world.table(_WATCHED).get(storage)


def keep(world: World, process: Process, given: Watched) -> None:
    """Let a Sentinel rewrite its configuration file."""
    world.table(_WATCHED)[process.settings["redis.sentinel"]] = given


def identity(process: Process) -> str:
    """`myid`: drawn when its configuration file was new."""
    text = f"sentinel {process.settings['redis.sentinel']}"
    return sha1(text.encode(), usedforsecurity=False).hexdigest()


def number(name: str) -> int:
    """The number of a Sentinel in its set, by its identity."""
    return int(name[:_DIGITS], 16)


def describe(given: Watched) -> str:
    """What lasts of it besides who leads at present, which failovers change by themselves."""
    return f"{given.name} quorum {given.quorum} down-after {given.down_after_s} timeout {given.timeout_s}"
