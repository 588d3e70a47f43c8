"""Exporters of datastores: MongoDB, Redis, memcached, MySQL, PostgreSQL, Consul."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from sregym_apps.model import StoreProgram, expand

from sregym_cluster_embedded.telemetry.lives import lives
from sregym_cluster_embedded.telemetry.metrics.exposition import (
    Exporter,
    Family,
    Pairs,
    Row,
    Steps,
    Target,
)
from sregym_cluster_embedded.telemetry.metrics.integrals import Outcomes
from sregym_cluster_embedded.telemetry.metrics.pods import Scraped, container_targets
from sregym_cluster_embedded.telemetry.metrics.view import LIVES
from sregym_cluster_embedded.telemetry.metrics.work import WorkingSet, cpu, end_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.telemetry.lives import Life
    from sregym_cluster_embedded.telemetry.metrics.exposition import Value
    from sregym_cluster_embedded.telemetry.metrics.view import View
    from sregym_cluster_embedded.telemetry.promql.data import Floats

_BYTES_IN, _BYTES_OUT = 180.0, 420.0


class Store:
    """One life of a datastore, with what its callers asked of it."""

    def __init__(self, view: View, life: Life) -> None:
        self.view = view
        self.life = life

    @property
    def since(self) -> float:
        """When it began to serve."""
        served = self.life.process.served_at
        return math.inf if served is None else served

    @cached_property
    def commands(self) -> Mapping[str, Outcomes]:
        """Command -> the counter of its calls, over all callers."""
        changes: dict[str, dict[float, float]] = {}
        ref = self.life.ref
        for caller in lives(self.view.world):
            present: dict[str, float] = {}
            for segment in caller.served:
                rates: dict[str, float] = {}
                for flow in segment.flows:
                    for call in flow.calls:
                        if call.callee == ref and call.rate > 0:
                            rates[call.operation] = rates.get(call.operation, 0.0) + call.rate
                _note(changes, segment.start, present, rates)
                present = rates
            if present and caller.process.ended_at is not None:
                _note(changes, caller.process.ended_at, present, {})
        end = end_of(self.life)
        return {name: _outcomes(steps, end) for name, steps in sorted(changes.items())}

    @property
    def callers(self) -> Steps:
        """How many connections its callers hold."""
        starts, numbers = [self.life.process.started_at], [0.0]
        for segment in self.life.served:
            busy = sum(flow.rate for flow in segment.flows) / 100
            starts.append(segment.start)
            numbers.append(float(math.ceil(busy) + 2) if segment.flows else 0.0)
        return Steps(starts, numbers)

    def all_commands(self, factor: float = 1.0) -> Value:
        """How many commands there were; or so many bytes for each."""
        known = list(self.commands.values())

        def of(seconds: Floats) -> Floats:
            total = 0.0 * seconds
            for outcomes in known:
                total = total + outcomes.total(seconds)
            return total * factor

        return of

    def uptime(self) -> Value:
        """Whole seconds since the start."""
        started = self.life.process.started_at

        def of(seconds: Floats) -> Floats:
            found: Floats = (seconds - started) // 1
            return found

        return of

    def started(self) -> float:
        """The start in Unix seconds."""
        return float(int(self.view.world.epoch + self.life.process.started_at))

    def setting(self, name: str, default: float) -> float:
        """A number among what it was configured with."""
        try:
            return float(self.life.process.settings.get(name, default))
        except ValueError:
            return default


def _note(
    changes: dict[str, dict[float, float]],
    at: float,
    before: Mapping[str, float],
    after: Mapping[str, float],
) -> None:
    for name in sorted({*before, *after}):
        difference = after.get(name, 0.0) - before.get(name, 0.0)
        if difference:
            known = changes.setdefault(name, {})
            known[at] = known.get(at, 0.0) + difference


def _outcomes(steps: Mapping[float, float], end: float) -> Outcomes:
    rate, starts, rates = 0.0, [], []
    for at in sorted(steps):
        rate = max(0.0, rate + steps[at])
        starts.append(at)
        rates.append(rate)
    return Outcomes(starts, rates, end, {"": [1.0] * len(starts)})


Said: TypeAlias = Iterator[tuple[Pairs, "Value"]]


class Measure(NamedTuple):
    """One family of a datastore's exporter."""

    family: Family
    of: Callable[[Store], Said]


def _one(of: Callable[[Store], Value]) -> Callable[[Store], Said]:
    def said(store: Store) -> Said:
        yield (), of(store)

    return said


def _labelled(*pairs: tuple[Pairs, Callable[[Store], Value]]) -> Callable[[Store], Said]:
    def said(store: Store) -> Said:
        for labels, of in pairs:
            yield labels, of(store)

    return said


