"""Pods that have a node but for their volumes: the node is theirs, for ten minutes."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.scheduler import reservations
from sregym_cluster_embedded.scheduler.load import node_loads
from sregym_cluster_embedded.store import Key, Object

LATE = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
MOUNTS = "{volumes: [{name: d, persistentVolumeClaim: {claimName: d}}]}"


def claim(places: Any, provisioner: str, mode: str = "ReadWriteOnce") -> None:
    world = places.shop.world
    name = "storageclasses.storage.k8s.io"
    binding = {"volumeBindingMode": "WaitForFirstConsumer"}
    internal_client.create(
        world, name, {"metadata": {"name": "own"}, "provisioner": provisioner, **binding}
    )
    spec = {
        "accessModes": [mode],
        "storageClassName": "own",
        "resources": {"requests": {"storage": "1Gi"}},
    }
    metadata = {"name": "d", "namespace": "shop"}
    internal_client.create(world, "persistentvolumeclaims", {"metadata": metadata, "spec": spec})


def pod(places: Any, name: str = "app") -> Object:
    found: Object = places.shop.world.store.get(Key("pods", "shop", name))
    return found


def failed(places: Any) -> list[tuple[str, int]]:
    return [
        (event["message"], event["count"])
        for event in places.shop.world.store.list("events", "shop")
        if event["reason"] == "FailedScheduling"
    ]


def test_a_pod_waits_on_its_node_for_ten_minutes_and_begins_anew(places: Any) -> None:
    claim(places, "nowhere.example.com")
    assert places.pod("app", MOUNTS) == "not looked at"
    node = pod(places)["status"]["nominatedNodeName"]
    assert node in ("node1", "node2")
    places.shop.run(590)
    assert failed(places) == []
    places.shop.run(10)
    assert failed(places) == [(LATE, 1)]
    (condition,) = pod(places)["status"]["conditions"]
    assert (condition["reason"], condition["message"]) == ("SchedulerError", LATE)
    places.shop.run(3)
    # The claim goes on waiting for a volume on that node.
    assert pod(places)["status"]["nominatedNodeName"] == node
    places.shop.run(600)
    assert failed(places) == [(LATE, 2)]


def test_its_room_is_taken_by_nobody_else(places: Any) -> None:
    places.spec("node2", unschedulable=True)
    claim(places, "nowhere.example.com")
    places.pod("app", MOUNTS, cpu="1500m")
    assert pod(places)["status"]["nominatedNodeName"] == "node1"
    assert "1 Insufficient cpu" in places.pod("late", cpu="1500m")


def test_a_pod_goes_to_the_node_that_it_was_promised(places: Any) -> None:
    claim(places, "rancher.io/local-path")
    places.pod("app", MOUNTS, seconds=0.5)
    node = pod(places)["status"]["nominatedNodeName"]
    places.shop.run(10)
    assert places.where("app") == node
    assert "nominatedNodeName" not in pod(places)["status"]
    assert places.shop.world.table("scheduler.promised") == {}
    assert places.shop.world.table(reservations.OVERDUE) == {}


def test_a_pod_that_goes_leaves_no_promise(places: Any) -> None:
    claim(places, "nowhere.example.com")
    places.pod("app", MOUNTS)
    key = Key("pods", "shop", "app")
    assert reservations.reserved_node(places.shop.world, key) is not None
    internal_client.delete(places.shop.world, key)
    assert reservations.reserved_node(places.shop.world, key) is None
    places.shop.run(620)
    assert failed(places) == []


def replicas(places: Any, count: int, extra: str) -> list[str]:
    """Pods that come at one moment and mount one claim; where they are two seconds later."""
    world = places.shop.world
    spec = {**yaml.safe_load(MOUNTS), **yaml.safe_load(extra)}
    container = {"name": "c", "image": "registry.example/shop/worker:1.0"}
    for number in range(count):
        metadata = {"name": f"web-{number}", "namespace": "shop", "labels": {"app": "web"}}
        body = {"metadata": metadata, "spec": {"containers": [container], **spec}}
        internal_client.create(world, "pods", body)
    places.shop.run(2)
    return [places.where(f"web-{number}") for number in range(count)]


ALONE = (
    "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{labelSelector: {matchLabels: {app: web}}, topologyKey: kubernetes.io/hostname}]}}}"
)
SPREAD = (
    "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
    "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]}"
)
NO_ROOM = (
    "0/2 nodes are available: 1 node(s) didn't find available persistent volumes to bind, 1 node(s) "
    "didn't match pod {}. no new claims to deallocate, preemption: 0/2 nodes are available: "
    "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling."
)


@pytest.mark.parametrize(
    ("rule", "missed"),
    [(ALONE, "anti-affinity rules"), (SPREAD, "topology spread constraints")],
)
def test_pods_that_wait_for_their_volumes_keep_others_away(
    places: Any, rule: str, missed: str
) -> None:
    claim(places, "nowhere.example.com")
    said = NO_ROOM.format(missed)
    assert replicas(places, 3, rule) == ["not looked at", said, said]


def test_one_of_the_pods_that_must_live_apart_gets_the_node_of_their_claim(places: Any) -> None:
    claim(places, "rancher.io/local-path")
    replicas(places, 4, ALONE)
    places.shop.run(20)
    first, *others = (places.where(f"web-{number}") for number in range(4))
    said = (
        "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 "
        "node(s) didn't match pod anti-affinity rules. no new claims to deallocate, preemption: 0/2 "
        "nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not "
        "helpful for scheduling."
    )
    assert (first in ("node1", "node2"), set(others)) == (True, {said})


def test_a_claim_for_one_pod_is_in_use_before_its_pod_is_bound(places: Any) -> None:
    claim(places, "nowhere.example.com", "ReadWriteOncePod")
    _, second = replicas(places, 2, "{}")
    assert second == (
        "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with "
        "ReadWriteOncePod access mode already in-use by another pod. no new claims to deallocate, "
        "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    )


def test_what_was_promised_is_free_when_the_pod_gives_up(places: Any) -> None:
    claim(places, "nowhere.example.com")
    replicas(places, 2, ALONE)
    world = places.shop.world
    node = pod(places, "web-0")["status"]["nominatedNodeName"]
    assert node_loads(world)[node].pods == len(list(world.store.indexed("pods", "node", node))) + 1
    internal_client.delete(world, Key("pods", "shop", "web-0"))
    places.shop.run(5)
    assert pod(places, "web-1")["status"]["nominatedNodeName"] == node
