"""What becomes of a node whose kubelet falls silent, and of the pods on it."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import HEARTBEATS, KUBELET_REACHABLE, LOGS
from sregym_cluster_embedded.node.kubelets import freeze_kubelet, start_kubelet, stop_kubelet
from sregym_cluster_embedded.store import Key, Object

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: NAME}
spec:
  nodeName: node2
  terminationGracePeriodSeconds: 2
  tolerations: TOLERATIONS
  containers: [{name: web, image: "registry.example/shop/web:1.0"}]
"""
PATIENT = (
    "[{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, "
    "tolerationSeconds: 10}]"
)


def put(shop: Any, name: str = "app", tolerations: str = PATIENT) -> None:
    shop.apply(POD.replace("NAME", name).replace("TOLERATIONS", tolerations))
    shop.run(3)


def node(shop: Any, name: str = "node2") -> Object:
    found: Object = shop.world.store.get(Key("nodes", "", name))
    return found


def pod(shop: Any, name: str = "app") -> Object:
    found: Object = shop.world.store.get(Key("pods", "shop", name))
    return found


def readiness(obj: Object) -> tuple[str, str]:
    ready = next(entry for entry in obj["status"]["conditions"] if entry["type"] == "Ready")
    return ready["status"], ready.get("reason", "")


def taints(shop: Any) -> list[tuple[str, str]]:
    return [(entry["key"], entry["effect"]) for entry in node(shop)["spec"].get("taints", [])]


def node_events(shop: Any, component: str) -> list[str]:
    return [
        event["message"]
        for event in shop.world.store.list("events", "default")
        if event["source"]["component"] == component and event["involvedObject"]["name"] == "node2"
    ]


def until_unknown(shop: Any) -> float:
    began = shop.world.now
    while readiness(node(shop))[0] != "Unknown" and shop.world.now < began + 70:
        shop.run(0.5)
    return float(shop.world.now - began)


