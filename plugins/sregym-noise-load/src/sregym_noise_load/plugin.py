"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Offer]:
    """The noise sources of this plugin."""
    return [
        Offer("campaign", "sregym_noise_load.visitors:Campaign"),
        Offer("crawler", "sregym_noise_load.visitors:Crawler"),
        Offer("failing-client", "sregym_noise_load.visitors:FailingClient"),
    ]
