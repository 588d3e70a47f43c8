"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

# The rows of `sregym_injector_stress.rows`; a test compares them.
NAMES = (
    *("pressure-cpu", "pressure-memory", "pressure-disk"),
    *("pressure-page-cache", "pressure-network"),
)


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [Registration(name, f"sregym_injector_stress.faults:{name}") for name in NAMES]
