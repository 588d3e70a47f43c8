"""Commands with which people look at a MongoDB server: status, build, parameters, databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.servers import (
    ANSWER_BYTES,
    REQUEST_BYTES,
    RUNTIME,
    connection_count,
    counted,
)

from sregym_server_mongodb.members import is_writable
from sregym_server_mongodb.printing import Raw
from sregym_server_mongodb.program import MongodbProgram
from sregym_server_mongodb.script import ScriptError
from sregym_server_mongodb.set_commands import SET_COMMANDS, hello_fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.sdk.servers import Process

    from sregym_server_mongodb.connection import Connection

# What documents and files weigh that were not examined.
DOCUMENT_BYTES, TABLE_BYTES, INDEX_BYTES = 120, 20_480, 20_480
_SYSTEM_SIZES = {"admin": 102_400, "config": 61_440, "local": 73_728}
# mongod reserves so many of the connections that it may open for itself.
MOST_CONNECTIONS = 838_860
_GIB = 1 << 30
_READS = {"find": "query", "findOne": "query", "get": "query"}
_WRITES = {"insertOne": "insert", "updateOne": "update", "deleteOne": "delete", "set": "update"}
_KINDS = ("insert", "query", "update", "delete", "getmore", "command")


def most_connections(server: Process) -> int:
    """How many connections a server takes."""
    return int(server.settings.get("mongod.connections", MOST_CONNECTIONS))


def long(number: float) -> Raw:
    """A 64-bit integer as the shell prints it."""
    return Raw(f"NumberLong({int(number)})")


def operations(commands: Mapping[str, int]) -> dict[str, int]:
    """Commands by the kinds that the server counts."""
    found = dict.fromkeys(_KINDS, 0)
    for name, number in commands.items():
        kind = _READS.get(name, _WRITES.get(name, name))
        found[kind if kind in found else "command"] += number
    return found


def databases(connection: Connection) -> dict[str, Any]:
    """`listDatabases`: those of the server itself and those with collections, with their sizes."""
    connection.demand("list", "admin", "listDatabases", 1.0)
    sizes = database_sizes(connection)
    total = sum(sizes.values())
    return {
        "databases": [
            {"name": name, "sizeOnDisk": size, "empty": False} for name, size in sizes.items()
        ],
        "totalSize": total,
        "ok": 1,
    }


def database_sizes(connection: Connection) -> dict[str, int]:
    """Name -> bytes on disk, sorted."""
    held = connection.data.databases
    sizes = dict(_SYSTEM_SIZES)
    for name, inside in held.items():
        own = sum(
            max(TABLE_BYTES, -(-content.count * DOCUMENT_BYTES // 4096) * 4096) + INDEX_BYTES
            for content in inside.values()
        )
        sizes[name] = sizes.get(name, 0) + own
    return dict(sorted(sizes.items()))


def server_status(connection: Connection) -> dict[str, Any]:
    """`serverStatus`, as far as people and exporters read it; with the figures that metrics have."""
    connection.demand("cluster", "admin", "serverStatus", 1.0)
    world, server = connection.world, connection.server
    seen = counted(world, server.ref)
    up = world.now - server.started_at
    mib = max(1, seen.memory_bytes >> 20)
    kinds = operations(seen.commands)
    cache = max(256 << 20, ((server.config.memory_limit_bytes or _GIB * 4) - _GIB) // 2)
    return {
        "host": server.config.hostname,
        "version": version_of(connection),
        "process": "mongod",
        "pid": long(1),
        "uptime": int(up),
        "uptimeMillis": long(up * 1000),
        "uptimeEstimate": long(up),
        "localTime": Raw(f'ISODate("{world.timestamp()}")'),
        "asserts": {"regular": 0, "warning": 0, "msg": 0, "user": 0, "rollovers": 0},
        "connections": {
            "current": seen.connections + 1,
            "available": most_connections(server) - seen.connections - 1,
            "totalCreated": seen.connections + 1,
            "active": 1,
        },
        "extra_info": {"note": "fields vary by platform", "page_faults": 0},
        "globalLock": {
            "totalTime": long(up * 1_000_000),
            "currentQueue": {"total": 0, "readers": 0, "writers": 0},
            "activeClients": {"total": 0, "readers": 0, "writers": 0},
        },
        "network": {
            "bytesIn": long(seen.total * REQUEST_BYTES),
            "bytesOut": long(seen.total * ANSWER_BYTES),
            "numRequests": long(seen.total),
        },
        "opcounters": {name: long(number) for name, number in kinds.items()},
        "storageEngine": {
            "name": "wiredTiger",
            "supportsCommittedReads": True,
            "persistent": True,
            "backupCursorOpen": False,
        },
        "wiredTiger": {"cache": {"maximum bytes configured": cache}},
        "mem": {"bits": 64, "resident": mib, "virtual": mib + 1430, "supported": True},
        "ok": 1,
    }


def build_info(connection: Connection) -> dict[str, Any]:
    """`buildInfo`."""
    version = version_of(connection)
    return {
        "version": version,
        "modules": [],
        "allocator": "tcmalloc",
        "javascriptEngine": "mozjs",
        "versionArray": [int(part.partition("-")[0]) for part in version.split(".")[:3]] + [0],
        "bits": 64,
        "debug": False,
        "maxBsonObjectSize": 16_777_216,
        "storageEngines": ["biggie", "devnull", "ephemeralForTest", "wiredTiger"],
        "ok": 1,
    }


def host_info(connection: Connection) -> dict[str, Any]:
    """`hostInfo`."""
    connection.demand("cluster", "admin", "hostInfo", 1.0)
    world, server = connection.world, connection.server
    limit = server.config.memory_limit_bytes
    return {
        "system": {
            "currentTime": Raw(f'ISODate("{world.timestamp()}")'),
            "hostname": server.config.hostname,
            "cpuAddrSize": 64,
            "memSizeMB": long(32_768),
            "memLimitMB": long(32_768 if limit is None else limit >> 20),
            "numCores": 8,
            "cpuArch": "x86_64",
            "numaEnabled": False,
        },
        "os": {"type": "Linux", "name": "Ubuntu", "version": "18.04"},
        "extra": {"pageSize": long(4096), "maxOpenFiles": 1_048_576},
        "ok": 1,
    }


def hello(connection: Connection) -> dict[str, Any]:
    """`isMaster` and `hello`: whether a server takes writes, and what it is a member of."""
    world = connection.world
    modern = int(version_of(connection).split(".")[0]) >= _HELLO
    return {
        "isWritablePrimary" if modern else "ismaster": is_writable(world, connection.server),
        **hello_fields(connection),
        "topologyVersion": {
            "processId": Raw(f'ObjectId("{connection.server.ref.pod_uid.replace("-", "")[:24]}")'),
            "counter": long(0),
        },
        "maxBsonObjectSize": 16_777_216,
        "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000,
        "localTime": Raw(f'ISODate("{world.timestamp()}")'),
        "logicalSessionTimeoutMinutes": 30,
        "connectionId": connection_count(world, connection.server.ref) + 1,
        "minWireVersion": 0,
        "maxWireVersion": 25 if modern else 9,
        "readOnly": False,
        "ok": 1,
    }


_HELLO = 5


def command_line(connection: Connection) -> dict[str, Any]:
    """`getCmdLineOpts`."""
    connection.demand("cluster", "admin", "getCmdLineOpts", 1.0)
    settings = connection.server.settings
    words = [word for word in connection.server.argv[1:] if word != "mongod"]
    parsed: dict[str, Any] = {"net": {"bindIp": "*"}}
    if settings["mongod.port"] != "27017":
        parsed["net"]["port"] = int(settings["mongod.port"])
    if settings["mongod.auth"] == "true":
        parsed["security"] = {"authorization": "enabled"}
        words = [*(word for word in words if word != "--auth"), "--auth"]
    argv = ["mongod", *(word for word in words if word != "--bind_ip_all"), "--bind_ip_all"]
    return {"argv": argv, "parsed": parsed, "ok": 1}


def log_lines(connection: Connection, which: Any) -> dict[str, Any]:
    """`getLog`: the last 1,024 lines of the server's own log."""
    connection.demand("cluster", "admin", "getLog", which)
    if which == "*":
        return {"names": ["global", "startupWarnings"], "ok": 1}
    lines: list[str] = []
    if which == "global":
        service = connection.world.service(RUNTIME)
        written = service.logs(connection.world, connection.server.ref, _LOG_LINES)
        lines = [line.text for line in written]
    return {"totalLinesWritten": len(lines), "log": lines, "ok": 1}


