"""How many connections a MySQL server takes: from all, and from those of one user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.servers import ConnectionLimit, Refusal, connected, locks

from sregym_server_sql.data import load
from sregym_server_sql.mysql_errors import MysqlError
from sregym_server_sql.mysql_variables import in_effect

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Process, World

_FULL = MysqlError(1040, "HY000", "Too many connections")
# Path in the data directory -> bytes.
MYSQL_FILES = {
    "auto.cnf": 56, "binlog.000001": 157, "binlog.index": 16, "ca-key.pem": 1680, "ca.pem": 1112,
    "ib_buffer_pool": 3621, "ibdata1": 12_582_912, "ibtmp1": 12_582_912, "mysql.ibd": 27_262_976,
    "undo_001": 16_777_216, "undo_002": 16_777_216, "mysql/general_log.CSV": 0,
    "performance_schema/accounts_145.sdi": 1391, "sys/sys_config.ibd": 114_688,
}  # fmt: skip


def _limits(world: World, server: Process, user: str) -> list[tuple[int, str | None, MysqlError]]:
    """What holds for those who log in as a user: how many, whose, and what is said beyond that."""
    data = load(world, server.settings["sql.storage"])
    account = data.accounts.get(user)
    if account is None:
        return []
    own = [lock.user for lock in locks(world, server.ref)]
    # One more than all is for who administers.
    most = int(in_effect(server.settings, data.settings, "max_connections")) + account.superuser
    found: list[tuple[int, str | None, MysqlError]] = [(max(0, most - len(own)), None, _FULL)]
    each = int(in_effect(server.settings, data.settings, "max_user_connections"))
    if account.limit > 0:
        each = account.limit
        text = f"User '{user}' has exceeded the 'max_user_connections' resource (current value: {each})"
        found.insert(0, (max(0, each - own.count(user)), user, MysqlError(1226, "42000", text)))
    elif each:
        text = f"User {user} already has more than 'max_user_connections' active connections"
        found.insert(0, (max(0, each - own.count(user)), user, MysqlError(1203, "42000", text)))
    return found


def connection_limits(world: World, server: Process, user: str) -> tuple[ConnectionLimit, ...]:
    """What holds for the connections of programs that log in as a user."""
    return tuple(
        ConnectionLimit(most, f"Error {error.number} ({error.state}): {error}", whose)
        for most, whose, error in _limits(world, server, user)
    )


def require_connection_slot(world: World, server: Process, user: str) -> None:
    """Refuse a session for which there is no connection left; sessions of people count.

    Raises:
        MysqlError: With the server's error text.
    """
    held: list[str] | None = None
    limits = [*_limits(world, server, user)]
    least = min((most for most, _, _ in limits if most), default=0)
    for most, whose, error in limits:
        if most and held is None:
            held = [peer.user for peer in connected(world, server.ref, least)]
        taken = len(held or ()) if whose is None else (held or []).count(whose)
        if taken >= most:
            raise error


def no_slot(world: World, server: Process, user: str) -> Refusal | None:
    """Why a program gets no connection; None when it gets one."""
    try:
        require_connection_slot(world, server, user)
    except MysqlError as error:
        return Refusal("auth", f"Error {error.number} ({error.state}): {error}")
    return None
