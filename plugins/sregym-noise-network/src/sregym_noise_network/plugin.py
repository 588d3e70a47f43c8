"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Registration]:
    """The noise sources of this plugin."""
    return [
        Registration("network-bandwidth", "sregym_noise_network.links:NetworkBandwidth"),
        Registration("network-delay", "sregym_noise_network.links:NetworkDelay"),
        Registration("network-duplicates", "sregym_noise_network.links:NetworkDuplicates"),
        Registration("network-jitter", "sregym_noise_network.links:NetworkJitter"),
        Registration("network-loss", "sregym_noise_network.links:NetworkLoss"),
        Registration("network-partition", "sregym_noise_network.partitions:NetworkPartition"),
    ]
