"""Endpoints that others touch: which of it the controllers take back."""

from __future__ import annotations

from typing import Any

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Key

SHOP = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec: {containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""
SLICES = "endpointslices.discovery.k8s.io"
SERVICE, ENDPOINTS = Key("services", "shop", "web"), Key("endpoints", "shop", "web")


def the_slice(shop: Any) -> Any:
    (found,) = shop.world.store.list(SLICES, "shop")
    return found


def test_endpoints_that_are_deleted_come_again(shop: Any) -> None:
    shop.apply(SHOP)
    shop.run(5)
    before = shop.world.store.get(ENDPOINTS)
    internal_client.delete(shop.world, ENDPOINTS)
    shop.run(1)
    after = shop.world.store.get(ENDPOINTS)
    assert after["subsets"] == before["subsets"]
    assert after["metadata"]["uid"] != before["metadata"]["uid"]


def test_a_slice_that_others_change_is_put_right(shop: Any) -> None:
    shop.apply(SHOP)
    shop.run(5)
    before = the_slice(shop)
    internal_client.update(shop.world, SLICES, {**before, "endpoints": []})
    shop.run(1)
    assert the_slice(shop)["endpoints"] == before["endpoints"]
    revision = shop.world.store.revision
    shop.run(5)
    assert shop.world.store.revision == revision


def test_endpoints_that_others_change_stay_until_something_happens(shop: Any) -> None:
    shop.apply(SHOP)
    shop.run(5)
    before = shop.world.store.get(ENDPOINTS)
    internal_client.update(shop.world, "endpoints", {**before, "subsets": []})
    shop.run(60)
    assert shop.world.store.get(ENDPOINTS)["subsets"] == []
    internal_client.patch_metadata(shop.world, SERVICE, labels={"team": "front"})
    shop.run(1)
    assert shop.world.store.get(ENDPOINTS)["subsets"] == before["subsets"]
    told = [
        obj["metadata"]["labels"]["team"]
        for obj in (the_slice(shop), shop.world.store.get(ENDPOINTS))
    ]
    assert told == ["front", "front"]


def test_the_trigger_is_the_change_of_readiness_that_a_write_answers_to(shop: Any) -> None:
    annotation = "endpoints.kubernetes.io/last-change-trigger-time"

    def told() -> list[Any]:
        found = (the_slice(shop), shop.world.store.get(ENDPOINTS))
        return [obj["metadata"].get("annotations", {}).get(annotation) for obj in found]

    shop.apply(SHOP)
    shop.run(5)
    pod = shop.world.store.get(Key("pods", "shop", "web"))
    conditions = {entry["type"]: entry for entry in pod["status"]["conditions"]}
    assert told() == [conditions["Ready"]["lastTransitionTime"]] * 2
    # Nothing became ready or unready by this.
    internal_client.patch_metadata(shop.world, Key("pods", "shop", "web"), labels={"app": "other"})
    shop.run(5)
    assert (the_slice(shop)["endpoints"], told()) == ([], [None, None])
