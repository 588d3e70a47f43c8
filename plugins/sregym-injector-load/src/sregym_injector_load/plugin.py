"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("spike", "sregym_injector_load.rates:Spike"),
        Registration("mix-shift", "sregym_injector_load.mixes:MixShift"),
        Registration("connections-held", "sregym_injector_load.connections:Connections"),
        Registration("job-at-peak", "sregym_injector_load.batch:JobAtPeak"),
        Registration("flood", "sregym_injector_load.mixes:Flood"),
    ]
