"""What Percona's exporter says of a MongoDB server, under its names and those before."""

from __future__ import annotations

from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.sdk.exporters import (
    FAILED,
    Measure,
    Row,
    Said,
    Store,
    StoreExporter,
    by,
    by_command,
    counter,
    counters,
    gauge,
    gauges,
    memory_mib,
    received,
    sent,
    total,
)

from sregym_server_mongodb.views import DOWN, views_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_cluster_embedded.sdk.exporters import Figure, Floats, Saying, Value

    from sregym_server_mongodb.views import MemberView, SetView

# What mongod can serve at once without a setting, and tickets of its storage engine.
_CONNECTIONS, _TICKETS = 838_860.0, 128.0
_GIB = 1 << 30
_WORDS = MappingProxyType({
    "find": "query", "findOne": "query", "get": "query", "insertOne": "insert",
    "updateOne": "update", "deleteOne": "delete", "set": "update", "aggregate": "command",
    "ping": "command", "count": "command",
})  # fmt: skip
_KINDS = ("command", "delete", "getmore", "insert", "query", "update")
_READS = ("find", "findOne", "get", "aggregate", "count")
_WRITES = ("insert", "insertOne", "update", "updateOne", "delete", "deleteOne", "set")


def _available(store: Store) -> Value:
    callers = store.callers
    most = store.setting("mongod.connections", _CONNECTIONS)
    return lambda seconds: most - callers(seconds)


def _waiting(store: Store) -> Value:
    return store.load(lambda part: part.load.waiting)


def _active(store: Store) -> Value:
    return store.load(lambda part: part.load.in_flight - part.load.waiting)


def _free_tickets(store: Store) -> Value:
    taken = _active(store)
    assert not isinstance(taken, float)

    def of(seconds: Floats) -> Floats:
        found: Floats = (_TICKETS - taken(seconds)).clip(min=0.0)
        return found

    return of


def _latency(names: tuple[str, ...]) -> Figure:
    """Microseconds that commands took, over those of some names."""

    def of(store: Store) -> Value:
        parts = [store.spent(1e6, name) for name in store.commands if name in names]

        def took(seconds: Floats) -> Floats:
            summed = 0.0 * seconds
            for part in parts:
                summed = summed + (part(seconds) if callable(part) else part)
            return summed // 1

        return took

    return of


def _others(store: Store) -> tuple[str, ...]:
    return tuple(name for name in store.commands if name not in (*_READS, *_WRITES))


def _commands_latency(store: Store) -> Value:
    return _latency(_others(store))(store)


def _other_commands(store: Store) -> Value:
    names = _others(store)
    return store.total(names=names) if names else 0.0


