"""Entry point of the plugin: subcommands that tell what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """The listings, and `catalogue`."""
    return [
        Offer("problems", "sregym_catalogue.problems:Problems"),
        Offer("show", "sregym_catalogue.problems:Show"),
        Offer("applications", "sregym_catalogue.applications:Applications"),
        Offer("faults", "sregym_catalogue.faults:Faults"),
        Offer("noise", "sregym_catalogue.noise:NoiseSources"),
        Offer("catalogue", "sregym_catalogue.command:Catalogue"),
    ]
