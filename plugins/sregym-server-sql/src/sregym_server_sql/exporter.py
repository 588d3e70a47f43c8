"""What exporters say of MySQL and PostgreSQL servers."""

from __future__ import annotations

from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import (
    FAILED,
    Figure,
    Measure,
    Row,
    Said,
    Saying,
    Store,
    StoreExporter,
    by,
    by_command,
    counter,
    counters,
    gauge,
    gauges,
    received,
    sent,
    total,
)

from sregym_server_sql.lag_views import Followed, Following, Replicating, noted
from sregym_server_sql.standby import LSN, LSN_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.sdk.exporters import Value

    from sregym_server_sql.lag_views import Receiver, Standing

_MIB = 1024.0 * 1024.0
_STATUS, _VARIABLE = "Generic metric from SHOW GLOBAL STATUS.", "Generic gauge metric from SHOW GLOBAL VARIABLES."  # fmt: skip
_SLAVE = "Generic metric from SHOW SLAVE STATUS."
# What counts as slow in MySQL without a setting.
_SLOW_MS = 10_000.0
_WORDS = MappingProxyType({
    "find": "select", "get": "select", "query": "select", "count": "select", "insertOne": "insert",
    "set": "update", "updateOne": "update", "deleteOne": "delete",
})  # fmt: skip
_SELECTS = ("find", "get", "query", "select", "count", "aggregate")


def _running(store: Store) -> Value:
    busy = store.load(lambda part: part.load.in_flight)
    # The session of the exporter runs, too.
    return lambda seconds: busy(seconds) + 1


def _active(store: Store) -> Value:
    return store.load(lambda part: part.load.in_flight)


def _idle(store: Store) -> Value:
    callers, busy = store.callers, store.load(lambda part: part.load.in_flight)
    return lambda seconds: (callers(seconds) - busy(seconds)).clip(min=0.0)


def _mysql_version(store: Store) -> Said:
    version = store.version
    comment = "MySQL Community Server - GPL"
    yield (
        (
            ("innodb_version", version),
            ("version", version),
            ("version_comment", comment),
        ),
        1.0,
    )


def _replica(figure: Callable[[Replicating], Value | None]) -> Saying:
    """What a replica says of its source; nothing where SHOW REPLICA STATUS shows NULL, or no row."""

    def said(store: Store) -> Said:
        for view, then in noted(store.instance.process, Replicating):
            value = figure(view) if view.host else None
            if value is not None:
                labels = (
                    ("channel_name", ""), ("connection_name", ""), ("master_host", view.host), ("master_uuid", ""),
                )  # fmt: skip
                yield Row(labels, value, view.at, then)

    return said


def _seconds_behind(view: Replicating) -> Value | None:
    return view.standing.behind_s if view.sql and view.io == "Yes" else None


def _read_only(store: Store) -> float:
    settings = store.instance.process.settings
    asked = (settings.get(f"sql.{name}", "") for name in ("read_only", "super_read_only"))
    return float(any(value.upper() in ("ON", "1") for value in asked))


def _setting(name: str, default: float) -> Figure:
    return lambda store: store.setting(f"sql.{name}", default)


