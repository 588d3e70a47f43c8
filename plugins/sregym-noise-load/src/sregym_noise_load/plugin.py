"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Registration]:
    """The noise sources of this plugin."""
    return [
        Registration("campaign", "sregym_noise_load.visitors:Campaign"),
        Registration("crawler", "sregym_noise_load.visitors:Crawler"),
        Registration("failing-client", "sregym_noise_load.visitors:FailingClient"),
    ]
