"""Sentinels as a set: they look after each other, and the one that most of them elect leads failovers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.replication import Electing, Member, MemberSet

from sregym_server_redis.sentinel_state import identity, keep, number, watched

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

_PING_S = 1.0


class SentinelSet(Electing):
    """Those that watch the same master; they have no data, so that any of them may lead."""

    protocol = "keyvalue"

    def member_set(self, world: World, process: Process) -> MemberSet | None:
        """Itself and the Sentinels that it knows."""
        given = watched(world, process)
        if given is None:
            return None
        own = (identity(process), f"{process.config.pod_ip}:{process.settings['redis.port']}")
        members = tuple(Member(number(name), place) for name, place in (own, *given.sentinels))
        return MemberSet(given.name, members, given.version, _PING_S, given.down_after_s)

    def set_name(self, process: Process) -> str:
        """That of its master, as its configuration file was read."""
        return process.settings.get("redis.sentinel-master", "")

    def storage(self, process: Process) -> str:
        """That of its configuration file."""
        return process.settings["redis.sentinel"]

    def adopt(self, world: World, process: Process, given: MemberSet) -> None:
        """Count on from the newer version; what belongs to it Sentinels find out by themselves."""
        own = watched(world, process)
        if own is not None:
            keep(world, process, own._replace(version=given.version))

    def copy(self, world: World, process: Process, source: Process, until: float) -> None:
        """There is nothing to copy."""


SET = SentinelSet()
