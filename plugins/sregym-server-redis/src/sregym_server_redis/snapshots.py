"""What commands of clients ask of the server that they are sent to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sregym_cluster_embedded.sdk.servers import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import DiskProblem, Process, World

    from sregym_server_redis.program import RedisProgram


@runtime_checkable
class Snapshots(Protocol):
    """Who keeps snapshots of a server's data, and ends with one."""

    def shut_down(self, world: World, process: Process, program: RedisProgram) -> None:
        """End because a client says so."""

    def save_trouble(
        self, world: World, process: Process, program: RedisProgram
    ) -> DiskProblem | None:
        """What snapshots meet; None where there are none, or nothing is amiss."""


def snapshots(world: World, server: Process) -> Snapshots:
    """Those of a server."""
    kind = world.service(RUNTIME).kind_of(server)
    assert isinstance(kind, Snapshots)
    return kind
