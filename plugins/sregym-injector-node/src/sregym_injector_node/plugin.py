"""Entry point of the plugin: names its faults and imports none of them."""

from __future__ import annotations

from sregym_core import Registration, hookimpl

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
def sregym_register_injectors() -> list[Registration]:
    """The faults of this plugin."""
    return [
        Registration("node-disk-full", "sregym_injector_node.disk_full:NodeDiskFull"),
        Registration("node-clock-ahead", "sregym_injector_node.clock:NodeClockAhead"),
        Registration("open-files-limited", "sregym_injector_node.open_files:OpenFilesLimited"),
        Registration("node-sysctl", "sregym_injector_node.sysctl:NodeSysctl"),
        Registration("zone-lost", "sregym_injector_node.zone_lost:ZoneLost"),
        *(Registration(name, f"sregym_injector_node.node_setting:{name}") for name in SETTINGS),
    ]
