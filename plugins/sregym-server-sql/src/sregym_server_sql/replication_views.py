"""What PostgreSQL shows of replication, and the functions by which it is steered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.replication import asleep, rouse

from sregym_server_sql.engine import Result, SqlError
from sregym_server_sql.server_kind import session_log
from sregym_server_sql.standby import (
    STREAMS,
    applied,
    connection_info,
    data_of,
    end_of,
    lsn,
    named,
    promote,
    standbys_of,
    stream_of,
    synchronous,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_server_sql.postgres_server import PostgresConnection

# Until the answer of a standby is there that is not behind.
_AT_ONCE = "00:00:00.000614"
_REPLICATION = (
    "pid usesysid usename application_name client_addr client_hostname client_port backend_start "
    "backend_xmin state sent_lsn write_lsn flush_lsn replay_lsn write_lag flush_lag replay_lag "
    "sync_priority sync_state reply_time"
)
_RECEIVER = (
    "pid status receive_start_lsn receive_start_tli written_lsn flushed_lsn received_tli "
    "last_msg_send_time last_msg_receipt_time latest_end_lsn latest_end_time slot_name sender_host "
    "sender_port conninfo"
)


def _interval(seconds: float) -> str:
    if seconds <= 0:
        return _AT_ONCE
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{int((seconds - whole) * 1e6):06}"


def replication(client: PostgresConnection) -> Result:
    """`pg_stat_replication`: those that stream from this server."""
    world, server = client.world, client.server
    how, wanted, names = synchronous(server, client.data)
    rows, counted = [], 0
    for number, (standby, stream) in enumerate(standbys_of(world, server.ref)):
        theirs = data_of(world, standby)
        name, user = (
            named(standby, theirs),
            connection_info(standby, theirs).get("user", "postgres"),
        )
        reached, newest = applied(world, standby), end_of(world, server)
        behind = max(0.0, newest - reached - 1.0)
        counted += (listed := "*" in names or name in names)
        sync = _sync_state(how, counted <= wanted) if listed else "async"
        sent = lsn(newest)
        replayed = sent if behind <= 1.0 else lsn(reached)
        rows.append((
            70 + number, 10, user, name, standby.config.pod_ip, None, 40_000 + 2 * number,
            client.instant(stream.since), None, "streaming", sent, sent, sent, replayed,
            _AT_ONCE, _AT_ONCE, _interval(behind if behind > 1.0 else 0.0), _priority(how, name, names) if listed else 0, sync,
            client.now(),
        ))  # fmt: skip
    return Result(tuple(_REPLICATION.split()), tuple(rows), 0, "select")


def _sync_state(how: str, first: bool) -> str:
    """What those that are counted are to commits: any of a quorum, of the first ones, or in reserve."""
    if how == "any":
        return "quorum"
    return "sync" if first else "potential"


def _priority(how: str, name: str, names: tuple[str, ...]) -> int:
    return 1 if how == "any" or name not in names else names.index(name) + 1


def receiver(client: PostgresConnection) -> Result:
    """`pg_stat_wal_receiver`: whom this server streams from."""
    stream = stream_of(client.world, client.server.ref)
    rows: list[tuple[Any, ...]] = []
    if stream is not None and stream.source is not None:
        info = connection_info(client.server, client.data)
        sent, line = lsn(client.world.now), client.data.timeline
        rows.append((
            88, "streaming", lsn(stream.since), line, sent, sent, line, client.now(), client.now(), sent,
            client.now(), None, info.get("host", ""), int(info.get("port", "5432")),
            f"user={info.get('user', '')} password=******** host={info.get('host', '')}",
        ))  # fmt: skip
    return Result(tuple(_RECEIVER.split()), tuple(rows), 0, "select")


def replication_functions(
    client: PostgresConnection,
) -> Mapping[str, tuple[int, Callable[..., Any]]]:
    """Functions about recovery and the place in the log."""
    world, server = client.world, client.server

    def in_recovery() -> bool:
        return data_of(world, server).standby

    def demand(standby: bool) -> None:
        if in_recovery() is standby:
            return
        text = "recovery is not in progress" if standby else "recovery is in progress"
        client.failure = SqlError("own", "", text)
        raise client.failure

    def promoted(*_: object) -> bool:
        demand(True)
        session_log(world, server).tell(world, server, server.behaviour, promote(world, server))
        return True

    def pause(value: bool) -> Callable[[], str]:
        def of() -> str:
            demand(True)
            stream = stream_of(world, server.ref)
            if stream is not None:
                progress = stream.progress._replace(
                    applied=applied(world, server), looked=world.now
                )
                stream = stream._replace(paused=value, progress=progress)
                world.table(STREAMS)[server.ref] = stream
                if asleep(world, server.ref):
                    rouse(world, server.ref)
                    world.after(0.0, "userland.event", server.ref, "stream")
            return ""

        return of

    def paused() -> bool:
        demand(True)
        stream = stream_of(world, server.ref)
        return stream is not None and stream.paused

    def replayed() -> str | None:
        stream = stream_of(world, server.ref)
        return None if stream is None else lsn(applied(world, server))

    def received() -> str | None:
        stream = stream_of(world, server.ref)
        if stream is None:
            return None
        return lsn(world.now if stream.source is not None else stream.since)

    def present() -> str:
        demand(False)
        return lsn(world.now)

    def last_replayed() -> str | None:
        stream = stream_of(world, server.ref)
        return None if stream is None else client.instant(applied(world, server))

    return {
        "pg_is_in_recovery": (0, in_recovery),
        "pg_promote": (-1, promoted), "pg_wal_replay_pause": (0, pause(True)),
        "pg_wal_replay_resume": (0, pause(False)), "pg_is_wal_replay_paused": (0, paused),
        "pg_last_wal_replay_lsn": (0, replayed), "pg_last_wal_receive_lsn": (0, received),
        "pg_current_wal_lsn": (0, present), "pg_last_xact_replay_timestamp": (0, last_replayed),
        "pg_wal_lsn_diff": (2, lambda one, other: _place(one) - _place(other)),
    }  # fmt: skip


def _place(text: object) -> int:
    high, _, low = str(text).partition("/")
    return (int(high, 16) << 32) + int(low, 16)
