"""The few commands that hosts of a memory cluster know: sysctl, fallocate, rm, df, true, crictl stop, and ssh to another."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sregym_core.interfaces import CommandResult
from sregym_kubernetes.node_settings import DiskFill, Sysctl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import NodeAccess

DISK_KIB = 100 * 2**20
SYSTEM_KIB = 20 * 2**20


def run_on_small_host(
    access: NodeAccess, files: dict[tuple[str, str], int], node: str, argv: Sequence[str]
) -> CommandResult:
    """Run one command.

    Args:
        access: The machines; settings that a command changes are applied there.
        files: Sizes in bytes of the files that were made, by node and path.
        node: On which host.
        argv: The command.
    """
    match list(argv):
        case ["ssh", "-o", "BatchMode=yes", other, line]:
            return access.run(other, shlex.split(line))
        case ["sysctl", "-w", assignment]:
            name, _, value = assignment.partition("=")
            access.apply(Sysctl(node=node, name=name, value=value))
            return CommandResult(0, f"{name} = {value}\n")
        case ["fallocate", "-l", size, path]:
            files[node, path] = int(size)
            return CommandResult(0)
        case ["rm", "-f", path]:
            files.pop((node, path), None)
            return CommandResult(0)
        case ["crictl", "stop", _] | ["true"]:
            return CommandResult(0)
        case ["df", "-P", "-k", path]:
            return CommandResult(0, _df(access, node, path))
    return CommandResult(127, stderr=f"{argv[0]}: command not found\n")


def _df(access: NodeAccess, node: str, path: str) -> str:
    taken = access.read(DiskFill(node=node)).taken_bytes // 1024
    used = SYSTEM_KIB + taken
    free = max(DISK_KIB - used, 0)
    share = round(100 * used / DISK_KIB)
    head = "Filesystem     1024-blocks      Used Available Capacity Mounted on"
    return f"{head}\n/dev/vda1 {DISK_KIB} {used} {free} {share}% {path}\n"
