"""What this package adds to simulated clusters."""

from __future__ import annotations

from sregym_apps.simulation import Command, Extension, WireProtocol

EXTENSION = Extension(
    name="acme-toolbox",
    protocols=(
        WireProtocol(
            "parcel",
            4747,
            {
                "dns": "parcel: nobody is called ${host}",
                "refused": "parcel: ${host} is not at home (${ip}:${port})",
                "timeout": "parcel: ${host} did not sign for it",
                "reset": "parcel: ${host} slammed the door",
                "overloaded": "parcel: ${host} has no room",
                "server": "parcel: returned to sender: ${error}",
                "protocol": "parcel: ${host} does not speak parcel",
            },
            db_system="parcel",
            closes_on_http=True,
        ),
    ),
    commands=(Command("whoasks", "acme_toolbox.whoasks:whoasks"),),
    tool_sets={"acme-toolbox": ("whoasks",)},
    exporters=("acme_toolbox.ages:EXPORTER",),
    rules=("acme_toolbox:rules.yaml",),
)
