"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("spike", "sregym_injector_load.rates:Spike"),
        Offer("mix-shift", "sregym_injector_load.mixes:MixShift"),
        Offer("connections-held", "sregym_injector_load.connections:Connections"),
        Offer("job-at-peak", "sregym_injector_load.batch:JobAtPeak"),
        Offer("flood", "sregym_injector_load.mixes:Flood"),
    ]
