"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Offer, hookimpl

# The rows of `sregym_injector_node.rows`; a test compares them.
SETTINGS = (
    *("node-disk-threshold", "node-memory-threshold", "node-power-off", "node-cpu-taken"),
    *("node-kubelet-stopped", "node-kubelet-frozen", "node-runtime-stopped"),
    *("node-conntrack-filled", "node-disk-read-only"),
    *("node-link-delay", "node-link-loss", "node-link-narrow"),
    *(
        "node-input-dropped",
        "node-output-dropped",
        "node-cut-off",
        "node-input-rejected",
        "node-input-reset",
    ),
    "node-output-unreachable",
)


@hookimpl
def sregym_register_injectors() -> list[Offer]:
    """The faults of this plugin."""
    return [
        Offer("node-disk-full", "sregym_injector_node.disk_full:NodeDiskFull"),
        Offer("node-clock-ahead", "sregym_injector_node.clock:NodeClockAhead"),
        Offer("open-files-limited", "sregym_injector_node.open_files:OpenFilesLimited"),
        Offer("node-sysctl", "sregym_injector_node.sysctl:NodeSysctl"),
        Offer("zone-lost", "sregym_injector_node.zone_lost:ZoneLost"),
        *(Offer(name, f"sregym_injector_node.node_setting:{name}") for name in SETTINGS),
    ]
