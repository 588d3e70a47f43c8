"""Several applications side by side are one application, with names that tell them apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from sregym_apps.together import Together
from sregym_core.conductor import ComponentFactory
from sregym_core.errors import UsageError
from sregym_core.interfaces import Traffic
from sregym_core.interfaces.application import OperationTraffic
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings
from sregym_testing import MemoryCluster, Shop

from sregym_apps import plugin
from sregym_core import Registration, hookimpl


class Market(Shop):
    """The shop once more, in a namespace of its own."""

    name: ClassVar[str] = "market"
    title: ClassVar[str] = "Market"
    namespaces: ClassVar[tuple[str, ...]] = ("market",)
    description: ClassVar[str] = "A market."

    def manifests(self) -> list[Any]:
        found = super().manifests()
        for obj in found:
            where = "name" if obj["kind"] == "Namespace" else "namespace"
            obj["metadata"][where] = "market"
        return found

    def components(self) -> Any:
        extra = super().components()[0].model_copy(update={"name": "till", "operations": ("pay",)})
        return (*(self._moved(one) for one in super().components()), self._moved(extra))

    def traffic(self, cluster: Any, seconds: float) -> Traffic:
        return Traffic(seconds, {"buy": OperationTraffic(10, 5), "pay": OperationTraffic(4, 4)})

    @staticmethod
    def _moved(one: Any) -> Any:
        workload = one.workload.model_copy(update={"namespace": "market"})
        return one.model_copy(update={"namespace": "market", "workload": workload})


class Served(Shop):
    """The shop with users."""

    def traffic(self, cluster: Any, seconds: float) -> Traffic:
        return Traffic(seconds / 2, {"buy": OperationTraffic(20, 20)})


@pytest.fixture
def both() -> Together:
    return Together((Served(), Market()))


def test_it_is_called_by_its_parts(both: Together):
    assert (both.name, both.title) == ("shop+market", "Shop, Market")
    assert both.namespaces == ("shop", "market")
    assert both.description == "A web shop with a cart.\n\nA market."


def test_names_that_both_have_are_told_apart(both: Together):
    parts = {one.name: one for one in both.components()}
    assert sorted(parts) == ["market/cart", "market/web", "shop/cart", "shop/web", "till"]
    assert parts["market/cart"].callers == ("market/web",)
    assert parts["market/cart"].workload.namespace == "market"
    assert parts["till"].operations == ("pay",)


def test_it_stands_and_serves_as_one(both: Together):
    cluster = MemoryCluster()
    both.deploy(cluster)
    cluster.clock.advance(5.0)
    assert both.ready(cluster) == []
    for namespace in both.namespaces:
        cart = ObjectRef(api_version="apps/v1", kind="Deployment", namespace=namespace, name="cart")
        assert both.manifest(cart) is not None
        assert cluster.get(cart) is not None
    seen = both.traffic(cluster, 60.0)
    assert seen.seconds == 30.0
    rates = {name: operation.success_rate for name, operation in seen.operations.items()}
    assert rates == {"shop/buy": 1.0, "market/buy": 0.5, "pay": 1.0}
    both.remove(cluster)
    assert both.with_namespace_suffix("-b") is None


def test_one_that_is_not_there_is_named():
    with pytest.raises(UsageError, match="nowhere"):
        ComponentFactory(Settings()).application("nowhere+shop")


def registry_of(*plugins: Any) -> Registry:
    def register() -> list[Registration]:
        return [Registration(one.name, one) for one in (Shop, Market)]

    loaded = Plugins(Settings(), found=())
    offer = SimpleNamespace(sregym_register_applications=hookimpl(register))
    for number, one in enumerate((offer, *plugins)):
        loaded.add(one, f"local-{number}")
    return Registry(loaded)


def test_sregym_join_applications() -> None:
    joined = registry_of(plugin).application("shop+market")
    assert (type(joined), joined.name) == (Together, "shop+market")


def test_applications_that_nothing_joins() -> None:
    with pytest.raises(UsageError) as refused:
        registry_of().application("shop+market")
    assert str(refused.value) == (
        "application 'shop+market': no plugin that is installed joins applications: "
        "pip install sregym-apps"
    )
