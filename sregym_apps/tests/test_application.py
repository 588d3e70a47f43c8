from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest
from sregym_apps.application import ManifestApplication
from sregym_core.errors import UsageError
from sregym_core.interfaces import ClusterError, Load, OperationTraffic, Traffic
from sregym_core.model import ObjectRef
from sregym_testing import MemoryCluster

MANIFESTS = """\
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: visitors, namespace: shop}
spec:
  template:
    metadata: {labels: {app: visitors, tier: load}}
    spec:
      containers:
        - {name: main, image: acme/load, args: [--rate=100], env: [{name: BUY, value: "3"}, {name: LOOK, value: "9"}]}
"""
LINE = "2026-11-21T22:00:10Z op=buy requests=600 ok=598 failed=2 p50_ms=8.0 p99_ms=30.0\n"


class Shop(ManifestApplication):
    name: ClassVar[str] = "shop"
    title: ClassVar[str] = "Shop"
    namespaces: ClassVar[tuple[str, ...]] = ("shop",)
    description: ClassVar[str] = "A shop."
    package: ClassVar[str] = "shop_of_this_test"
    load_generator: ClassVar[ObjectRef] = ObjectRef(
        api_version="apps/v1", kind="Deployment", namespace="shop", name="visitors"
    )


class Logging(MemoryCluster):
    """A cluster whose pods have written what the test says; a pod without text has no log yet."""

    def __init__(self, texts: dict[str, str], now: float) -> None:
        super().__init__()
        self._texts = texts
        self.clock.advance(now - self.clock.now())

    def logs(self, namespace: str, pod: str, container: str = "", **options: Any) -> str:
        if pod not in self._texts:
            raise ClusterError(400, "BadRequest", "container is waiting to start")
        return self._texts[pod]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    package = tmp_path / Shop.package
    (package / "manifests").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "manifests" / "all.yaml").write_text(MANIFESTS)
    (package / "components.yaml").write_text("visitors: {kind: load}\n")
    (package / "service_model.yaml").write_text("application: shop\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, Shop.package, raising=False)
    return Shop()


def pod(name: str, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "shop", "labels": labels}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


def test_deploy_and_remove_leave_nothing(shop: Shop) -> None:
    cluster = MemoryCluster()
    before = cluster.list("v1", "Namespace")

    shop.deploy(cluster)
    assert shop.ready(cluster) == []
    shop.remove(cluster)

    assert cluster.list("v1", "Namespace") == before
    assert shop.ready(cluster) == ["Deployment shop/visitors: does not exist"]


def loaded(shop: Shop, load: Load) -> tuple[list[str], dict[str, str]]:
    """Arguments and variables of the load generator as it was deployed."""
    cluster = MemoryCluster()
    shop.deploy_with_load(cluster, load)
    generator = cluster.get(shop.load_generator)
    assert generator is not None
    (container,) = generator["spec"]["template"]["spec"]["containers"]
    return container["args"], {entry["name"]: entry["value"] for entry in container["env"]}


def test_rate_and_mix_of_the_load_are_those_asked_for(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loaded(shop, Load(0.5, mix=1)) == (["--rate=100"], {"BUY": "3", "LOOK": "9"})
    monkeypatch.setattr(Shop, "load_rate", r"(?<=--rate=)\d+")
    monkeypatch.setattr(Shop, "load_mix", {"BUY": (1.0, 4.0)})
    assert loaded(shop, Load()) == (["--rate=100"], {"BUY": "3", "LOOK": "9"})
    assert loaded(shop, Load(0.5)) == (["--rate=50"], {"BUY": "3", "LOOK": "9"})
    seen = [loaded(shop, Load(0.5, mix=seed))[1] for seed in (1, 1, *range(2, 60))]
    weights = [float(variables["BUY"]) for variables in seen]
    assert weights[0] == weights[1]
    assert len(set(weights)) > 50
    assert 1.0 <= min(weights) < 1.5 < 3.5 < max(weights) <= 4.0
    assert {variables["LOOK"] for variables in seen} == {"9"}


def test_a_weight_without_a_variable_is_refused(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shop, "load_mix", {"SELL": (1.0, 4.0)})
    with pytest.raises(UsageError) as caught:
        loaded(shop, Load(mix=1))
    assert str(caught.value) == (
        "application 'shop', load_mix: no container of Deployment shop/visitors has the environment "
        "variable 'SELL'; add it to its manifest, or leave it out here"
    )


def test_who_changes_manifests_changes_a_copy(shop: Shop) -> None:
    shop.manifests()[0]["metadata"]["name"] = "scribbled"

    assert shop.manifests()[0]["metadata"]["name"] == "shop"


def test_components_and_service_model_come_from_the_package(shop: Shop) -> None:
    (model,) = shop.service_models()

    assert [part.name for part in shop.components()] == ["visitors"]
    assert model.application == "shop"


def test_traffic_is_read_from_the_pods_of_the_load_generator(shop: Shop) -> None:
    cluster = Logging({"visitors-a": LINE, "web-a": LINE}, now=1795298415.0)
    shop.deploy(cluster)
    cluster.create(pod("visitors-a", app="visitors", tier="load"))
    cluster.create(pod("visitors-b", app="visitors", tier="load"))
    cluster.create(pod("web-a", app="web"))

    assert shop.traffic(cluster, 60.0) == Traffic(
        seconds=10.0, operations={"buy": OperationTraffic(600, 598)}, p50_ms=8.0, p99_ms=30.0
    )
