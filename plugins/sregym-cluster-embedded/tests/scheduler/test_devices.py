"""Pods that claim devices: what they wait for, what they get, who gets it afterwards."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key, Object

GROUP = "resource.k8s.io"
DRIVER = "gpu.example.com"
POD = "{terminationGracePeriodSeconds: 1, resourceClaims: [{name: g, %s: %s}]}"
HOPELESS = "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."


def make(places: Any, resource: str, name: str, spec: Object, namespace: str = "") -> None:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    internal_client.create(
        places.shop.world, f"{resource}.{GROUP}", {"metadata": metadata, "spec": spec}
    )


def claim(places: Any, name: str, **asked: Any) -> None:
    exactly = {"deviceClassName": "gpus", "allocationMode": "ExactCount", "count": 1, **asked}
    spec = {"devices": {"requests": [{"name": "one", "exactly": exactly}]}}
    make(places, "resourceclaims", name, spec, "shop")


def gpus(places: Any, *models: str) -> None:
    """A class of the driver's devices, and a slice with some of them on node1."""
    selector = {"cel": {"expression": f"device.driver == '{DRIVER}'"}}
    make(places, "deviceclasses", "gpus", {"selectors": [selector]})
    devices = [
        {"name": f"gpu-{number}", "attributes": {"model": {"string": model}}}
        for number, model in enumerate(models)
    ]
    pool = {"name": "node1", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": "node1", "pool": pool, "devices": devices}
    make(places, "resourceslices", "slice", spec)


def status(places: Any, name: str) -> Object:
    found = places.shop.world.store.get(Key(f"resourceclaims.{GROUP}", "shop", name))
    return dict(found.get("status") or {})


def test_nobody_looks_at_a_pod_before_its_claim_is_there(places: Any) -> None:
    assert places.pod("app", POD % ("resourceClaimName", "gpu")) == "not looked at"
    claim(places, "gpu")
    places.shop.run(2)
    head = "0/2 nodes are available: request one: device class gpus does not exist."
    why = f"{head} no new claims to deallocate, {HOPELESS}"
    assert places.where("app") == why
    gpus(places)
    places.shop.run(2)
    head = "0/2 nodes are available: 2 cannot allocate all claims."
    assert places.where("app") == f"{head} still not schedulable, {HOPELESS}"


def test_a_claim_gets_a_device_that_fits_and_keeps_it_until_its_pod_is_gone(places: Any) -> None:
    gpus(places, "v100", "a100")
    wanted = f"device.attributes['{DRIVER}'].model == 'a100'"
    claim(places, "gpu", selectors=[{"cel": {"expression": wanted}}])
    assert places.pod("app", POD % ("resourceClaimName", "gpu")) == "node1"
    uid = places.shop.world.store.get(Key("pods", "shop", "app"))["metadata"]["uid"]
    on_node1 = {"key": "metadata.name", "operator": "In", "values": ["node1"]}
    assert status(places, "gpu") == {
        "allocation": {
            "devices": {
                "results": [
                    {"request": "one", "driver": DRIVER, "pool": "node1", "device": "gpu-1"}
                ]
            },
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [on_node1]}]},
        },
        "reservedFor": [{"resource": "pods", "name": "app", "uid": uid}],
    }
    claim(places, "other", selectors=[{"cel": {"expression": wanted}}])
    refused = places.pod("next", POD % ("resourceClaimName", "other"))
    assert refused.startswith("0/2 nodes are available: 2 cannot allocate all claims.")
    internal_client.delete(places.shop.world, Key("pods", "shop", "app"))
    places.shop.run(8)
    assert (status(places, "gpu"), places.where("next")) == ({}, "node1")


def test_a_claim_that_is_allocated_binds_its_next_pod_to_the_node(places: Any) -> None:
    gpus(places, "a100")
    claim(places, "gpu")
    assert places.pod("app", POD % ("resourceClaimName", "gpu")) == "node1"
    elsewhere = "nodeSelector: {kubernetes.io/hostname: node2}"
    given = POD % ("resourceClaimName", "gpu")
    refused = places.pod("next", f"{{{elsewhere}, {given[1:]}")
    assert refused == (
        "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 "
        f"resourceclaim not available on the node. still not schedulable, {HOPELESS}"
    )


def test_a_claim_is_made_from_its_template_and_goes_with_its_pod(places: Any) -> None:
    world = places.shop.world
    assert places.pod("app", POD % ("resourceClaimTemplateName", "gpu")) == "not looked at"
    text = (
        'PodResourceClaim g: resource claim template "gpu": '
        'resourceclaimtemplate.resource.k8s.io "gpu" not found'
    )
    assert places.shop.events("FailedResourceClaimCreation") == [(text, 1)]
    gpus(places, "a100", "a100", "a100")
    request = {"name": "all", "exactly": {"deviceClassName": "gpus", "allocationMode": "All"}}
    template = {"spec": {"devices": {"requests": [request]}}}
    make(places, "resourceclaimtemplates", "gpu", template, "shop")
    places.shop.run(10)
    assert places.where("app") == "node1"
    pod = world.store.get(Key("pods", "shop", "app"))
    ((name,),) = [[e["resourceClaimName"] for e in pod["status"]["resourceClaimStatuses"]]]
    assert name.startswith("app-g-")
    results = status(places, name)["allocation"]["devices"]["results"]
    assert [entry["device"] for entry in results] == ["gpu-0", "gpu-1", "gpu-2"]
    internal_client.delete(world, Key("pods", "shop", "app"))
    places.shop.run(8)
    assert list(world.store.list(f"resourceclaims.{GROUP}")) == []


def test_the_first_alternative_that_can_be_had_is_taken(places: Any) -> None:
    gpus(places, "v100")
    ways = [
        {
            "name": name,
            "deviceClassName": "gpus",
            "allocationMode": "ExactCount",
            "count": 1,
            "selectors": [{"cel": {"expression": text}}],
        }
        for name, text in (
            ("big", f"device.attributes['{DRIVER}'].model == 'a100'"),
            ("small", f"device.attributes['{DRIVER}'].model == 'v100'"),
        )
    ]
    spec = {"devices": {"requests": [{"name": "any", "firstAvailable": ways}]}}
    make(places, "resourceclaims", "gpu", spec, "shop")
    assert places.pod("app", POD % ("resourceClaimName", "gpu")) == "node1"
    (result,) = status(places, "gpu")["allocation"]["devices"]["results"]
    assert result["request"] == "any/small"
