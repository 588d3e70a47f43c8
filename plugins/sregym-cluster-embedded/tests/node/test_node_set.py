"""Nodes that join, are deleted, or are only objects; what becomes of their pods."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.node.bootstrap import NodeSpec, add_node
from sregym_cluster_embedded.node.kubelets import freeze_kubelet
from sregym_cluster_embedded.store import Key

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  nodeName: NODE
  containers: [{name: web, image: "registry.example/shop/web:1.0"}]
"""


def node_events(shop: Any, name: str) -> set[str]:
    return {
        event["message"]
        for event in shop.world.store.list("events", "default")
        if event["involvedObject"]["name"] == name
        and event["source"]["component"] == "node-controller"
    }


def pod(shop: Any) -> Any:
    return shop.world.store.get(Key("pods", "shop", "app"))


def test_a_node_joins_and_takes_pods(shop: Any) -> None:
    add_node(shop.world, NodeSpec(images=("registry.example/shop/web:1.0",)))
    shop.apply(POD.replace("NODE", "node3"))
    shop.run(3)
    assert pod(shop)["status"]["phase"] == "Running"
    assert pod(shop)["status"]["podIP"].startswith("10.244.2.")
    assert pod(shop)["status"]["hostIP"] == "10.77.0.4"
    assert node_events(shop, "node3") == {"Node node3 event: Registered Node node3 in Controller"}


def test_the_pods_of_a_deleted_node_go_after_its_quarantine(shop: Any) -> None:
    shop.apply(POD.replace("NODE", "node2"))
    shop.run(3)
    internal_client.delete(shop.world, Key("nodes", "", "node2"))
    shop.run(38)
    assert pod(shop)["status"]["phase"] == "Running"
    shop.run(23)
    assert pod(shop) is None
    assert "Node node2 event: Removing Node node2 from Controller" in node_events(shop, "node2")
    last = next(
        change.obj
        for change in shop.world.store.history
        if change.type == "DELETED" and change.key.name == "app"
    )
    target = last["status"]["conditions"][-1]
    assert (last["status"]["phase"], target["reason"], target["message"]) == (
        "Failed",
        "DeletionByPodGC",
        "PodGC: node no longer exists",
    )


def test_a_pod_bound_to_no_node_waits_for_its_end(shop: Any) -> None:
    shop.apply(POD.replace("NODE", "node9"))
    shop.run(30)
    assert pod(shop)["status"]["phase"] == "Pending"
    shop.run(31)
    assert pod(shop) is None


def test_a_node_that_is_only_an_object_never_reports(shop: Any) -> None:
    internal_client.create(shop.world, "nodes", {"metadata": {"name": "ghost"}, "spec": {}})
    shop.run(1)
    ghost = shop.world.store.get(Key("nodes", "", "ghost"))
    assert ghost["spec"]["podCIDR"] == "10.244.2.0/24"
    assert machines.machine(shop.world, "ghost") is None
    shop.run(70)
    ghost = shop.world.store.get(Key("nodes", "", "ghost"))
    assert {
        (entry["status"], entry["reason"], entry["message"])
        for entry in ghost["status"]["conditions"]
    } == {("Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status.")}


def test_pods_leave_a_node_that_is_declared_out_of_service(shop: Any) -> None:
    shop.apply(POD.replace("NODE", "node2"))
    shop.run(3)
    freeze_kubelet(shop.world, "node2", True)
    internal_client.delete(shop.world, Key("pods", "shop", "app"))
    shop.run(70)
    assert "deletionTimestamp" in pod(shop)["metadata"]
    node = shop.world.store.get(Key("nodes", "", "node2"))
    taint = {
        "key": "node.kubernetes.io/out-of-service",
        "effect": "NoExecute",
        "value": "nodeshutdown",
    }
    taints = [*node["spec"]["taints"], taint]
    internal_client.update(
        shop.world, "nodes", {**node, "spec": {**node["spec"], "taints": taints}}
    )
    shop.run(21)
    assert pod(shop) is None