MYSQL: tuple[Measure, ...] = (
    gauges("mysql_version_info", "MySQL version and distribution.", _mysql_version),
    counter("mysql_global_status_queries", _STATUS, total()),
    counter("mysql_global_status_questions", _STATUS, total()),
    counters("mysql_global_status_commands_total", "Total number of executed MySQL commands.", by_command("command", _WORDS, "delete", "insert", "select", "update")),
    counter("mysql_global_status_slow_queries", _STATUS, lambda store: store.slow(_SLOW_MS)),
    gauge("mysql_global_status_threads_connected", _STATUS, lambda store: store.callers),
    gauge("mysql_global_status_threads_running", _STATUS, _running),
    gauge("mysql_global_status_max_used_connections", _STATUS, Store.most_callers),
    counter("mysql_global_status_connections", _STATUS, Store.connected),
    counter("mysql_global_status_aborted_connects", _STATUS, total(outcome=FAILED)),
    counter("mysql_global_status_aborted_clients", _STATUS, 0.0),
    counters("mysql_global_status_connection_errors_total", "Total number of MySQL connection errors.", by("error", {"accept": 0.0, "internal": 0.0, "max_connections": 0.0, "peer_address": 0.0, "select": 0.0, "tcpwrap": 0.0})),
    counter("mysql_global_status_uptime", _STATUS, Store.uptime),
    counter("mysql_global_status_bytes_received", _STATUS, received),
    counter("mysql_global_status_bytes_sent", _STATUS, sent),
    gauge("mysql_global_variables_max_connections", _VARIABLE, _setting("max_connections", 151.0)),
    gauge("mysql_global_variables_innodb_buffer_pool_size", _VARIABLE, _setting("innodb_buffer_pool_size", 128 * _MIB)),
    gauge("mysql_global_variables_long_query_time", _VARIABLE, 10.0),
    gauge("mysql_global_variables_read_only", _VARIABLE, _read_only),
    gauge("mysql_global_variables_thread_cache_size", _VARIABLE, 9.0),
    gauge("mysql_global_variables_table_open_cache", _VARIABLE, 4000.0),
    gauges("mysql_slave_status_seconds_behind_master", _SLAVE, _replica(_seconds_behind)),
    gauges("mysql_slave_status_slave_io_running", _SLAVE, _replica(lambda view: float(view.io == "Yes"))),
    gauges("mysql_slave_status_slave_sql_running", _SLAVE, _replica(lambda view: float(view.sql))),
    gauges("mysql_slave_status_sql_delay", _SLAVE, _replica(lambda view: view.delay_s)),
)  # fmt: skip


def _of_database(of: Figure | float) -> Saying:
    return by("datname", {"postgres": of})


def _activity(store: Store) -> Said:
    figures: dict[str, Figure | float] = {
        "active": _active, "disabled": 0.0, "fastpath function call": 0.0, "idle": _idle,
        "idle in transaction": 0.0, "idle in transaction (aborted)": 0.0,
    }  # fmt: skip
    for state, of in figures.items():
        labels = (("datname", "postgres"), ("state", state))
        yield labels, of(store) if callable(of) else of


def _postgres_version(store: Store) -> Said:
    version = store.version
    yield (("short_version", f"{version}.0"), ("version", f"PostgreSQL {version}")), 1.0


def _committed(store: Store) -> Value:
    everything, refused = store.total(), store.total(FAILED)
    assert not isinstance(everything, float)
    assert not isinstance(refused, float)
    return lambda seconds: everything(seconds) - refused(seconds)


def _own(figure: Callable[[Following], Value]) -> Saying:
    """What a server says of whether, and how far, it follows another."""

    def said(store: Store) -> Said:
        until = inf
        for place, (view, then) in enumerate(noted(store.instance.process, Following)):
            until = view.at if place == 0 else until
            yield Row((), figure(view), view.at, then)
        yield Row((), 0.0, -inf, until)

    return said


def _lag(view: Following) -> Value:
    return _behind(view.standing) if view.follows else 0.0


def _behind(standing: Standing) -> Value:
    if standing.stuck_at < 0:
        return standing.behind_s
    return lambda seconds: seconds - standing.stuck_at


def _replayed(view: Following) -> Value:
    """A standby to which nothing is sent is no further behind than before, but what it has grows old."""
    if not view.follows or view.streams or view.standing.stuck_at >= 0:
        return _lag(view)
    return lambda seconds: seconds - view.at


