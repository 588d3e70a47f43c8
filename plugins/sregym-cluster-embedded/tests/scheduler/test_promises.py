"""Pods that have a node but for their volumes: the node is theirs, for ten minutes."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import writes
from sregym_cluster_embedded.scheduler import promises
from sregym_cluster_embedded.store import Key, Object

LATE = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
MOUNTS = "{volumes: [{name: d, persistentVolumeClaim: {claimName: d}}]}"


def claim(places: Any, provisioner: str) -> None:
    world = places.shop.world
    name = "storageclasses.storage.k8s.io"
    mode = {"volumeBindingMode": "WaitForFirstConsumer"}
    writes.create(world, name, {"metadata": {"name": "own"}, "provisioner": provisioner, **mode})
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "own",
        "resources": {"requests": {"storage": "1Gi"}},
    }
    metadata = {"name": "d", "namespace": "shop"}
    writes.create(world, "persistentvolumeclaims", {"metadata": metadata, "spec": spec})


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
    assert places.shop.world.table(promises.OVERDUE) == {}


def test_a_pod_that_goes_leaves_no_promise(places: Any) -> None:
    claim(places, "nowhere.example.com")
    places.pod("app", MOUNTS)
    key = Key("pods", "shop", "app")
    assert promises.kept(places.shop.world, key) is not None
    writes.delete(places.shop.world, key)
    assert promises.kept(places.shop.world, key) is None
    places.shop.run(620)
    assert failed(places) == []
