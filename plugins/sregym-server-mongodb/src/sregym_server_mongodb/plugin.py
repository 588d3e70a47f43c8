"""Adds MongoDB to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_mongodb"
# What drivers say of a server that they do not reach, whatever the reason.
_UNREACHED = "no reachable servers"
_SILENT = (
    *("dns", "refused", "timeout", "unreachable", "no_route", "no_port", "protocol", "tls"),
    "unavailable",
)
_PROTOCOL = WireProtocol(
    "mongodb",
    27017,
    {
        **dict.fromkeys(_SILENT, _UNREACHED),
        "auth": "server returned error on SASL authentication step: ${error}",
    },
    libraries=f"{_HERE}:libraries.yaml",
    awaits_server=True,
    call_spans=False,
    led="discovered",
    answer_to_http="It looks like you are trying to access MongoDB over HTTP on the native driver port.\r\n",
    commands=(
        "aggregate",
        "count",
        "delete",
        "find",
        "findAndModify",
        "get",
        "insert",
        "set",
        "update",
    ),
)

EXTENSION = Extension(
    name="server-mongodb",
    server_kinds=(
        ServerKind(
            name="mongodb",
            system_calls=("open", "read", "write", "fsync", "clock_gettime"),
            program=f"{_HERE}.program:MongodbProgram",
            behaviour=f"{_HERE}.behaviour:MongodbKind",
            protocols=(_PROTOCOL,),
            commands=(
                Command("mongo", f"{_HERE}.client:mongo", prompt="> "),
                Command("mongosh", f"{_HERE}.client:mongo", prompt="mongosh> "),
            ),
            users={"mongodb": 999},
            log_formats={"mongod-json": f"{_HERE}.lines:mongod_json"},
            durable={"mongodb": f"{_HERE}.data:describe"},
            background=f"{_HERE}.server_log:background",
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
