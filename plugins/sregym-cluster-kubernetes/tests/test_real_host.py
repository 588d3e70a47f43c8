"""Recipes against this machine's own kernel, in a network namespace made by the test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest
from sregym_cluster_kubernetes.nodes.access import HostNodes
from sregym_cluster_kubernetes.nodes.load_recipes import memory_script
from sregym_cluster_kubernetes.nodes.transports import Transport, run_here
from sregym_core.interfaces import CommandResult
from sregym_core.model import Capability
from sregym_kubernetes.node_settings import Sysctl
from sregym_testing import MemoryCluster, worker_nodes

N = "worker-1"
PORTS = "net.ipv4.ip_local_port_range"


class Namespaced(Transport):
    """This machine's own tools, in a network namespace made for one test."""

    def __init__(self, pid: int) -> None:
        self._enter = ("nsenter", "-t", str(pid), "-n", "--")

    def run(self, node: str, argv: Sequence[str], stdin: str = "") -> CommandResult:
        return run_here((*self._enter, *argv), stdin)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_kernel_parameters_for_real() -> None:
    holder = subprocess.Popen(
        ["unshare", "-n", "sh", "-c", "echo up; cat"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        if holder.stdout.readline() != "up\n":
            pytest.skip("network namespaces are not permitted on this machine")
        access = HostNodes(MemoryCluster(nodes=worker_nodes(1)), Namespaced(holder.pid))
        wanted = Sysctl(node=N, name=PORTS, value="40000 40010")
        if shutil.which("sysctl") is None or access.examine(N, Capability.SYSCTLS):
            pytest.skip("sysctl does not run in a network namespace of this machine")
        before = access.read(wanted)
        access.apply(wanted)
        assert access.read(wanted) == wanted
        assert access.read(Sysctl(node=N, name=PORTS)) == wanted
        access.apply(before)
        assert access.read(wanted) == before
    finally:
        holder.communicate("")


@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("sh", "head", "tail"))
    or not Path("/proc/self").exists(),
    reason="needs sh, head, tail and /proc",
)
def test_memory_is_held_for_real() -> None:
    wanted = 32 * 2**20
    holder = subprocess.Popen(
        ["sh", "-c", memory_script(wanted)], start_new_session=True, stdout=subprocess.DEVNULL
    )
    try:
        looks = (_held_by_group(holder.pid) >= wanted or Event().wait(0.05) for _ in range(400))
        assert any(looks)
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
    # Only the shell has been waited for: the rest of the group end when the machine gets to them.
    assert any(_held_by_group(holder.pid) == 0 or Event().wait(0.05) for _ in range(400))


def _held_by_group(group: int) -> int:
    """Bytes in memory of all processes of a group."""
    held = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(folder.name)) == group:
                held += int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):  # it has ended since
            continue
    return held
