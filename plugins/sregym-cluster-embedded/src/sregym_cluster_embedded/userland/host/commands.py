"""The commands of a node: those that no container has, and those that do more there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.host.bmc import BOARD_COMMANDS
from sregym_cluster_embedded.userland.host.clocks import CLOCK_COMMANDS
from sregym_cluster_embedded.userland.host.crictl import CRI_COMMANDS
from sregym_cluster_embedded.userland.host.device_mapper import DEVICE_COMMANDS
from sregym_cluster_embedded.userland.host.disks import DISK_COMMANDS
from sregym_cluster_embedded.userland.host.filters import FILTER_COMMANDS
from sregym_cluster_embedded.userland.host.journalctl import JOURNAL_COMMANDS
from sregym_cluster_embedded.userland.host.kernel import KERNEL_COMMANDS
from sregym_cluster_embedded.userland.host.power import POWER_COMMANDS
from sregym_cluster_embedded.userland.host.remote import REMOTE_COMMANDS
from sregym_cluster_embedded.userland.host.systemctl import SYSTEMCTL_COMMANDS
from sregym_cluster_embedded.userland.host.traffic_control import CONTROL_COMMANDS

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Command

HOST_COMMANDS: dict[str, Command] = {
    **BOARD_COMMANDS,
    **CLOCK_COMMANDS,
    **CONTROL_COMMANDS,
    **CRI_COMMANDS,
    **DEVICE_COMMANDS,
    **DISK_COMMANDS,
    **FILTER_COMMANDS,
    **JOURNAL_COMMANDS,
    **KERNEL_COMMANDS,
    **POWER_COMMANDS,
    **REMOTE_COMMANDS,
    **SYSTEMCTL_COMMANDS,
}
