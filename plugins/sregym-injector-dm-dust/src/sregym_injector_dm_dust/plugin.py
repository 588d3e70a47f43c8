"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl

# The rows of `sregym_injector_dm_dust.rows`; a test compares them.
NAMES = ("disk-slow", "disk-flaky")


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("bad-sectors", "sregym_injector_dm_dust.sectors:BadSectors"),
        Offer("corruption", "sregym_injector_dm_dust.corruption:Corruption"),
        *(Offer(name, f"sregym_injector_dm_dust.faults:{name}") for name in NAMES),
    ]
