"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Offer]:
    """The noise sources of this plugin."""
    return [
        Offer("network-bandwidth", "sregym_noise_network.links:NetworkBandwidth"),
        Offer("network-delay", "sregym_noise_network.links:NetworkDelay"),
        Offer("network-duplicates", "sregym_noise_network.links:NetworkDuplicates"),
        Offer("network-jitter", "sregym_noise_network.links:NetworkJitter"),
        Offer("network-loss", "sregym_noise_network.links:NetworkLoss"),
        Offer("network-partition", "sregym_noise_network.partitions:NetworkPartition"),
    ]
