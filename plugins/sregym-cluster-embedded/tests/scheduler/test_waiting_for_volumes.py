"""Pods that wait for a volume are looked at again when theirs comes, not when another one does."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client

GIB = {"storage": "1Gi"}


def claim(world: Any, name: str) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "",
        "resources": {"requests": GIB},
    }
    metadata = {"name": name, "namespace": "shop"}
    internal_client.create(world, "persistentvolumeclaims", {"metadata": metadata, "spec": spec})


def volume(world: Any, name: str, for_claim: str) -> None:
    reference = {"namespace": "shop", "name": for_claim}
    spec = {
        "accessModes": ["ReadWriteOnce"], "storageClassName": "", "capacity": GIB,
        "claimRef": reference, "hostPath": {"path": f"/srv/{name}"},
        "persistentVolumeReclaimPolicy": "Retain",
    }  # fmt: skip
    internal_client.create(world, "persistentvolumes", {"metadata": {"name": name}, "spec": spec})


def looked_at(world: Any) -> list[tuple[float, str]]:
    """Pods that the scheduler will look at, with the seconds until then, the next first."""
    planned = world.table("scheduler.schedule").items()
    return sorted((round(at - world.now, 3), key.name) for key, (at, _) in planned)


def test_a_volume_wakes_the_pod_that_waits_for_it_alone(places: Any) -> None:
    world = places.shop.world
    unbound = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    for name in ("a", "b"):
        claim(world, name)
        mount = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
        said = places.pod(name, f"{{volumes: [{mount}]}}")
        assert said == unbound
    places.shop.run(10)
    assert [name for left, name in looked_at(world) if left < 10] == []
    volume(world, "disk", "a")
    assert [name for left, name in looked_at(world) if left < 10] == ["a"]
    places.shop.run(40)
    assert (places.where("a").startswith("node"), places.where("b")) == (True, unbound)


def test_a_class_wakes_all_that_wait_for_volumes(places: Any) -> None:
    world = places.shop.world
    for name in ("a", "b"):
        claim(world, name)
        mount = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
        places.pod(name, f"{{volumes: [{mount}]}}")
    places.shop.run(10)
    body = {"metadata": {"name": "fast"}, "provisioner": "disks.example"}
    internal_client.create(world, "storageclasses.storage.k8s.io", body)
    assert looked_at(world) == [(0.2, "a"), (0.2, "b")]
