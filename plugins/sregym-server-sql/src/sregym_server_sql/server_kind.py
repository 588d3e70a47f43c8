"""What sessions ask of the kind of server that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from sregym_cluster_embedded.sdk.servers import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_sql.mysql_errors import MysqlError
    from sregym_server_sql.server_log import LogEntry


@runtime_checkable
class SessionLog(Protocol):
    """Who writes of sessions into the server's log."""

    def turned_away(
        self, world: World, process: Process, text: str, why: str, by_rule: bool
    ) -> None:
        """A client was not let in."""

    def failed(self, world: World, process: Process, text: str, statement: str) -> None:
        """A statement of a session failed."""

    def tell(self, world: World, process: Process, program: Any, said: Sequence[LogEntry]) -> None:
        """Write lines of now."""


def session_log(world: World, server: Process) -> SessionLog:
    """That of a server."""
    kind = world.service(RUNTIME).kind_of(server)
    assert isinstance(kind, SessionLog)
    return kind


@runtime_checkable
class RemoteTables(Protocol):
    """Who keeps its tables on other servers, which may be away."""

    def failure(self, world: World, process: Process) -> MysqlError | None:
        """Why nothing can be read or written now; None when it can."""


def demand_tables(world: World, server: Process) -> None:
    """Refuse a statement of a session while the tables of its server are away.

    Raises:
        MysqlError: With the server's error text.
    """
    kind = world.service(RUNTIME).kind_of(server)
    error = kind.failure(world, server) if isinstance(kind, RemoteTables) else None
    if error is not None:
        raise error
