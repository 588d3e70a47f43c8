"""What the API server and kubelets keep in being, whoever deletes or changes it."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.world import World

SERVICE = Key("services", "default", "kubernetes")
ENDPOINTS = SERVICE._replace(resource="endpoints")
SLICE = SERVICE._replace(resource="endpointslices.discovery.k8s.io")
LEASE = Key("leases.coordination.k8s.io", "kube-node-lease", "node1")


@cache
def _built() -> World:
    world = build(Blueprint(seed=1))
    world.run_until(65)
    return world


@pytest.fixture
def world() -> World:
    return _built().fork(seed=2)


def content(world: World, key: Key) -> Any:
    """An object but for what belongs to its one life."""
    found = world.store.get(key)
    if found is None:
        return None
    own = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
    metadata = {name: value for name, value in found["metadata"].items() if name not in own}
    return {**found, "metadata": metadata}


@pytest.mark.parametrize("key", [SERVICE, ENDPOINTS, SLICE])
def test_the_api_server_looks_after_its_service_every_ten_seconds(world: World, key: Key) -> None:
    before = content(world, key)
    internal_client.delete(world, key)
    world.run_until(69.9)
    assert content(world, key) is None
    world.run_until(70.1)
    assert content(world, key) == before
    assert content(world, ENDPOINTS) is not None


def changed(world: World, key: Key, **fields: Any) -> None:
    internal_client.update(world, key.resource, {**world.store.get(key), **fields})


def test_what_others_make_of_it_is_taken_back(world: World) -> None:
    keys = (SERVICE, ENDPOINTS, SLICE)
    before = [content(world, key) for key in keys]
    spec: Object = world.store.get(SERVICE)["spec"]
    ports = [{"name": "https", "port": 444, "protocol": "TCP", "targetPort": 6443}]
    changed(world, SERVICE, spec={**spec, "ports": ports})
    changed(world, ENDPOINTS, subsets=[])
    changed(world, SLICE, endpoints=[])
    assert [content(world, key) for key in keys] != before
    world.run_until(70.1)
    assert [content(world, key) for key in keys] == before
    revision = world.store.revision
    world.run_until(200)
    assert world.store.revision == revision


def test_a_kubelet_makes_its_lease_anew_when_it_is_to_be_renewed(world: World) -> None:
    before = content(world, LEASE)
    internal_client.delete(world, LEASE)
    world.run_until(76)
    after = content(world, LEASE)
    assert {**after, "spec": {**after["spec"], "renewTime": ""}} == {
        **before,
        "spec": {**before["spec"], "renewTime": ""},
    }


def test_a_lease_goes_with_its_node(world: World) -> None:
    internal_client.delete(world, Key("nodes", "", "node1"))
    world.run_until(90)
    assert content(world, LEASE) is None


def test_an_api_server_makes_its_lease_anew(world: World) -> None:
    (own,) = world.store.list(LEASE.resource, "kube-system")
    key = LEASE._replace(namespace="kube-system", name=own["metadata"]["name"])
    before = content(world, key)
    internal_client.delete(world, key)
    world.run_until(76)
    assert content(world, key) == before
