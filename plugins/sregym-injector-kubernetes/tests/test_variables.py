"""Variables that say where something is: which those are, what becomes of them, what a process gets."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import FaultContext
from sregym_injector_kubernetes.variables import EnvWrong, located, mistyped_address, value_of
from sregym_testing import FullShop, MemoryCluster


@pytest.mark.parametrize(
    ("address", "wrong"),
    [
        ("catalog:8080", "catalog:8082"),
        ("http://catalog.shop:65535/api", "http://catalog.shop:65533/api"),
        ("8080", "8082"),
        (".shop.svc.cluster.local", ".sohp.svc.cluster.local"),
        ("http://catalog/api", "http://cataolg/api"),
        ("postgres://clerk@store/goods", "postgres://clerk@stroe/goods"),
        ("/run/socket", "/run/socekt"),
    ],
)
def test_addresses_that_are_wrong(address: str, wrong: str) -> None:
    assert mistyped_address(address) == wrong


def test_which_variables_say_where_something_is() -> None:
    env = {
        "LOG_LEVEL": "INFO",
        "VERSION": "1.2.3",
        "STORE": "store:27017",
        "CATALOG_HOST": "catalog",
        "PEER_URL": "",
        "SUFFIX": ".shop.svc.cluster.local",
        "QUEUE": "amqp://queue",
    }
    part = FullShop().component("front")
    assert part is not None
    found = located(part.model_copy(update={"env": env}))
    assert found == ("STORE", "CATALOG_HOST", "SUFFIX", "QUEUE")


def test_what_a_process_gets(cluster: MemoryCluster) -> None:
    metadata = {"name": "settings", "namespace": "shop"}
    cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"A": "map"}})  # fmt: skip
    cluster.create({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {"A": "c2VjcmV0"}})  # fmt: skip
    ref = {"name": "settings", "key": "A"}
    both = [{"configMapRef": {"name": "settings"}}, {"secretRef": {"name": "settings"}}]
    containers = [
        {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]},
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": ref}}]},
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": ref}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {}}}]},
        {"envFrom": both},
        {"envFrom": both, "env": [{"name": "A", "value": "own"}]},
        {},
    ]
    got = [value_of(cluster, container, "shop", "A") for container in containers]
    assert got == ["2", "map", "secret", None, "secret", "own", None]


def test_a_variable_that_is_not_there(at: Callable[..., FaultContext]) -> None:
    with pytest.raises(UsageError) as caught:
        EnvWrong().variable(at(EnvWrong(), "front", variable="PORT"))
    assert str(caught.value) == "component 'front' has no variable 'PORT'; it has: none"
