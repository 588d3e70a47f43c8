"""How many connections a PostgreSQL server takes: from all, and from those of one role."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import ConnectionLimit, connected, locks

from sregym_server_sql.data import load
from sregym_server_sql.postgres_settings import in_effect

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_sql.postgres_server import PostgresConnection

# The release since which a role may be allowed to take what is reserved.
_RESERVED_BY_ATTRIBUTE = 16
_HEAD = "failed to connect: FATAL: "


def connection_limits(world: World, server: Process, user: str) -> tuple[ConnectionLimit, ...]:
    """What holds for those who log in as a role; sessions of people count."""
    data = load(world, server.settings["sql.storage"])
    account = data.accounts.get(user)
    if account is None:
        return ()
    own = [lock.user for lock in locks(world, server.ref)]
    most = int(in_effect(server.settings, data.settings, "max_connections")) - len(own)
    if account.superuser:
        return (ConnectionLimit(most, f"{_HEAD}sorry, too many clients already"),)
    most -= int(in_effect(server.settings, data.settings, "superuser_reserved_connections"))
    found = [ConnectionLimit(max(0, most), f"{_HEAD}{_reserved(server)}")]
    if account.limit >= 0:
        left = max(0, account.limit - own.count(user))
        text = f'{_HEAD}too many connections for role "{user}"'
        found.insert(0, ConnectionLimit(left, text, user))
    return tuple(found)


def require_connection_slot(connection: PostgresConnection) -> None:
    """Refuse a session for which there is no connection left.

    Raises:
        PostgresError: With the server's error text.
    """
    limits = connection_limits(connection.world, connection.server, connection.user)
    held: list[str] | None = None
    for limit in limits:
        if limit.most and held is None:
            least = min(one.most for one in limits if one.most)
            peers = connected(connection.world, connection.server.ref, least)
            held = [peer.user for peer in peers]
        taken = len(held or ()) if limit.user is None else (held or []).count(limit.user)
        if taken >= limit.most:
            raise connection.turned_away(limit.text.removeprefix(_HEAD))


def _reserved(server: Process) -> str:
    major = server.settings.get("sql.version", "").partition(".")[0]
    if major.isdecimal() and int(major) >= _RESERVED_BY_ATTRIBUTE:
        return "remaining connection slots are reserved for roles with the SUPERUSER attribute"
    return "remaining connection slots are reserved for non-replication superuser connections"
