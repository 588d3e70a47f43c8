"""After recovery nodes are waited for: conditions, taints, and pods that were evicted."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.errors import WorldError
from sregym_core.interfaces.cluster import KubeObject
from sregym_core.model import ObjectRef
from sregym_kubernetes.operations.node_recovery import (
    delete_failed_pods,
    failed_pods,
    node_differences,
    wait_nodes,
)
from sregym_testing import MemoryCluster, worker_nodes

PRESSURE = {"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}


class Nodes(MemoryCluster):
    """A cluster of two nodes, of which the first is short of disk until a moment."""

    short_until_s = 0.0
    failed: tuple[str, ...] = ()

    def list(
        self, api_version: str, kind: str, namespace: str = "", labels: str = ""
    ) -> list[KubeObject]:
        if kind == "Pod":
            return [pod(name) for name in self.failed if namespace == "shop"]
        found = super().list(api_version, kind, namespace, labels)
        return [self._shown(obj) for obj in found] if kind == "Node" else found

    def _shown(self, obj: KubeObject) -> KubeObject:
        short = obj["metadata"]["name"] == "worker-1" and self.clock.now() < self.short_until_s
        conditions = [
            {"type": "DiskPressure", "status": "True" if short else "False"},
            {"type": "Ready", "status": "True"},
        ]
        spec = {"taints": [PRESSURE]} if short else {}
        return {**obj, "spec": spec, "status": {"conditions": conditions}}


def pod(name: str) -> dict[str, Any]:
    owner = {"kind": "Job" if "job" in name else "ReplicaSet", "controller": True}
    phase = "Running" if "well" in name else "Failed"
    owners = {} if "bare" in name else {"ownerReferences": [owner]}
    metadata = {"name": name, "namespace": "shop", **owners}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "status": {"phase": phase}}


@pytest.fixture
def cluster() -> Nodes:
    return Nodes(nodes=worker_nodes(2))


def baseline(cluster: Nodes) -> dict[str, KubeObject]:
    return {str(ObjectRef.of(obj)): obj for obj in cluster.list("v1", "Node")}


def test_it_waits_until_a_condition_and_a_taint_are_gone(cluster: Nodes) -> None:
    before = baseline(cluster)
    began = cluster.clock.now()
    cluster.short_until_s = began + 300.0
    assert node_differences(cluster, before) == [
        "node worker-1 has DiskPressure=True",
        "node worker-1 has taints: node.kubernetes.io/disk-pressure:NoSchedule",
    ]
    wait_nodes(cluster, before)
    assert 300.0 <= cluster.clock.now() - began <= 306.0
    assert node_differences(cluster, before) == []


def test_what_is_not_as_before_in_time_is_named(cluster: Nodes) -> None:
    before = baseline(cluster)
    before["Node worker-3"] = {"kind": "Node", "metadata": {"name": "worker-3"}}
    cluster.short_until_s = cluster.clock.now() + 10_000.0
    with pytest.raises(WorldError) as caught:
        wait_nodes(cluster, before)
    assert str(caught.value) == (
        "nodes were not as before after 900 s: node worker-1 has DiskPressure=True; "
        "node worker-1 has taints: node.kubernetes.io/disk-pressure:NoSchedule; "
        "node worker-3 is missing"
    )


def test_a_node_that_was_short_before_may_stay_so(cluster: Nodes) -> None:
    cluster.short_until_s = cluster.clock.now() + 10_000.0
    before = baseline(cluster)
    wait_nodes(cluster, before)
    cluster.short_until_s = 0.0
    assert node_differences(cluster, before)[-1] == "node worker-1 has taints: none"


def test_a_cluster_without_nodes_is_not_waited_for() -> None:
    assert node_differences(MemoryCluster(), {}) == []


def test_pods_that_failed_since_are_deleted(cluster: Nodes, monkeypatch: Any) -> None:
    cluster.failed = ("a-old", "b-new", "c-well", "d-job", "e-bare")
    found = failed_pods(cluster, ("shop",))
    assert [ref.name for ref in found] == ["a-old", "b-new"]
    deleted: list[str] = []
    monkeypatch.setattr(cluster, "delete", lambda ref: deleted.append(ref.name))
    delete_failed_pods(cluster, ("shop",), found[:1])
    assert deleted == ["b-new"]
