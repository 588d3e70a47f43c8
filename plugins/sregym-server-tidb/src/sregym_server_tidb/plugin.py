"""Adds PD, TiKV and TiDB to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Extension, ServerKind

_HERE = "sregym_server_tidb"
_IMAGES = (f"{_HERE}:images.yaml",)
_FORMATS = {"tidb": f"{_HERE}.server_log:line"}

EXTENSION = Extension(
    name="server-tidb",
    server_kinds=(
        ServerKind(
            name="pd",
            program=f"{_HERE}.program:PdProgram",
            behaviour=f"{_HERE}.pd_kind:PdKind",
            durable={"pd": f"{_HERE}.topology:describe_pd"},
            exporter=f"{_HERE}.exporter:PD_EXPORTER",
            log_formats=_FORMATS,
            images=_IMAGES,
        ),
        ServerKind(
            name="tikv",
            program=f"{_HERE}.program:TikvProgram",
            behaviour=f"{_HERE}.tikv_kind:TikvKind",
            durable={"tikv": f"{_HERE}.topology:describe_store"},
            exporter=f"{_HERE}.exporter:TIKV_EXPORTER",
            log_formats=_FORMATS,
        ),
        ServerKind(
            name="tidb",
            program=f"{_HERE}.program:TidbProgram",
            behaviour=f"{_HERE}.tidb_kind:TidbKind",
            exporter=f"{_HERE}.exporter:TIDB_EXPORTER",
            log_formats=_FORMATS,
        ),
    ),
)
