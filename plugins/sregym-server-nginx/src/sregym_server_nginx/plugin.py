"""Adds nginx to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind

_HERE = "sregym_server_nginx"

EXTENSION = Extension(
    name="server-nginx",
    server_kinds=(
        ServerKind(
            name="nginx",
            program=f"{_HERE}.program:NginxProgram",
            behaviour=f"{_HERE}.behaviour:NginxKind",
            commands=(Command("nginx", f"{_HERE}.client:nginx"),),
            users={"nginx": 101},
            tables=("userland.nginx",),
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