def _receivers(figure: Callable[[Receiver], Value]) -> Saying:
    """One series for each standby that streams from a server, for as long as it does."""

    def said(store: Store) -> Said:
        for view, then in noted(store.instance.process, Followed):
            for one in view.receivers:
                # The exporter puts the first column, the process, where it finds no name of a slot.
                labels = (
                    ("application_name", one.name), ("client_addr", one.address),
                    ("slot_name", str(one.pid)), ("state", "streaming"),
                )  # fmt: skip
                yield Row(labels, figure(one), view.at, then)

    return said


def _written(_: Receiver) -> Value:
    return lambda seconds: LSN + seconds * LSN_S // 1


def _unapplied(one: Receiver) -> Value:
    behind = _behind(one.standing)
    if callable(behind):
        return lambda seconds: behind(seconds) * LSN_S // 1
    return behind * LSN_S // 1


_DATABASE = "pg_stat_database_"
POSTGRES: tuple[Measure, ...] = (
    gauges("pg_static", "Version string as reported by postgres", _postgres_version),
    gauges("pg_stat_activity_count", "number of connections in this state", _activity),
    gauges(f"{_DATABASE}numbackends", "Number of backends currently connected to this database.", _of_database(lambda store: store.callers)),
    counters(f"{_DATABASE}xact_commit", "Number of transactions in this database that have been committed", _of_database(_committed)),
    counters(f"{_DATABASE}xact_rollback", "Number of transactions in this database that have been rolled back", _of_database(total(outcome=FAILED))),
    counters(f"{_DATABASE}tup_fetched", "Number of rows fetched by queries in this database", _of_database(total(*_SELECTS))),
    counters(f"{_DATABASE}tup_inserted", "Number of rows inserted by queries in this database", _of_database(total("insert", "insertOne"))),
    counters(f"{_DATABASE}tup_updated", "Number of rows updated by queries in this database", _of_database(total("update", "updateOne", "set"))),
    counters(f"{_DATABASE}tup_deleted", "Number of rows deleted by queries in this database", _of_database(total("delete", "deleteOne"))),
    counters(f"{_DATABASE}conflicts", "Number of queries canceled due to conflicts with recovery in this database.", _of_database(0.0)),
    counters(f"{_DATABASE}deadlocks", "Number of deadlocks detected in this database", _of_database(0.0)),
    counters(f"{_DATABASE}temp_bytes", "Total amount of data written to temporary files by queries in this database.", _of_database(0.0)),
    gauge("pg_settings_max_connections", "Sets the maximum number of concurrent connections.", _setting("max_connections", 100.0)),
    gauge("pg_settings_superuser_reserved_connections", "Sets the number of connection slots reserved for superusers.", 3.0),
    gauge("pg_settings_shared_buffers_bytes", "Sets the number of shared memory buffers used by the server. [Units converted to bytes.]", 128 * _MIB),
    gauge("pg_settings_work_mem_bytes", "Sets the maximum memory to be used for query workspaces. [Units converted to bytes.]", 4 * _MIB),
    gauges("pg_replication_is_replica", "Indicates if the server is a replica", _own(lambda view: float(view.follows))),
    gauges("pg_replication_lag_seconds", "Replication lag behind master in seconds", _own(_lag)),
    gauges("pg_replication_last_replay_seconds", "Age of last transaction in seconds", _own(_replayed)),
    gauges("pg_stat_replication_pg_current_wal_lsn_bytes", "WAL position in bytes", _receivers(_written)),
    gauges("pg_stat_replication_pg_wal_lsn_diff", "Lag in bytes between master and slave", _receivers(_unapplied)),
    gauge("pg_postmaster_start_time_seconds", "Time at which postmaster started", Store.started),
)  # fmt: skip
MYSQL_EXPORTER = StoreExporter(("mysql",), "mysqld-exporter", ("mysql_up", "Whether the MySQL server is up."), MYSQL)  # fmt: skip
POSTGRES_EXPORTER = StoreExporter(("postgres",), "postgres-exporter", ("pg_up", "Whether the last scrape of metrics from PostgreSQL was able to connect to the server (1 for yes, 0 for no)."), POSTGRES)  # fmt: skip
