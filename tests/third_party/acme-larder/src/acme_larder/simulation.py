"""What this package adds to simulated clusters."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, ServerKind, WireProtocol

EXTENSION = Extension(
    name="acme-larder",
    server_kinds=(
        ServerKind(
            name="larder",
            program="acme_larder.program:LarderProgram",
            behaviour="acme_larder.server:Larder",
            protocols=(
                WireProtocol(
                    "larder",
                    7333,
                    {
                        "dns": "larder: no such host ${host}",
                        "refused": "larder: ${host}:${port} is closed",
                        "timeout": "larder: ${host}:${port} did not answer in time",
                        "overloaded": "larder: 503 all hands busy",
                        "server": "larder: ${error}",
                    },
                    closes_on_http=True,
                ),
            ),
            commands=(Command("larderctl", "acme_larder.client:larderctl", prompt="larder> "),),
            users={"larder": 733},
            log_formats={"larder": "acme_larder.lines:line"},
            durable={"larder": "acme_larder.data:describe"},
            exporter="acme_larder.exporter:EXPORTER",
            images=("acme_larder:images.yaml",),
        ),
    ),
    rules=("acme_larder:rules.yaml",),
)
