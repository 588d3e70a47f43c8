"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

# The rows of `sregym_injector_dm_dust.rows`; a test compares them.
NAMES = ("disk-slow", "disk-flaky")


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("bad-sectors", "sregym_injector_dm_dust.sectors:BadSectors"),
        Registration("corruption", "sregym_injector_dm_dust.corruption:Corruption"),
        *(Registration(name, f"sregym_injector_dm_dust.faults:{name}") for name in NAMES),
    ]