_LOG_LINES = 1024


def parameter(connection: Connection, command: Mapping[str, Any]) -> dict[str, Any]:
    """`getParameter`."""
    connection.demand("cluster", "admin", "getParameter", 1.0)
    release = ".".join(version_of(connection).split(".")[:2])
    known: dict[str, Any] = {
        "featureCompatibilityVersion": {"version": release},
        "logLevel": 0,
        "quiet": False,
        "authenticationMechanisms": ["MONGODB-X509", "SCRAM-SHA-1", "SCRAM-SHA-256"],
    }
    if command.get("getParameter") == "*":
        return {**known, "ok": 1}
    wanted = [name for name in command if name in known]
    if not wanted:
        raise ScriptError("no option found to get", 72)
    return {**{name: known[name] for name in wanted}, "ok": 1}


def version_of(connection: Connection) -> str:
    """The server's version."""
    program = connection.world.service(RUNTIME).program_as(connection.server, MongodbProgram)
    return program.version


# Commands by their names, as `runCommand` and `adminCommand` take them.
COMMANDS: Mapping[str, Callable[[Connection, Mapping[str, Any]], dict[str, Any]]] = {
    "listDatabases": lambda connection, _: databases(connection),
    "serverStatus": lambda connection, _: server_status(connection),
    "buildInfo": lambda connection, _: build_info(connection),
    "buildinfo": lambda connection, _: build_info(connection),
    "hostInfo": lambda connection, _: host_info(connection),
    "isMaster": lambda connection, _: hello(connection),
    "ismaster": lambda connection, _: hello(connection),
    "hello": lambda connection, _: hello(connection),
    "getCmdLineOpts": lambda connection, _: command_line(connection),
    "getLog": lambda connection, command: log_lines(connection, command.get("getLog")),
    "getParameter": parameter,
    **SET_COMMANDS,
}
ONLY_ADMIN = ("listDatabases", "getCmdLineOpts", "getLog", "getParameter", *SET_COMMANDS)
