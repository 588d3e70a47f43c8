"""Fields of a kubelet's configuration: in its file, in what it does, and gone without a trace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import Cluster, ClusterSpec, NodeAccess
from sregym_core.model import ObjectRef
from sregym_kubernetes.node_settings import Daemon, KubeletField

FILE = "/var/lib/kubelet/config.yaml"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    made = Embedded().provision(ClusterSpec(seed=1))
    made.clock.advance(60.0)
    yield made
    made.close()


def access_of(cluster: Cluster) -> tuple[NodeAccess, str]:
    assert cluster.nodes is not None
    return cluster.nodes, cluster.nodes.nodes()[0].name


def status(cluster: Cluster, node: str) -> dict:
    found = cluster.get(ObjectRef(api_version="v1", kind="Node", name=node))
    assert found is not None
    return found["status"]


def pressure(cluster: Cluster, node: str) -> dict[str, str]:
    conditions = status(cluster, node)["conditions"]
    return {entry["type"]: entry["status"] for entry in conditions if "Pressure" in entry["type"]}


def test_a_threshold_makes_pressure_until_it_is_gone(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    hidden = dict(cluster.hidden_state())
    access.apply(KubeletField(node=node, field="evictionHard/nodefs.available", value="99%"))
    assert "nodefs.available: 99%" in access.run(node, ("cat", FILE)).stdout
    cluster.clock.advance(30.0)
    assert pressure(cluster, node) == {
        "MemoryPressure": "False", "DiskPressure": "True", "PIDPressure": "False",
    }  # fmt: skip
    assert [setting.key for setting in access.settings()] == [
        f"kubelet-field {node} evictionHard/nodefs.available"
    ]
    access.apply(KubeletField(node=node, field="evictionHard/nodefs.available"))
    cluster.clock.advance(400.0)
    assert pressure(cluster, node)["DiskPressure"] == "False"
    assert access.settings() == ()
    assert dict(cluster.hidden_state()) == hidden


def test_other_thresholds_are_off_where_one_is_named(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    access.apply(KubeletField(node=node, field="evictionHard", value={"memory.available": "99%"}))
    access.run(node, ("fallocate", "-l", "240000000000", "/var/log/big"))
    cluster.clock.advance(30.0)
    assert pressure(cluster, node) == {
        "MemoryPressure": "True", "DiskPressure": "False", "PIDPressure": "False",
    }  # fmt: skip


def test_the_most_pods_stand_in_the_nodes_status(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    for value, shown in ((3, "3"), (None, "110")):
        access.apply(KubeletField(node=node, field="maxPods", value=value))
        cluster.clock.advance(30.0)
        found = status(cluster, node)
        assert (found["capacity"]["pods"], found["allocatable"]["pods"]) == (shown, shown)


def test_a_file_that_was_edited_counts_from_the_next_start(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    access.run(node, ("sh", "-c", f"echo 'maxPods: 7' >> {FILE}"))
    cluster.clock.advance(30.0)
    assert status(cluster, node)["capacity"]["pods"] == "110"
    assert access.read(KubeletField(node=node, field="maxPods")).value == 7
    access.run(node, ("systemctl", "restart", "kubelet"))
    cluster.clock.advance(30.0)
    assert status(cluster, node)["capacity"]["pods"] == "7"


def test_a_kubelet_does_not_start_with_what_is_no_quantity(cluster: Cluster) -> None:
    access, node = access_of(cluster)
    wrong = KubeletField(node=node, field="evictionHard/memory.available", value="a lot")
    access.apply(wrong)
    assert access.read(Daemon(node=node, daemon="kubelet")).state == "stopped"
    said = access.run(node, ("journalctl", "-u", "kubelet", "-o", "cat")).stdout
    assert (
        '"command failed" err="failed to run Kubelet: failed to create eviction thresholds: '
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' (memory.available: a lot)\""
    ) in said
