"""Adds Redis and Valkey to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_redis"
_PROMPT = "127.0.0.1:6379> "
_PROTOCOL = WireProtocol(
    "keyvalue",
    6379,
    {"overloaded": "ERR max number of clients reached"},
    call_spans=False,
    db_system="redis",
    led="watched",
    libraries="sregym_server_redis:libraries.yaml",
)

EXTENSION = Extension(
    name="server-redis",
    server_kinds=(
        ServerKind(
            name="redis",
            system_calls=("open", "write", "fsync"),
            program=f"{_HERE}.program:RedisProgram",
            behaviour=f"{_HERE}.behaviour:RedisKind",
            protocols=(_PROTOCOL,),
            commands=(
                Command("redis-cli", f"{_HERE}.client:redis_cli", prompt=_PROMPT),
                Command("valkey-cli", f"{_HERE}.client:redis_cli", prompt=_PROMPT),
            ),
            tool_sets={"redis": ("redis-cli",), "valkey": ("valkey-cli", "redis-cli")},
            users={"redis": 999, "valkey": 999},
            durable={"redis": f"{_HERE}.data:describe"},
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
        ServerKind(
            name="redis-sentinel",
            program=f"{_HERE}.program:SentinelProgram",
            behaviour=f"{_HERE}.sentinel_kind:SentinelKind",
            protocols=(_PROTOCOL,),
            durable={"redis-sentinel": f"{_HERE}.sentinel_state:describe"},
            exporter=f"{_HERE}.exporter:EXPORTER",
        ),
        ServerKind(
            name="keyvalue",
            program=f"{_HERE}.program:KeyValueProgram",
            behaviour=f"{_HERE}.keyvalue:KeyValueKind",
            protocols=(_PROTOCOL,),
            exporter=f"{_HERE}.exporter:EXPORTER",
        ),
    ),
)