def _by_command(label: str, words: Mapping[str, str], *more: str) -> Callable[[Store], Said]:
    """One series for each command; commands that the exporter counts as one are added up."""

    def said(store: Store) -> Said:
        kinds: dict[str, list[Outcomes]] = {word: [] for word in more}
        for name, outcomes in store.commands.items():
            kinds.setdefault(words.get(name, name), []).append(outcomes)
        for kind, members in sorted(kinds.items()):
            yield ((label, kind),), _Added(members)

    return said


class _Added:
    def __init__(self, members: Sequence[Outcomes]) -> None:
        self._members = members

    def __call__(self, seconds: Floats) -> Floats:
        total = 0.0 * seconds
        for member in self._members:
            total = total + member.total(seconds)
        return total


def _gauge(name: str, text: str, of: Callable[[Store], Said]) -> Measure:
    return Measure(Family(name, "gauge", text), of)


def _counter(name: str, text: str, of: Callable[[Store], Said]) -> Measure:
    return Measure(Family(name, "counter", text), of)


_MEMORY = _one(lambda store: WorkingSet(store.life))
_MIB = 1024.0 * 1024.0
_MONGO_WORDS = MappingProxyType({"find": "query", "findOne": "query", "insertOne": "insert", "updateOne": "update", "deleteOne": "delete", "aggregate": "command", "ping": "command"})  # fmt: skip
_MONGODB = (
    _counter("mongodb_ss_opcounters", "serverStatus.opcounters.", _by_command("legacy_op_type", _MONGO_WORDS, "command", "delete", "getmore", "insert", "query", "update")),
    _gauge("mongodb_ss_connections", "serverStatus.connections.", _labelled(((("conn_type", "current"),), lambda store: store.callers), ((("conn_type", "available"),), lambda _: 838860.0))),
    _gauge("mongodb_ss_mem_resident", "serverStatus.mem.resident", _one(lambda store: lambda seconds: WorkingSet(store.life)(seconds) // _MIB)),
    _counter("mongodb_ss_uptime", "serverStatus.uptime", _one(Store.uptime)),
    _counter("mongodb_ss_network_bytesIn", "serverStatus.network.bytesIn", _one(lambda store: store.all_commands(_BYTES_IN))),
    _counter("mongodb_ss_network_bytesOut", "serverStatus.network.bytesOut", _one(lambda store: store.all_commands(_BYTES_OUT))),
    _counter("mongodb_ss_network_numRequests", "serverStatus.network.numRequests", _one(Store.all_commands)),
)  # fmt: skip
_REDIS_FAMILY = (
    _counter("redis_commands_processed_total", "commands_processed_total metric", _one(Store.all_commands)),
    _counter("redis_commands_total", "Total number of calls per command", _by_command("cmd", {})),
    _gauge("redis_connected_clients", "connected_clients metric", _one(lambda store: store.callers)),
    _gauge("redis_memory_used_bytes", "memory_used_bytes metric", _MEMORY),
    _gauge("redis_memory_max_bytes", "memory_max_bytes metric", _one(lambda store: store.setting("maxmemory", 0.0))),
    _gauge("redis_uptime_in_seconds", "uptime_in_seconds metric", _one(Store.uptime)),
    _gauge("redis_start_time_seconds", "Start time of the Redis instance since unix epoch in seconds.", _one(Store.started)),
    _counter("redis_cpu_user_seconds_total", "cpu_user_seconds_total metric", _one(lambda store: cpu(store.life))),
    _counter("redis_net_input_bytes_total", "net_input_bytes_total metric", _one(lambda store: store.all_commands(_BYTES_IN))),
    _counter("redis_net_output_bytes_total", "net_output_bytes_total metric", _one(lambda store: store.all_commands(_BYTES_OUT))),
)  # fmt: skip
_MEMCACHED = (
    _counter("memcached_uptime_seconds", "Number of seconds since the server started.", _one(Store.uptime)),
    _counter("memcached_commands_total", "Total number of all requests broken down by command (get, set, etc.) and status.", _by_command("command", {}, "get", "set")),
    _gauge("memcached_current_connections", "Current number of open connections.", _one(lambda store: store.callers)),
    _gauge("memcached_limit_bytes", "Number of bytes this server is allowed to use for storage.", _one(lambda store: store.setting("memory", 64.0) * _MIB)),
    _gauge("memcached_process_start_time_seconds", "Start time of the process in Unix seconds.", _one(Store.started)),
    _counter("memcached_read_bytes_total", "Total number of bytes read by this server from network.", _one(lambda store: store.all_commands(_BYTES_IN))),
    _counter("memcached_written_bytes_total", "Total number of bytes sent by this server to network.", _one(lambda store: store.all_commands(_BYTES_OUT))),
)  # fmt: skip
_MYSQL = (
    _counter("mysql_global_status_queries", "Generic metric from SHOW GLOBAL STATUS.", _one(Store.all_commands)),
    _counter("mysql_global_status_commands_total", "Total number of executed MySQL commands.", _by_command("command", {})),
    _gauge("mysql_global_status_threads_connected", "Generic metric from SHOW GLOBAL STATUS.", _one(lambda store: store.callers)),
    _gauge("mysql_global_variables_max_connections", "Generic gauge metric from SHOW GLOBAL VARIABLES.", _one(lambda store: store.setting("max_connections", 151.0))),
    _counter("mysql_global_status_uptime", "Generic metric from SHOW GLOBAL STATUS.", _one(Store.uptime)),
    _counter("mysql_global_status_bytes_received", "Generic metric from SHOW GLOBAL STATUS.", _one(lambda store: store.all_commands(_BYTES_IN))),
    _counter("mysql_global_status_bytes_sent", "Generic metric from SHOW GLOBAL STATUS.", _one(lambda store: store.all_commands(_BYTES_OUT))),
)  # fmt: skip
_POSTGRES = (
    _counter("pg_stat_database_xact_commit", "Number of transactions in this database that have been committed", _labelled(((("datname", "postgres"),), Store.all_commands))),
    _gauge("pg_stat_activity_count", "number of connections in this state", _labelled(((("datname", "postgres"), ("state", "idle")), lambda store: store.callers))),
    _gauge("pg_settings_max_connections", "Sets the maximum number of concurrent connections.", _one(lambda store: store.setting("max_connections", 100.0))),
    _gauge("pg_postmaster_start_time_seconds", "Time at which postmaster started", _one(Store.started)),
)  # fmt: skip


class StoreExporter(Exporter):
    """The exporter of one kind of datastore, with one target for each server.

    Args:
        kinds: Kinds of programs.
        job: Its job.
        up: The name of the metric that says whether the server answers, and its help text.
        measures: What it says of a server that answers.
    """

    reads = ("pods", LIVES)

    def __init__(
        self, kinds: Sequence[str], job: str, up: tuple[str, str], measures: Sequence[Measure]
    ) -> None:
        self._kinds = kinds
        self._job = job
        self._up = up[0]
        self._measures = {measure.family.name: measure for measure in measures}
        families = (measure.family for measure in measures)
        self.families: Sequence[Family] = (Family(up[0], "gauge", up[1]), *families)

    def targets(self, view: View) -> Sequence[Target]:
        """The servers."""
        return container_targets(view, self, self._is_one, _port, self._job, beside=True)

    def rows(self, view: View, target: Target, sample: str) -> Iterator[Row]:
        """The series of one server, life by life."""
        scraped = target.subject
        assert isinstance(scraped, Scraped)
        stores = [Store(view, life) for life in scraped.lives]
        if sample == self._up:
            yield Row((), _up(stores))
            return
        for store in stores:
            if store.since < math.inf:
                for labels, value in self._measures[sample].of(store):
                    yield Row(labels, value, store.since, end_of(store.life))

    def _is_one(self, life: Life) -> bool:
        program = life.process.behaviour
        return program is not None and program.kind in self._kinds


def _up(stores: Sequence[Store]) -> Steps:
    times, values = [-math.inf], [0.0]
    for store in stores:
        if store.since < math.inf:
            times.extend((store.since, end_of(store.life)))
            values.extend((1.0, 0.0))
    return Steps(times, values)


def _port(life: Life) -> int:
    program = life.process.behaviour
    if isinstance(program, StoreProgram):
        text = expand(program.port, life.process.facts())
        if text.isdecimal():
            return int(text)
    return 0


STORES = (
    StoreExporter(("mongodb",), "mongodb-exporter", ("mongodb_up", "Whether MongoDB is up."), _MONGODB),
    StoreExporter(("redis", "keyvalue"), "redis-exporter", ("redis_up", "Information about the Redis instance"), _REDIS_FAMILY),
    StoreExporter(("memcached",), "memcached-exporter", ("memcached_up", "Could the memcached server be reached."), _MEMCACHED),
    StoreExporter(("mysql",), "mysqld-exporter", ("mysql_up", "Whether the MySQL server is up."), _MYSQL),
    StoreExporter(("postgres",), "postgres-exporter", ("pg_up", "Whether the last scrape of metrics from PostgreSQL was able to connect to the server (1 for yes, 0 for no)."), _POSTGRES),
    StoreExporter(("registry",), "consul-exporter", ("consul_up", "Was the last query of Consul successful."), ()),
)  # fmt: skip