def _cache_bytes(store: Store) -> Value:
    limit = store.instance.process.config.memory_limit_bytes
    return float(max(256 << 20, ((_GIB * 4 if limit is None else limit) - _GIB) // 2))


def _version(store: Store) -> Said:
    yield (("mongodb", store.version),), 1.0


def _members(figure: Callable[[int, MemberView], Value], *, old: bool = False) -> Saying:
    """One series for each state of each member, for as long as it is in it."""

    def said(store: Store) -> Iterator[Row]:
        known = views_of(store.instance.process)
        for view, then in zip(known, [*known, None][1:], strict=True):
            until = inf if then is None else then.at
            for member in view.members:
                labels = _old_labels(view, member) if old else _labels(view, member)
                yield Row(labels, figure(store.epoch, member), view.at, until)

    return said


def _labels(view: SetView, member: MemberView) -> tuple[tuple[str, str], ...]:
    return (
        ("member_idx", member.host), ("member_state", member.name), ("rs_nm", view.name),
        ("rs_state", str(view.state)),
    )  # fmt: skip


def _old_labels(view: SetView, member: MemberView) -> tuple[tuple[str, str], ...]:
    return ("name", member.host), ("set", view.name), ("state", member.name)


def _own(figure: Callable[[SetView], float]) -> Saying:
    """What a member says of itself."""

    def said(store: Store) -> Iterator[Row]:
        known = views_of(store.instance.process)
        for view, then in zip(known, [*known, None][1:], strict=True):
            labels = (("rs_nm", view.name), ("rs_state", str(view.state)))
            yield Row(labels, figure(view), view.at, inf if then is None else then.at)

    return said


def _behind(_: int, member: MemberView) -> Value:
    if member.stuck_at < 0:
        return member.behind_s
    return lambda seconds: seconds - member.stuck_at


def _applied_ms(epoch: int, member: MemberView) -> Value:
    if member.stuck_at >= 0:
        return (epoch + member.stuck_at) * 1000.0
    return lambda seconds: (epoch + seconds - member.behind_s) * 1000.0


_ASSERTS: dict[str, Figure | float] = {"msg": 0.0, "regular": 0.0, "rollovers": 0.0, "user": total(outcome=FAILED), "warning": 0.0}  # fmt: skip
_CONNECTED: dict[str, Figure | float] = {
    "active": _active, "available": _available, "current": lambda store: store.callers,
    "totalCreated": Store.connected,
}  # fmt: skip
_QUEUE: dict[str, Figure | float] = {"readers": _waiting, "total": _waiting, "writers": 0.0}
_CLIENTS: dict[str, Figure | float] = {"readers": _active, "total": _active, "writers": 0.0}

MONGODB: tuple[Measure, ...] = (
    gauges("mongodb_version_info", "The server version.", _version),
    counters("mongodb_ss_opcounters", "serverStatus.opcounters.", by_command("legacy_op_type", _WORDS, *_KINDS)),
    counters("mongodb_ss_opLatencies_ops", "serverStatus.opLatencies.", by("op_type", {"commands": _other_commands, "reads": total(*_READS), "writes": total(*_WRITES)})),
    counters("mongodb_ss_opLatencies_latency", "serverStatus.opLatencies.", by("op_type", {"commands": _commands_latency, "reads": _latency(_READS), "writes": _latency(_WRITES)})),
    gauges("mongodb_ss_connections", "serverStatus.connections.", by("conn_type", _CONNECTED)),
    counters("mongodb_ss_asserts", "serverStatus.asserts.", by("assert_type", _ASSERTS)),
    gauges("mongodb_ss_globalLock_currentQueue", "serverStatus.globalLock.currentQueue.", by("count_type", _QUEUE)),
    gauges("mongodb_ss_globalLock_activeClients", "serverStatus.globalLock.activeClients.", by("count_type", _CLIENTS)),
    gauges("mongodb_ss_wt_concurrentTransactions_out", "serverStatus.wiredTiger.concurrentTransactions.", by("txn_rw_type", {"read": _active, "write": 0.0})),
    gauges("mongodb_ss_wt_concurrentTransactions_available", "serverStatus.wiredTiger.concurrentTransactions.", by("txn_rw_type", {"read": _free_tickets, "write": _TICKETS})),
    gauges("mongodb_ss_wt_concurrentTransactions_totalTickets", "serverStatus.wiredTiger.concurrentTransactions.", by("txn_rw_type", {"read": _TICKETS, "write": _TICKETS})),
    gauge("mongodb_ss_wt_cache_maximum_bytes_configured", "serverStatus.wiredTiger.cache.maximum bytes configured", _cache_bytes),
    gauge("mongodb_ss_mem_resident", "serverStatus.mem.resident", memory_mib),
    gauge("mongodb_ss_mem_bits", "serverStatus.mem.bits", 64.0),
    counter("mongodb_ss_uptime", "serverStatus.uptime", Store.uptime),
    counter("mongodb_ss_network_bytesIn", "serverStatus.network.bytesIn", received),
    counter("mongodb_ss_network_bytesOut", "serverStatus.network.bytesOut", sent),
    counter("mongodb_ss_network_numRequests", "serverStatus.network.numRequests", total()),
    counters("mongodb_op_counters_total", "The opcounters data structure provides an overview of database operations by type", by_command("type", _WORDS, *_KINDS)),
    gauges("mongodb_connections", "The number of incoming connections to the database server, by state", by("state", {"active": _active, "available": _available, "current": lambda store: store.callers})),
    counters("mongodb_asserts_total", "The number of asserts raised since the server started, by type", by("type", _ASSERTS)),
    gauges("mongodb_memory", "Memory of the server in mebibytes, by type", by("type", {"resident": memory_mib})),
    counters("mongodb_network_bytes_total", "The amount of network traffic, in bytes, seen by this server, by direction", by("state", {"in_bytes": received, "out_bytes": sent})),
    counter("mongodb_network_metrics_num_requests_total", "The total number of distinct requests that the server has received", total()),
    gauges("mongodb_rs_myState", "replSetGetStatus.myState", _own(lambda view: float(view.state))),
    gauges("mongodb_rs_term", "replSetGetStatus.term", _own(lambda view: float(view.term))),
    gauges("mongodb_rs_members_health", "replSetGetStatus.members.health", _members(lambda _, member: float(member.state != DOWN[0]))),
    gauges("mongodb_rs_members_state", "replSetGetStatus.members.state", _members(lambda _, member: float(member.state))),
    gauges("mongodb_rs_members_optimeDate", "replSetGetStatus.members.optimeDate", _members(_applied_ms)),
    gauges("mongodb_mongod_replset_member_replication_lag", "The replication lag that this member has with the primary", _members(_behind, old=True)),
    counter("mongodb_instance_uptime_seconds", "The number of seconds that the current server process has been active", Store.uptime),
)  # fmt: skip
EXPORTER = StoreExporter(
    ("mongodb",), "mongodb-exporter", ("mongodb_up", "Whether MongoDB is up."), MONGODB
)
