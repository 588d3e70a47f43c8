"""What sessions of PostgreSQL ask of the server that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sregym_cluster_embedded.sdk.servers import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World


@runtime_checkable
class SessionLog(Protocol):
    """Who writes of sessions into the server's log."""

    def turned_away(
        self, world: World, process: Process, text: str, why: str, by_rule: bool
    ) -> None:
        """A client was not let in."""

    def failed(self, world: World, process: Process, text: str, statement: str) -> None:
        """A statement of a session failed."""


def session_log(world: World, server: Process) -> SessionLog:
    """That of a server."""
    kind = world.room(RUNTIME).kind_of(server)
    assert isinstance(kind, SessionLog)
    return kind
