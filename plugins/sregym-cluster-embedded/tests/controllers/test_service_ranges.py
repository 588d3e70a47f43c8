"""ServiceCIDRs: they give addresses, and stay while one of theirs is in use."""

from __future__ import annotations

from functools import cache

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.service_ranges import RESOURCE
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.world import World

FINALIZER = "networking.k8s.io/service-cidr-finalizer"


@cache
def _built() -> World:
    return build(Blueprint(seed=1))


@pytest.fixture
def world() -> World:
    return _built().fork(seed=2)


def add(world: World, name: str, cidr: str) -> None:
    internal_client.create(world, RESOURCE, {"metadata": {"name": name}, "spec": {"cidrs": [cidr]}})


def service(world: World, name: str, **spec: str) -> str:
    metadata = {"name": name, "namespace": "default"}
    body = {"ports": [{"port": 80}], **spec}
    made = internal_client.create(world, "services", {"metadata": metadata, "spec": body})
    return str(made["spec"]["clusterIP"])


def run(world: World, seconds: float) -> None:
    world.run_until(world.now + seconds)


def found(world: World, name: str) -> Object | None:
    return world.store.get(Key(RESOURCE, "", name))


def condition(world: World, name: str) -> tuple[str, str, str]:
    entry = found(world, name)
    assert entry is not None
    (ready,) = entry["status"]["conditions"]
    return ready["status"], ready["reason"], ready["message"]


def test_a_new_range_is_held_and_gives_addresses(world: World) -> None:
    with pytest.raises(ApiError) as refused:
        service(world, "far", clusterIP="10.99.7.5")
    assert refused.value.message == (
        'Service "far" is invalid: spec.clusterIPs: Invalid value: ["10.99.7.5"]: failed to '
        "allocate IP 10.99.7.5: the provided network does not match the current range"
    )
    add(world, "more", "10.99.0.0/16")
    run(world, 1)
    entry = found(world, "more")
    assert entry is not None
    assert entry["metadata"]["finalizers"] == [FINALIZER]
    assert condition(world, "more") == ("True", "", "Kubernetes Service CIDR is ready")
    assert service(world, "far", clusterIP="10.99.7.5") == "10.99.7.5"


def test_a_range_in_use_goes_once_its_addresses_are_given_back(world: World) -> None:
    add(world, "more", "10.99.0.0/16")
    service(world, "far", clusterIP="10.99.7.5")
    run(world, 1)
    internal_client.delete(world, Key(RESOURCE, "", "more"))
    run(world, 30)
    assert condition(world, "more") == (
        "False",
        "Terminating",
        "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a "
        "new ServiceCIDR",
    )
    with pytest.raises(ApiError):
        service(world, "other", clusterIP="10.99.7.6")
    internal_client.delete(world, Key("services", "default", "far"))
    run(world, 1)
    assert found(world, "more") is None


def test_a_range_that_lies_in_another_goes_after_ten_seconds(world: World) -> None:
    add(world, "more", "10.99.0.0/16")
    add(world, "wide", "10.96.0.0/12")
    service(world, "far", clusterIP="10.99.7.5")
    run(world, 1)
    internal_client.delete(world, Key(RESOURCE, "", "more"))
    run(world, 9)
    assert found(world, "more") is not None
    run(world, 2)
    assert found(world, "more") is None


def test_without_the_default_range_nothing_is_left_to_give_until_it_is_there_again(
    world: World,
) -> None:
    internal_client.delete(world, Key(RESOURCE, "", "kubernetes"))
    run(world, 1)
    assert condition(world, "kubernetes")[1] == "Terminating"
    with pytest.raises(ApiError) as refused:
        service(world, "web")
    assert (
        refused.value.message
        == "Internal error occurred: failed to allocate a serviceIP: range is full"
    )
    add(world, "same", "10.96.0.0/16")
    run(world, 1)
    assert service(world, "web").startswith("10.96.")
    run(world, 12)
    assert found(world, "kubernetes") is None
    run(world, 11)
    assert condition(world, "kubernetes")[2] == "Kubernetes default Service CIDR is ready"


def test_a_small_range_is_used_to_its_end(world: World) -> None:
    internal_client.delete(world, Key(RESOURCE, "", "kubernetes"))
    add(world, "small", "10.99.0.0/27")
    run(world, 1)
    given = [service(world, f"s{number}") for number in range(30)]
    assert sorted(int(address.rpartition(".")[2]) for address in given[:14]) == list(range(17, 31))
    assert sorted(int(address.rpartition(".")[2]) for address in given) == list(range(1, 31))
    with pytest.raises(ApiError):
        service(world, "last")