def test_a_frozen_kubelet_makes_its_node_unknown_within_the_grace_period(shop: Any) -> None:
    put(shop)
    freeze_kubelet(shop.world, "node2", True)
    assert 40.0 <= until_unknown(shop) <= 55.5
    unknown = ("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status.")
    assert [
        (entry["type"], entry["status"], entry["reason"], entry["message"])
        for entry in node(shop)["status"]["conditions"]
    ] == [(name, *unknown) for name in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")]
    shop.run(0.6)
    assert taints(shop) == [
        ("node.kubernetes.io/unreachable", "NoSchedule"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
    ]
    assert readiness(pod(shop)) == ("False", "")
    assert pod(shop)["status"]["containerStatuses"][0]["ready"] is True
    assert shop.events("NodeNotReady") == [("Node is not ready", 1)]
    assert "Node node2 status is now: NodeNotReady" in node_events(shop, "node-controller")
    assert readiness(node(shop, "node1")) == ("True", "KubeletReady")


def test_its_lease_and_heartbeats_stand_still(shop: Any) -> None:
    world = shop.world
    freeze_kubelet(world, "node2", True)
    frozen_at = world.now
    shop.run(300)
    lease = world.store.get(Key("leases.coordination.k8s.io", "kube-node-lease", "node2"))
    renewed = world.service(HEARTBEATS)(world, "leases.coordination.k8s.io", lease)["spec"]
    assert world.micro_timestamp(frozen_at - 10) <= renewed["renewTime"]
    assert renewed["renewTime"] <= world.micro_timestamp(frozen_at)
    beats = {
        entry["lastHeartbeatTime"]
        for entry in world.service(HEARTBEATS)(world, "nodes", node(shop))["status"]["conditions"]
    }
    assert max(beats) <= world.timestamp(frozen_at)


def test_its_pods_are_deleted_after_their_toleration_and_stay(shop: Any) -> None:
    put(shop)
    put(shop, "steady", "[{operator: Exists}]")
    freeze_kubelet(shop.world, "node2", True)
    until_unknown(shop)
    shop.run(11)
    assert shop.events("TaintManagerEviction") == [("Marking for deletion Pod shop/app", 1)]
    target = pod(shop)["status"]["conditions"][-1]
    assert (target["type"], target["reason"], target["message"]) == (
        "DisruptionTarget",
        "DeletionByTaintManager",
        "Taint manager: deleting due to NoExecute taint",
    )
    shop.run(200)
    assert "deletionTimestamp" in pod(shop)["metadata"]
    assert pod(shop)["status"]["phase"] == "Running"
    assert "deletionTimestamp" not in pod(shop, "steady")["metadata"]


def test_a_kubelet_that_goes_on_ends_the_deleted_pods_and_reports(shop: Any) -> None:
    put(shop)
    put(shop, "steady", "[{operator: Exists}]")
    freeze_kubelet(shop.world, "node2", True)
    shop.run(100)
    freeze_kubelet(shop.world, "node2", False)
    shop.run(0.5)
    assert readiness(pod(shop, "steady")) == ("True", "")
    assert readiness(node(shop)) == ("Unknown", "NodeStatusUnknown")
    shop.run(4)
    assert pod(shop) is None
    shop.run(12)
    assert readiness(node(shop)) == ("True", "KubeletReady")
    assert taints(shop) == []
    assert sorted(node_events(shop, "kubelet")) == [
        "Node node2 status is now: NodeHasNoDiskPressure",
        "Node node2 status is now: NodeHasSufficientMemory",
        "Node node2 status is now: NodeHasSufficientPID",
        "Node node2 status is now: NodeNotReady",
        "Node node2 status is now: NodeReady",
        "Starting kubelet.",
        "Updated Node Allocatable limit across pods",
    ]


def test_a_pod_that_is_still_tolerated_stays_when_its_node_comes_back(shop: Any) -> None:
    put(shop, tolerations=PATIENT.replace("10", "100"))
    freeze_kubelet(shop.world, "node2", True)
    until_unknown(shop)
    shop.run(1)
    freeze_kubelet(shop.world, "node2", False)
    shop.run(200)
    assert shop.events("TaintManagerEviction") == [("Cancelling deletion of Pod shop/app", 1)]
    assert readiness(pod(shop)) == ("True", "")


def test_when_no_node_is_ready_nobody_is_evicted(shop: Any) -> None:
    put(shop)
    for name in ("node1", "node2"):
        freeze_kubelet(shop.world, name, True)
    shop.run(120)
    assert readiness(node(shop)) == ("Unknown", "NodeStatusUnknown")
    assert taints(shop) == [("node.kubernetes.io/unreachable", "NoSchedule")]
    assert "deletionTimestamp" not in pod(shop)["metadata"]


def test_a_new_pod_on_a_silent_node_does_not_start(shop: Any) -> None:
    freeze_kubelet(shop.world, "node2", True)
    put(shop)
    assert pod(shop)["status"]["phase"] == "Pending"
    assert "containerStatuses" not in pod(shop)["status"]
    freeze_kubelet(shop.world, "node2", False)
    shop.run(4)
    assert pod(shop)["status"]["phase"] == "Running"


@pytest.mark.parametrize(
    ("silence", "why"),
    [
        (stop_kubelet, "dial tcp 10.77.0.3:10250: connect: connection refused"),
        (lambda world, name: freeze_kubelet(world, name, True), "net/http: TLS handshake timeout"),
    ],
)
def test_logs_of_a_silent_node_are_refused(shop: Any, silence: Any, why: str) -> None:
    put(shop)
    silence(shop.world, "node2")
    with pytest.raises(ApiError) as refused:
        shop.world.service(LOGS)(shop.world, "shop", "app", "", {})
    assert refused.value.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'Get "https://10.77.0.3:10250/containerLogs/shop/app/web": {why}',
        "code": 500,
    }
    with pytest.raises(ApiError) as refused:
        shop.world.service(KUBELET_REACHABLE)(shop.world, pod(shop), "exec")
    assert refused.value.status["message"] == f"error dialing backend: {why}"


def test_a_stopped_kubelet_says_that_it_starts(shop: Any) -> None:
    stop_kubelet(shop.world, "node2")
    shop.run(60)
    assert readiness(node(shop))[0] == "Unknown"
    start_kubelet(shop.world, "node2")
    shop.run(2)
    assert readiness(node(shop)) == ("True", "KubeletReady")
    assert "Starting kubelet." in node_events(shop, "kubelet")


@pytest.mark.parametrize(
    "written", [{}, {"conditions": None}, {"conditions": [{"type": "Ready", "status": "False"}]}]
)
def test_a_kubelet_corrects_what_others_write_into_its_nodes_status(
    shop: Any, written: Object
) -> None:
    internal_client.update_status(shop.world, Key("nodes", "", "node2"), written)
    shop.run(11)
    assert readiness(node(shop)) == ("True", "KubeletReady")
    shop.run(10)
    assert taints(shop) == []


def test_an_unknown_node_has_no_kubelet(shop: Any) -> None:
    with pytest.raises(LookupError) as unknown:
        freeze_kubelet(shop.world, "node9", True)
    assert str(unknown.value) == "the cluster has no node 'node9'"


def test_a_fork_is_silent_on_its_own(shop: Any) -> None:
    twin = shop.world.fork()
    freeze_kubelet(twin, "node2", True)
    twin.run_until(twin.now + 70)
    shop.run(70)
    assert readiness(twin.store.get(Key("nodes", "", "node2"))) == ("Unknown", "NodeStatusUnknown")
    assert readiness(node(shop)) == ("True", "KubeletReady")


def test_a_kubelet_outside_of_the_simulation_keeps_its_node(shop: Any) -> None:
    """As long as it renews its lease: what it wrote stands there, not what a rhythm says."""
    lease = Key("leases.coordination.k8s.io", "kube-node-lease", "metal-1")
    named = {"name": lease.name, "namespace": lease.namespace}
    internal_client.create(shop.world, "nodes", {"metadata": {"name": "metal-1"}})
    internal_client.create(shop.world, lease.resource, {"metadata": named, "spec": {}})
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": ""}
    internal_client.update_status(shop.world, Key("nodes", "", "metal-1"), {"conditions": [ready]})
    fresh = shop.world.service(HEARTBEATS)
    for _ in range(20):
        shop.run(10)
        held, now = shop.world.store.get(lease), shop.world.micro_timestamp(shop.world.now)
        internal_client.update(shop.world, lease.resource, {**held, "spec": {"renewTime": now}})
        stored = shop.world.store.get(lease)
        assert fresh(shop.world, lease.resource, stored)["spec"]["renewTime"] == now
    assert readiness(node(shop, "metal-1")) == ("True", "KubeletReady")
    shop.run(70)
    assert readiness(node(shop, "metal-1")) == ("Unknown", "NodeStatusUnknown")
