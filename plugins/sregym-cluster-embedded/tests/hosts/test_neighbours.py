"""Processes of a node beside its pods: seen, felt, and ended by a signal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import Cluster, ClusterSpec, Command, NodeAccess
from sregym_kubernetes.node_settings import CpuUse, DiskUse, MemoryUse


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Embedded().provision(ClusterSpec(seed=1))
    made.clock.advance(120.0)
    yield made
    made.close()


def access_of(cluster: Cluster) -> tuple[NodeAccess, str]:
    assert cluster.nodes is not None
    return cluster.nodes, cluster.nodes.nodes()[0].name


def test_it_stands_among_the_processes_and_in_the_figures(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    assert access.run(node, ("pgrep", "-x", "xz")).exit_code == 1
    access.apply(CpuUse(node=node, cores=3))
    access.apply(MemoryUse(node=node, taken_bytes=2 * 2**30))
    cluster.clock.advance(120.0)
    shown = access.run(node, ("sh", "-c", "ps aux | grep -E ' (xz|sort) -'")).stdout.splitlines()
    fields = [line.split(maxsplit=10) for line in shown if "grep" not in line]
    assert [(entry[2], entry[5], entry[10]) for entry in fields] == [
        ("300.0", "9400", "xz -9 -T0 -k /var/backups/journal.tar"),
        ("0.0", "2106552", "sort -S 90% -u /var/backups/export.csv"),
    ]
    top = cluster.kubectl(Command(("kubectl", "top", "node", node))).stdout.splitlines()[1]
    assert 3000 <= int(top.split()[1].removesuffix("m")) < 3600


@pytest.mark.parametrize("line", ["pkill -x xz", "pkill -9 xz", "kill 41207", "kill -KILL 41207"])
def test_a_signal_ends_it(cluster: Cluster, line: str) -> None:
    access, node = access_of(cluster)
    hidden = dict(cluster.hidden_state())
    access.apply(CpuUse(node=node, cores=3))
    access.run(node, ("kill", "-STOP", "41207"))
    access.run(node, ("pkill", "-x", "x"))
    assert access.read(CpuUse(node=node)).cores == 3
    access.run(node, line.split())
    assert access.settings() == ()
    assert dict(cluster.hidden_state()) == hidden


def test_those_who_ask_the_disk_are_told_apart_by_what_they_do(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    for displaced, name, other in ((0.0, "fio", "clamscan"), (1.0, "clamscan", "fio")):
        access.apply(DiskUse(node=node, queued=64, displaced=displaced))
        assert access.run(node, ("pkill", "-x", other)).exit_code == 1
        assert access.run(node, ("ps", "-C", name, "-o", "stat=")).stdout.strip()[:1] == "D"
        assert access.run(node, ("pkill", "-x", name)).ok
        assert access.settings() == ()
