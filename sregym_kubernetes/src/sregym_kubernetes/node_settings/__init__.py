"""What can be set on the machines of nodes: power, daemons, links, disks, kernel, kubelet, registries."""

from __future__ import annotations

from sregym_kubernetes.node_settings.disks import (
    Blocks,
    DiskBadBlocks,
    DiskCorruption,
    DiskDelay,
    DiskErrors,
    DiskFill,
    DiskReadOnly,
    DiskUse,
)
from sregym_kubernetes.node_settings.kernel import (
    SAME_CALLS,
    CpuUse,
    KernelTable,
    MemoryUse,
    NetworkUse,
    ProcessLimit,
    ProcessStop,
    ProcessTrouble,
    Sysctl,
    SystemCall,
)
from sregym_kubernetes.node_settings.machines import (
    AnyNodeSetting,
    Daemon,
    KubeletField,
    LinkState,
    NodeClock,
    Peer,
    Power,
    RegistryAccess,
    parse_setting,
)

__all__ = [
    "SAME_CALLS",
    "AnyNodeSetting",
    "Blocks",
    "CpuUse",
    "Daemon",
    "DiskBadBlocks",
    "DiskCorruption",
    "DiskDelay",
    "DiskErrors",
    "DiskFill",
    "DiskReadOnly",
    "DiskUse",
    "KernelTable",
    "KubeletField",
    "LinkState",
    "MemoryUse",
    "NetworkUse",
    "NodeClock",
    "Peer",
    "Power",
    "ProcessLimit",
    "ProcessStop",
    "ProcessTrouble",
    "RegistryAccess",
    "Sysctl",
    "SystemCall",
    "parse_setting",
]
