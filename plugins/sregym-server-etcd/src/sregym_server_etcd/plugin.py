"""Adds etcd to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_etcd"
_NOT_REACHED = ("dns", "refused", "timeout", "unreachable", "no_route", "protocol")

EXTENSION = Extension(
    name="server-etcd",
    server_kinds=(
        ServerKind(
            name="etcd",
            program=f"{_HERE}.program:EtcdProgram",
            behaviour=f"{_HERE}.behaviour:EtcdKind",
            protocols=(
                WireProtocol(
                    "etcd",
                    2379,
                    {
                        **dict.fromkeys(_NOT_REACHED, "context deadline exceeded"),
                        "server": "etcdserver: ${error}",
                    },
                    http=True,
                    commands=("delete", "get", "put"),
                ),
            ),
            commands=(Command("etcdctl", f"{_HERE}.client:etcdctl"),),
            tool_sets={"etcd": ("etcdctl",)},
            durable={"etcd": f"{_HERE}.data:describe"},
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
