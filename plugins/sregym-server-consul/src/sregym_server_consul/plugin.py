"""Adds Consul to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

_HERE = "sregym_server_consul"

EXTENSION = Extension(
    name="server-consul",
    server_kinds=(
        ServerKind(
            name="registry",
            program=f"{_HERE}.program:RegistryProgram",
            behaviour=f"{_HERE}.behaviour:RegistryKind",
            protocols=(
                WireProtocol("registry", 8500, call_spans=False, http=True, discovery=True),
            ),
            commands=(Command("consul", f"{_HERE}.client:consul"),),
            log_formats={"consul": f"{_HERE}.server_log:line"},
            background=f"{_HERE}.server_log:background",
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
