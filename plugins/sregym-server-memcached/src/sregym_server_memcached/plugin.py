"""Adds memcached to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Extension, ServerKind, WireProtocol

_HERE = "sregym_server_memcached"

EXTENSION = Extension(
    name="server-memcached",
    server_kinds=(
        ServerKind(
            name="memcached",
            system_calls=(),
            program=f"{_HERE}.program:MemcachedProgram",
            behaviour=f"{_HERE}.behaviour:MemcachedKind",
            protocols=(
                # The words are those of gomemcache.
                WireProtocol(
                    "memcached",
                    11211,
                    {"timeout": "memcache: connect timeout to ${ip}:${port}"},
                    libraries=f"{_HERE}:libraries.yaml",
                    call_spans=False,
                ),
            ),
            users={"memcache": 11211},
            tables=("userland.memcached",),
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
