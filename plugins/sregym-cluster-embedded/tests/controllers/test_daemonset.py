"""DaemonSets on a real world: which nodes get a pod, updates, counts and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key, Object

DAEMON_SET = """
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: agent, image: "registry.example/shop/worker:1.0"}]
"""
AGENT = Key("daemonsets.apps", "shop", "agent")


def change(shop: Any, **fields: Any) -> None:
    daemon_set = shop.world.store.get(AGENT)
    spec = {**daemon_set["spec"], **fields}
    internal_client.update(shop.world, AGENT.resource, {**daemon_set, "spec": spec})


def change_pod_spec(shop: Any, **fields: Any) -> None:
    template = shop.world.store.get(AGENT)["spec"]["template"]
    change(shop, template={**template, "spec": {**template["spec"], **fields}})


def set_image(shop: Any, image: str) -> None:
    template = shop.world.store.get(AGENT)["spec"]["template"]
    container = template["spec"]["containers"][0]
    change_pod_spec(shop, containers=[{**container, "image": f"registry.example/shop/{image}"}])


def change_node(shop: Any, name: str, **fields: Any) -> None:
    node = shop.world.store.get(Key("nodes", "", name))
    internal_client.update(shop.world, "nodes", {**node, "spec": {**node["spec"], **fields}})


def placed(shop: Any) -> list[tuple[str, str]]:
    """(node, image) of the pods that are not being deleted."""
    return sorted(
        (
            pod["spec"].get("nodeName", ""),
            pod["spec"]["containers"][0]["image"].rpartition("/")[2],
        )
        for pod in shop.pods()
        if "deletionTimestamp" not in pod["metadata"]
    )


def status(shop: Any) -> Object:
    found: Object = shop.world.store.get(AGENT)["status"]
    return found


def running_during(shop: Any, seconds: float) -> tuple[int, int]:
    """The least and the most pods that run at once while time passes."""
    counts = []
    for _ in range(int(seconds * 20)):
        shop.run(0.05)
        counts.append(sum(1 for pod in shop.pods() if pod["status"].get("phase") == "Running"))
    return min(counts), max(counts)


def test_each_node_gets_a_pod_bound_by_the_scheduler(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    assert placed(shop) == [("node1", "worker:1.0"), ("node2", "worker:1.0")]
    pod = shop.pods()[0]
    assert pod["spec"]["affinity"] == {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchFields": [
                            {
                                "key": "metadata.name",
                                "operator": "In",
                                "values": [pod["spec"]["nodeName"]],
                            }
                        ]
                    }
                ]
            }
        }
    }
    assert [
        (entry["key"].rpartition("/")[2], entry["operator"], entry["effect"])
        for entry in pod["spec"]["tolerations"]
    ] == [
        ("not-ready", "Exists", "NoExecute"),
        ("unreachable", "Exists", "NoExecute"),
        ("disk-pressure", "Exists", "NoSchedule"),
        ("memory-pressure", "Exists", "NoSchedule"),
        ("pid-pressure", "Exists", "NoSchedule"),
        ("unschedulable", "Exists", "NoSchedule"),
    ]
    assert status(shop) == {
        "currentNumberScheduled": 2,
        "desiredNumberScheduled": 2,
        "numberAvailable": 2,
        "numberMisscheduled": 0,
        "numberReady": 2,
        "observedGeneration": 1,
        "updatedNumberScheduled": 2,
    }
    assert sorted(shop.events("SuccessfulCreate")) == [
        (f"Created pod: {pod['metadata']['name']}", 1) for pod in shop.pods()
    ]


def test_a_selector_keeps_pods_off_other_nodes(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    change_pod_spec(shop, nodeSelector={"kubernetes.io/hostname": "node2"})
    shop.run(10)
    assert placed(shop) == [("node2", "worker:1.0")]
    found = status(shop)
    assert (found["desiredNumberScheduled"], found["numberMisscheduled"]) == (1, 0)


def test_taints_keep_out_new_pods_and_only_noexecute_drives_out_old_ones(shop: Any) -> None:
    change_node(shop, "node1", taints=[{"key": "kept", "value": "free", "effect": "NoSchedule"}])
    shop.apply(DAEMON_SET)
    shop.run(5)
    assert placed(shop) == [("node2", "worker:1.0")]
    change_node(shop, "node2", taints=[{"key": "kept", "value": "free", "effect": "NoSchedule"}])
    shop.run(5)
    assert placed(shop) == [("node2", "worker:1.0")]
    assert status(shop)["numberMisscheduled"] == 1
    change_node(shop, "node2", taints=[{"key": "kept", "value": "free", "effect": "NoExecute"}])
    shop.run(5)
    assert placed(shop) == []
    change_node(shop, "node1", taints=[])
    shop.run(5)
    assert placed(shop) == [("node1", "worker:1.0")]


def test_a_cordoned_node_still_gets_its_pod(shop: Any) -> None:
    change_node(shop, "node1", unschedulable=True)
    shop.apply(DAEMON_SET)
    shop.run(5)
    assert placed(shop) == [("node1", "worker:1.0"), ("node2", "worker:1.0")]


def test_an_update_takes_one_node_after_the_other(make_shop: Callable[..., Any]) -> None:
    shop = make_shop(nodes=3)
    shop.apply(DAEMON_SET)
    shop.run(5)
    set_image(shop, "worker:1.1")
    assert running_during(shop, 20) == (2, 3)
    assert [image for _, image in placed(shop)] == ["worker:1.1"] * 3
    annotations = shop.world.store.get(AGENT)["metadata"]["annotations"]
    assert annotations == {"deprecated.daemonset.template.generation": "2"}
    assert sorted(
        entry["revision"] for entry in shop.world.store.list("controllerrevisions.apps", "shop")
    ) == [1, 2]


def test_an_update_may_take_a_share_of_the_nodes_at_once(make_shop: Callable[..., Any]) -> None:
    shop = make_shop(nodes=3)
    shop.apply(DAEMON_SET)
    shop.run(5)
    rolling = {"maxUnavailable": "50%", "maxSurge": 0}
    change(shop, updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    set_image(shop, "worker:1.1")
    assert running_during(shop, 20) == (1, 3)


def test_with_surge_the_new_pod_runs_before_the_old_one_goes(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    rolling = {"maxUnavailable": 0, "maxSurge": 1}
    change(shop, updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    set_image(shop, "worker:1.1")
    assert running_during(shop, 20) == (2, 3)
    assert placed(shop) == [("node1", "worker:1.1"), ("node2", "worker:1.1")]


def test_with_surge_an_old_pod_that_serves_nobody_goes_at_once(shop: Any) -> None:
    shop.apply(DAEMON_SET.replace("worker:1.0", "worker:9.9"))
    shop.run(5)
    assert placed(shop) == [("node1", "worker:9.9"), ("node2", "worker:9.9")]
    rolling = {"maxUnavailable": 0, "maxSurge": 1}
    change(shop, updateStrategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    set_image(shop, "worker:8.8")  # which does not exist either
    shop.run(20)
    assert placed(shop) == [("node1", "worker:8.8"), ("node2", "worker:8.8")]


def test_a_bad_image_stops_the_update_at_the_first_node(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    set_image(shop, "worker:9.9")
    shop.run(20)
    assert sorted(image for _, image in placed(shop)) == ["worker:1.0", "worker:9.9"]
    found = status(shop)
    assert (found["numberUnavailable"], found["updatedNumberScheduled"]) == (1, 1)


def test_on_delete_waits_for_somebody_to_delete_the_pods(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    change(shop, updateStrategy={"type": "OnDelete"})
    set_image(shop, "worker:1.1")
    shop.run(5)
    assert placed(shop) == [("node1", "worker:1.0"), ("node2", "worker:1.0")]
    doomed = next(pod for pod in shop.pods() if pod["spec"]["nodeName"] == "node1")
    internal_client.delete(shop.world, Key("pods", "shop", doomed["metadata"]["name"]))
    shop.run(5)
    assert placed(shop) == [("node1", "worker:1.1"), ("node2", "worker:1.0")]


def test_a_failed_pod_is_told_and_replaced(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    pod = next(pod for pod in shop.pods() if pod["spec"]["nodeName"] == "node1")
    name = pod["metadata"]["name"]
    place = Key("pods", "shop", name)
    internal_client.update_status(shop.world, place, {**pod["status"], "phase": "Failed"})
    shop.run(5)
    assert name not in [entry["metadata"]["name"] for entry in shop.pods()]
    assert placed(shop) == [("node1", "worker:1.0"), ("node2", "worker:1.0")]
    assert shop.events("FailedDaemonPod") == [
        (f"Found failed daemon pod shop/{name} on node node1, will try to kill it", 1)
    ]


def test_deleting_the_set_deletes_its_pods(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    internal_client.delete(shop.world, AGENT)
    shop.run(5)
    assert shop.pods() == []


def test_a_daemon_set_takes_away_its_pod_from_a_node_that_drives_it_out(shop: Any) -> None:
    shop.apply(DAEMON_SET)
    shop.run(5)
    (leaving,) = [
        pod["metadata"]["name"] for pod in shop.pods() if pod["spec"]["nodeName"] == "node2"
    ]
    change_node(shop, "node2", taints=[{"key": "kept", "value": "free", "effect": "NoExecute"}])
    shop.run(0.05)
    assert shop.events("SuccessfulDelete") == [(f"Deleted pod: {leaving}", 1)]
    assert shop.events("TaintManagerEviction") == [(f"Marking for deletion Pod shop/{leaving}", 1)]
    pod = shop.world.store.get(Key("pods", "shop", leaving))
    conditions = {entry["type"]: entry.get("reason") for entry in pod["status"]["conditions"]}
    assert "deletionTimestamp" in pod["metadata"]
    assert conditions["DisruptionTarget"] == "DeletionByTaintManager"
