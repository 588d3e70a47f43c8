"""Entry point of the plugin: names its noise sources and does not import them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl


@hookimpl
def sregym_register_noise_sources() -> list[Registration]:
    """The noise sources of this plugin."""
    return [
        Registration("clock-drift", "sregym_noise_node.daemons:ClockDrift"),
        Registration("cpu-neighbour", "sregym_noise_node.neighbours:CpuNeighbour"),
        Registration("disk-filling", "sregym_noise_node.neighbours:DiskFilling"),
        Registration("disk-neighbour", "sregym_noise_node.neighbours:DiskNeighbour"),
        Registration("io-delay", "sregym_noise_node.disks:IoDelay"),
        Registration("io-errors", "sregym_noise_node.disks:IoErrors"),
        Registration("kubelet-restart", "sregym_noise_node.daemons:KubeletRestart"),
        Registration("memory-neighbour", "sregym_noise_node.neighbours:MemoryNeighbour"),
        Registration("network-neighbour", "sregym_noise_node.neighbours:NetworkNeighbour"),
    ]
