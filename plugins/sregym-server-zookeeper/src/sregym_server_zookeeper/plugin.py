"""Adds Apache ZooKeeper to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_zookeeper"
_LOSS = "KeeperErrorCode = ConnectionLoss for /"

EXTENSION = Extension(
    name="server-zookeeper",
    server_kinds=(
        ServerKind(
            name="zookeeper",
            program=f"{_HERE}.program:ZooProgram",
            behaviour=f"{_HERE}.behaviour:ZooKind",
            protocols=(
                WireProtocol(
                    "zookeeper",
                    2181,
                    dict.fromkeys(
                        ("refused", "timeout", "unreachable", "no_route", "reset", "protocol"),
                        _LOSS,
                    )
                    | {"dns": "Unable to resolve address: ${host}:${port}"},
                    commands=("delete", "get", "put", "set"),
                ),
            ),
            commands=(
                Command("zkCli.sh", f"{_HERE}.client:zk_cli"),
                Command("zkServer.sh", f"{_HERE}.client:zk_server"),
            ),
            tool_sets={"zookeeper": ("zkCli.sh", "zkServer.sh")},
            users={"zookeeper": 1000},
            durable={"zookeeper": f"{_HERE}.data:describe"},
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
