"""Where pods go, and what is said when they go nowhere."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: {name}}}
spec:
  {spec}
  containers: [{{name: main, image: "registry.example/shop/worker:1.0", {container}}}]
"""
NOT_HELPFUL = (
    " no new claims to deallocate, preemption: 0/2 nodes are available: "
    "2 Preemption is not helpful for scheduling."
)


def refusals(shop: Any, name: str = "big", spec: str = "", container: str = "") -> list[str]:
    shop.apply(POD.format(name=name, spec=spec, container=container))
    shop.run(3)
    return [message for message, _ in shop.events("FailedScheduling")]


def test_too_many_cores(shop: Any) -> None:
    said = refusals(shop, container="resources: {requests: {cpu: '100'}}")
    assert said == [f"0/2 nodes are available: 2 Insufficient cpu.{NOT_HELPFUL}"]


def test_cores_and_memory_together(shop: Any) -> None:
    said = refusals(shop, container="resources: {requests: {cpu: '100', memory: 900Gi}}")
    listed = "2 Insufficient cpu, 2 Insufficient memory"
    assert said == [f"0/2 nodes are available: {listed}.{NOT_HELPFUL}"]


def test_a_node_selector_that_fits_no_node(shop: Any) -> None:
    said = refusals(shop, spec="nodeSelector: {kubernetes.io/hostname: node7}")
    reason = "2 node(s) didn't match Pod's node affinity/selector"
    assert said == [f"0/2 nodes are available: {reason}.{NOT_HELPFUL}"]


def test_taints_that_the_pod_does_not_tolerate(shop: Any) -> None:
    for name in ("node1", "node2"):
        node = shop.world.store.get(Key("nodes", "", name))
        taint = {"key": "dedicated", "value": "billing", "effect": "NoSchedule"}
        internal_client.update(
            shop.world, "nodes", {**node, "spec": {**node["spec"], "taints": [taint]}}
        )
    said = refusals(shop)
    assert said == [f"0/2 nodes are available: 2 node(s) had untolerated taint(s).{NOT_HELPFUL}"]


def test_a_pending_pod_is_placed_when_the_taints_go(shop: Any) -> None:
    test_taints_that_the_pod_does_not_tolerate(shop)
    node = shop.world.store.get(Key("nodes", "", "node2"))
    untainted = {key: value for key, value in node["spec"].items() if key != "taints"}
    internal_client.update(shop.world, "nodes", {**node, "spec": untainted})
    shop.run(2)
    assert [pod["spec"].get("nodeName") for pod in shop.pods()] == ["node2"]


def test_who_waits_is_looked_at_as_soon_as_something_helps(shop: Any) -> None:
    """The scheduler takes pods that wait after a refusal, when it has nothing else to do."""
    refusals(shop, spec="nodeSelector: {disk: ssd}")
    internal_client.patch_metadata(shop.world, Key("nodes", "", "node1"), labels={"disk": "ssd"})
    shop.run(0.1)
    assert [pod["spec"].get("nodeName") for pod in shop.pods()] == ["node1"]


def test_a_host_port_is_given_once_per_node(shop: Any) -> None:
    port = "ports: [{containerPort: 8080, hostPort: 8080}]"
    assert refusals(shop, "one", container=port) == []
    assert refusals(shop, "two", container=port) == []
    free = "2 node(s) didn't have free ports for the requested pod ports"
    victims = (
        " no new claims to deallocate, preemption: 0/2 nodes are available: "
        "2 No preemption victims found for incoming pod."
    )
    said = refusals(shop, "three", container=port)
    assert said == [f"0/2 nodes are available: {free}.{victims}"]


def test_a_missing_claim(shop: Any) -> None:
    spec = "volumes: [{name: d, persistentVolumeClaim: {claimName: nothing}}]"
    said = refusals(shop, spec=spec)
    why = 'persistentvolumeclaim "nothing" not found'
    assert said == [f"0/2 nodes are available: {why}. not found"]


def test_replicas_are_spread_over_the_nodes(shop: Any) -> None:
    shop.apply(
        """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
"""
    )
    shop.run(2)
    nodes = sorted(pod["spec"]["nodeName"] for pod in shop.pods())
    assert nodes == ["node1", "node1", "node2", "node2"]


def test_who_fits_nowhere_is_told_so_again_after_five_minutes(shop: Any) -> None:
    refusals(shop, spec="nodeSelector: {kubernetes.io/hostname: node7}")
    shop.run(240)
    assert [count for _, count in shop.events("FailedScheduling")] == [1]
    shop.run(120)
    assert [count for _, count in shop.events("FailedScheduling")] == [2]


def test_changes_that_help_nobody_wake_nobody(shop: Any) -> None:
    refusals(shop, spec="nodeSelector: {disk: ssd}")
    place = Key("nodes", "", "node1")
    internal_client.patch_metadata(shop.world, place, labels={"rack": "7"})
    shop.run(5)
    assert [count for _, count in shop.events("FailedScheduling")] == [1]
    internal_client.patch_metadata(shop.world, place, labels={"disk": "ssd"})
    shop.run(5)
    assert [pod["spec"].get("nodeName") for pod in shop.pods()] == ["node1"]


def test_a_pod_of_a_daemon_set_that_is_too_big_names_the_filter(shop: Any) -> None:
    shop.apply(
        """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: big}
spec:
  selector: {matchLabels: {app: big}}
  template:
    metadata: {labels: {app: big}}
    spec:
      containers:
      - {name: c, image: "registry.example/shop/web:1.0", resources: {requests: {cpu: "9"}}}
"""
    )
    shop.run(3)
    (said, *_) = [message for message, _ in shop.events("FailedScheduling")]
    listed = "1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]"
    assert said == f"0/2 nodes are available: {listed}.{NOT_HELPFUL}"


def test_sidecars_and_init_containers_count_as_the_kubelet_runs_them(shop: Any) -> None:
    both = """initContainers:
  - name: side
    image: "registry.example/shop/worker:1.0"
    restartPolicy: Always
    resources: {requests: {cpu: 500m}}
  - name: first
    image: "registry.example/library/busybox:1.36"
    command: [sh, -c, "exit 0"]
    resources: {requests: {cpu: 1600m}}"""
    said = refusals(shop, spec=both, container="resources: {requests: {cpu: 100m}}")
    assert said == [f"0/2 nodes are available: 2 Insufficient cpu.{NOT_HELPFUL}"]
