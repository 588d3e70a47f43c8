"""What distributions add to simulated clusters, and so to what service models may say.

A distribution offers one `Extension` at an entry point of the group `sregym.simulation`:

    [project.entry-points."sregym.simulation"]
    server-acme = "sregym_server_acme.plugin:EXTENSION"

An extension is a description: names, numbers and words as they are, everything that needs code as
a reference (`package.module:Name`) that is imported on first use. Reading a service model imports
the models of the programs in it and nothing that simulates them.

This package imports no third-party package: listing plugins would pay for it.
"""

from __future__ import annotations

from sregym_apps.simulation.extension import Command, Extension, Reference, ServerKind
from sregym_apps.simulation.installed import (
    SIMULATION,
    Found,
    Installed,
    bundled,
    installed,
    loaded,
)
from sregym_apps.simulation.protocols import GENERIC_PROTOCOLS, TCP_ERRORS, WireProtocol

__all__ = [
    "GENERIC_PROTOCOLS",
    "SIMULATION",
    "TCP_ERRORS",
    "Command",
    "Extension",
    "Found",
    "Installed",
    "Reference",
    "ServerKind",
    "WireProtocol",
    "bundled",
    "installed",
    "loaded",
]
