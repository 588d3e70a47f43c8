"""For tests of faults on nodes: a cluster in memory whose machines are repaired by commands."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from sregym_core.interfaces import CommandResult

from sregym_testing.memory.cluster import worker_nodes
from sregym_testing.memory.full_shop import FullShop
from sregym_testing.memory.host import run_on_small_host
from sregym_testing.memory.nodes import MemoryNodes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sregym_testing.memory.cluster import MemoryCluster

_SSH = ("ssh", "-o", "BatchMode=yes")
_BOARD = "-bmc"


def repairable(cluster: MemoryCluster, repairs: Collection[tuple[str, ...]]) -> MemoryCluster:
    """Let each of these commands make all settings of its node neutral.

    Nothing follows from settings in memory: commands that wait for the end of an eviction, and clean
    up after it, find it done.

    Args:
        cluster: With three workers and the application `FullShop`.
        repairs: Command lines on hosts, as rows of faults have them; by way of another node, too.
    """
    access = cluster.nodes
    assert isinstance(access, MemoryNodes)

    def on_host(node: str, argv: Sequence[str], _stdin: str) -> CommandResult:
        host, words = node, tuple(argv)
        if words[:3] == _SSH:
            host, words = words[3], tuple(shlex.split(words[4]))
        for word in words:  # a management board, asked for from beside its machine
            if word.removesuffix(_BOARD) in machines:
                host = word.removesuffix(_BOARD)
                words = tuple("{node}" + _BOARD if one == word else one for one in words)
        if words not in repairs:
            return run_on_small_host(access, files, host, words)
        for setting in access.settings():
            if host in setting.nodes:
                access.apply(setting.neutral())
        return CommandResult(0)

    machines = [node.name for node in worker_nodes(3)]
    files = access._files  # what the small host itself works with
    access.executor = on_host
    for node in worker_nodes(3):
        for condition in ("DiskPressure=false", "MemoryPressure=false", "Ready=true"):
            wait = f"kubectl wait --for=condition={condition} node/{node.name}"
            cluster.answers[f"{wait} --timeout=600s"] = CommandResult(0)
    for namespace in FullShop().namespaces:
        clean = f"kubectl delete pods -n {namespace} --field-selector=status.phase=Failed"
        cluster.answers[clean] = CommandResult(0)
    return cluster
