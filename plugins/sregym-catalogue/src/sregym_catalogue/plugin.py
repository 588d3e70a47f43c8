"""Entry point of the plugin: subcommands that tell what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """The listings, and `catalogue`."""
    return [
        Registration("problems", "sregym_catalogue.problems:Problems"),
        Registration("show", "sregym_catalogue.problems:Show"),
        Registration("applications", "sregym_catalogue.applications:Applications"),
        Registration("faults", "sregym_catalogue.faults:Faults"),
        Registration("noise", "sregym_catalogue.noise:NoiseSources"),
        Registration("catalogue", "sregym_catalogue.command:Catalogue"),
    ]
