"""What mongod writes when it starts, before it listens: it is not stored but derived from the start."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.logs import mixed
from sregym_cluster_embedded.sdk.servers import LogLine

from sregym_server_mongodb.lines import mongod_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_cluster_embedded.sdk.exporters import ContainerInstance
    from sregym_cluster_embedded.sdk.servers import Process, World

    from sregym_server_mongodb.program import MongodbProgram

# Of a start: the first line, the lines about storage, from line to line.
_FIRST_S, _STORAGE_S, _STEP_S = 0.012, 0.2, 0.0004
_GIB = 1 << 30
# Releases with several threads from the start, which tell of their wire protocol.
_THREADED = 5
_BUILDS = {
    "4.4.6": ("72e66213c2c3eab37d9358d5e78ad7f5c1d0d0d7", "OpenSSL 1.1.1  11 Sep 2018", "ubuntu1804"),
}  # fmt: skip
_TLS = (
    "Automatically disabling TLS 1.0, to force-enable TLS 1.0 specify --sslDisabledProtocols 'none'"
)
_FAST_OPEN = (
    "Implicit TCP FastOpen unavailable. If TCP FastOpen is required, set tcpFastOpenServer, "
    "tcpFastOpenClient, and tcpFastOpenQueueSize."
)
_XFS = (
    "Using the XFS filesystem is strongly recommended with the WiredTiger storage engine. "
    "See http://dochub.mongodb.org/core/prodnotes-filesystem"
)
_OPEN_TO_ALL = (
    "Access control is not enabled for the database. Read and write access to data and "
    "configuration is unrestricted"
)


class LogEntry(NamedTuple):
    """A line."""

    component: str
    number: int
    context: str
    text: str
    about: Mapping[str, object] = {}
    severity: str = "I"


def starting(
    world: World, instance: ContainerInstance, program: MongodbProgram, first: float, until: float
) -> Iterator[LogLine]:
    """The lines of a start from `first` on and before `until`, in no order."""
    process = instance.process
    if "mongod.folder" not in process.settings:
        return
    groups = [(process.started_at + _FIRST_S, _beginning(process, program))]
    if process.served_at is not None or process.running:
        groups.append((process.started_at + _STORAGE_S, _opening(process)))
    for start, said in groups:
        for number, line in enumerate(said):
            place = number + mixed(int(start * 1e6) + number) / 2**64
            at = start + place * _STEP_S
            if process.served_at is not None:
                at = min(at, process.served_at - (len(said) - number) * 1e-6)
            if first <= at < until:
                text = mongod_line(
                    world, at, line.severity, line.component, line.number, line.context, line.text,
                    line.about,
                )  # fmt: skip
                yield LogLine(at, "stdout", text)


def _beginning(process: Process, program: MongodbProgram) -> list[LogEntry]:
    main, init = "main", "initandlisten"
    settings = process.settings
    modern = int(program.version.split(".")[0]) >= _THREADED
    first = [LogEntry("CONTROL", 23285, main, _TLS)]
    if modern:
        first.append(LogEntry("CONTROL", 5945603, main, "Multi threading initialized"))
    else:
        text = "No TransportLayer configured during NetworkInterface startup"
        first.append(LogEntry("ASIO", 22601, main, text, severity="W"))
    where = {
        "pid": 1, "port": int(settings["mongod.port"]), "dbPath": settings["mongod.folder"],
        "architecture": "64-bit", "host": process.config.hostname,
    }  # fmt: skip
    options: dict[str, object] = json.loads(settings["mongod.options"])
    if settings["mongod.auth"] == "true":
        options.setdefault("security", {"authorization": "enabled"})
    return [
        *first,
        LogEntry("NETWORK", 4648601, main, _FAST_OPEN),
        LogEntry("STORAGE", 4615611, init, "MongoDB starting", where),
        LogEntry("CONTROL", 23403, init, "Build Info", {"buildInfo": _build(program.version)}),
        LogEntry("CONTROL", 21951, init, "Options set by command line", {"options": options}),
        LogEntry("STORAGE", 22297, init, _XFS),
        LogEntry("STORAGE", 22315, init, "Opening WiredTiger", {"config": _config(process)}),
    ]


def _build(version: str) -> dict[str, object]:
    common: dict[str, object] = {"modules": [], "allocator": "tcmalloc"}
    if version not in _BUILDS:
        return {"version": version, **common}
    commit, ssl, distribution = _BUILDS[version]
    place = {"distmod": distribution, "distarch": "x86_64", "target_arch": "x86_64"}
    return {
        "version": version, "gitVersion": commit, "openSSLVersion": ssl, **common,
        "environment": place,
    }  # fmt: skip


def _config(process: Process) -> str:
    limit = process.config.memory_limit_bytes
    cache = max(256, ((4 * _GIB if limit is None else limit) - _GIB) // 2 >> 20)
    return (
        f"create,cache_size={cache}M,session_max=33000,eviction=(threads_min=4,threads_max=4),"
        "config_base=false,statistics=(fast),log=(enabled=true,archive=true,path=journal,"
        "compressor=snappy),file_manager=(close_idle_time=100000,close_scan_interval=10,"
        "close_handle_minimum=250),statistics_log=(wait=0),verbose=[recovery_progress,"
        "checkpoint_progress,compact_progress],"
    )


def _opening(process: Process) -> list[LogEntry]:
    init = "initandlisten"
    zero = {"recoveryTimestamp": {"$timestamp": {"t": 0, "i": 0}}}
    logged = "No table logging settings modifications are required for existing WiredTiger tables"
    folder = f"{process.settings['mongod.folder'].rstrip('/')}/diagnostic.data"
    warned = []
    if process.settings["mongod.auth"] != "true":
        warned = [LogEntry("CONTROL", 22120, init, _OPEN_TO_ALL, severity="W")]
    return [
        LogEntry("STORAGE", 4795906, init, "WiredTiger opened", {"durationMillis": 187}),
        LogEntry("RECOVERY", 23987, init, "WiredTiger recoveryTimestamp", zero),
        LogEntry("STORAGE", 4366408, init, logged, {"loggingEnabled": True}),
        LogEntry("STORAGE", 22262, init, "Timestamp monitor starting"),
        *warned,
        LogEntry("STORAGE", 20536, init, "Flow Control is enabled on this deployment"),
        LogEntry("FTDC", 20625, init, "Initializing full-time diagnostic data capture", {"dataDirectory": folder}),
    ]  # fmt: skip
