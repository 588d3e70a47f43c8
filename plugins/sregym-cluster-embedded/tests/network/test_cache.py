"""Answers of the network are kept until something changes that they depend on, and no longer."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.store import Key

MANIFESTS = """
apiVersion: v1
kind: Pod
metadata: {name: one, labels: {app: one}}
spec: {nodeName: node1, containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: two, labels: {app: two}}
spec: {nodeName: node1, containers: [{name: web, image: "registry.example/shop/web:1.0"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: client}
spec: {nodeName: node2, containers: [{name: c, image: "registry.example/library/busybox:1.36", command: [sleep, "86400"]}]}
---
apiVersion: v1
kind: Service
metadata: {name: one}
spec: {clusterIP: 10.96.80.1, selector: {app: one}, ports: [{port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Service
metadata: {name: two}
spec: {clusterIP: 10.96.80.2, selector: {app: two}, ports: [{port: 80, targetPort: 8080}]}
"""


@pytest.fixture
def town(shop: Any) -> Any:
    shop.apply(MANIFESTS)
    shop.run(10)
    return shop


def uid(town: Any, name: str) -> str:
    return str(town.world.store.get(Key("pods", "shop", name))["metadata"]["uid"])


def ask(town: Any, *hosts: str) -> None:
    for host in hosts:
        town.world.service(NETWORK).routes(town.world, uid(town, "client"), host, 80)


def kept(town: Any) -> list[str]:
    """The hosts to which the client knows the way."""
    mine = uid(town, "client")
    return sorted(
        key[1] for key in town.world.table("network.routes") if key[2:] and key[0] == mine
    )


def names(town: Any) -> list[str]:
    """The hosts that the client has looked up, and the questions that name servers answered."""
    mine, found = uid(town, "client"), []
    for key in town.world.table("network.routes"):
        if key[0] == "answer":
            found.append(key[3].name)
        elif key[0] == mine and not key[2:]:
            found.append(key[1])
    return sorted(found)


def test_asking_twice_is_one_answer(town: Any) -> None:
    network = town.world.service(NETWORK)
    first = network.routes(town.world, uid(town, "client"), "one", 80)
    assert network.routes(town.world, uid(town, "client"), "one", 80) is first


def test_endpoints_drop_the_answers_of_their_service_alone(town: Any) -> None:
    ask(town, "one", "two", "missing")
    internal_client.delete(town.world, Key("pods", "shop", "one"))
    town.run(1)
    assert kept(town) == ["missing", "two"]


def test_the_name_of_a_service_outlives_its_endpoints(town: Any) -> None:
    ask(town, "one", "10.96.80.1")
    internal_client.delete(town.world, Key("pods", "shop", "one"))
    town.run(1)
    assert names(town) == ["10.96.80.1", "one", "one.shop.svc.cluster.local"]
    service = town.world.store.get(Key("services", "shop", "one"))
    other = {**service["spec"], "clusterIP": "10.96.80.7", "clusterIPs": ["10.96.80.7"]}
    town.world.store.put("services", {**service, "spec": other})
    assert names(town) == []
    found = town.world.service(NETWORK).routes(town.world, uid(town, "client"), "one", 80)
    assert found.ip == "10.96.80.7"


def test_a_new_service_may_be_any_name(town: Any) -> None:
    ask(town, "one", "missing")
    town.apply(
        "{apiVersion: v1, kind: Service, metadata: {name: missing}, spec: {ports: [{port: 80}]}}"
    )
    assert kept(town) == []
    network = town.world.service(NETWORK)
    assert network.routes(town.world, uid(town, "client"), "missing", 80).error == "refused"


def test_a_status_that_says_the_same_drops_nothing(town: Any) -> None:
    ask(town, "one", "two")
    town.run(600)
    assert kept(town) == ["one", "two"]


def test_the_end_of_the_name_server_drops_all(town: Any) -> None:
    ask(town, "one", "two")
    for pod in town.pods("kube-system"):
        internal_client.delete(town.world, Key("pods", "kube-system", pod["metadata"]["name"]))
    town.run(0.5)
    assert kept(town) == []


def test_addresses_of_pods_are_followed(town: Any) -> None:
    address = town.world.store.get(Key("pods", "shop", "one"))["status"]["podIP"]
    ask(town, address, "two")
    internal_client.delete(town.world, Key("pods", "shop", "one"))
    town.run(40)
    assert kept(town) == ["two"]
    network = town.world.service(NETWORK)
    assert network.routes(town.world, uid(town, "client"), address, 80).error == "no_route"


def test_forks_keep_answers_of_their_own(town: Any) -> None:
    ask(town, "one")
    twin = town.world.fork()
    internal_client.delete(twin, Key("services", "shop", "one"))
    assert (kept(town), list(twin.table("network.routes"))) == (["one"], [])
