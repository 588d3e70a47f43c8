"""Adds Apache CouchDB to simulated clusters and to what service models may say."""

from __future__ import annotations

from sregym_apps.simulation import Extension, ServerKind, WireProtocol

_HERE = "sregym_server_couchdb"

EXTENSION = Extension(
    name="server-couchdb",
    server_kinds=(
        ServerKind(
            name="couchdb",
            program=f"{_HERE}.program:CouchProgram",
            behaviour=f"{_HERE}.behaviour:CouchKind",
            protocols=(
                WireProtocol(
                    "couchdb",
                    5984,
                    one_connection_a_call=True,
                    http=True,
                    commands=("delete", "find", "get", "insert", "update"),
                ),
            ),
            users={"couchdb": 5984},
            durable={"couchdb": f"{_HERE}.data:describe"},
            exporter=f"{_HERE}.exporter:EXPORTER",
            images=(f"{_HERE}:images.yaml",),
        ),
    ),
)
