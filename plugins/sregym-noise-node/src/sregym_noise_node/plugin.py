"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Offer]:
    """The noise sources of this plugin."""
    return [
        Offer("clock-drift", "sregym_noise_node.daemons:ClockDrift"),
        Offer("cpu-neighbour", "sregym_noise_node.neighbours:CpuNeighbour"),
        Offer("disk-filling", "sregym_noise_node.neighbours:DiskFilling"),
        Offer("disk-neighbour", "sregym_noise_node.neighbours:DiskNeighbour"),
        Offer("io-delay", "sregym_noise_node.disks:IoDelay"),
        Offer("io-errors", "sregym_noise_node.disks:IoErrors"),
        Offer("kubelet-restart", "sregym_noise_node.daemons:KubeletRestart"),
        Offer("memory-neighbour", "sregym_noise_node.neighbours:MemoryNeighbour"),
        Offer("network-neighbour", "sregym_noise_node.neighbours:NetworkNeighbour"),
    ]
