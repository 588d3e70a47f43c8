"""Applications that one run leaves on a real cluster and the next one uses."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest
from sregym_core.conductor.worlds import Worlds
from sregym_core.errors import WorldError
from sregym_core.interfaces import OperationTraffic, Traffic
from sregym_core.model import ObjectRef
from sregym_runs.left_running import ApplicationsLeftRunning
from sregym_testing import MemoryCluster, MemoryProvider, Shop

if TYPE_CHECKING:
    from pathlib import Path

    from sregym_core.interfaces import Cluster, ClusterSpec

NAMESPACE = ObjectRef(api_version="v1", kind="Namespace", namespace="", name="shop")


class CountedShop(Shop):
    """A shop that counts how often it was deployed."""

    deployed = 0

    def deploy(self, cluster: Cluster) -> None:
        self.deployed += 1
        super().deploy(cluster)

    def remove(self, cluster: Cluster) -> None:
        cluster.delete(NAMESPACE)

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        asked = int(seconds * 10)
        return Traffic(seconds, {"buy": OperationTraffic(asked, asked)})


class OneCluster(MemoryProvider):
    """Always the same cluster, as a kubeconfig gives it."""

    simulated = False

    def __init__(self) -> None:
        self.cluster = MemoryCluster()

    def provision(self, spec: ClusterSpec) -> Cluster:
        return self.cluster


def _worlds(provider: OneCluster, folder: Path, wanted: bool = True) -> Worlds:
    """Those of one run; its notes as a worker process gets them."""
    notes = pickle.loads(pickle.dumps(ApplicationsLeftRunning(folder, wanted)))
    return Worlds(provider, {}, standing=notes)


def test_what_is_kept_is_used_by_the_next_run(tmp_path: Path) -> None:
    provider, shop = OneCluster(), CountedShop()
    worlds = _worlds(provider, tmp_path)
    worlds.make(shop, 10.0, seed=0, served=False)
    worlds.close()
    assert provider.cluster.get(NAMESPACE) is not None
    again = _worlds(provider, tmp_path, wanted=False)
    again.make(shop, 10.0, seed=0, served=False)
    assert shop.deployed == 1
    again.close()
    assert provider.cluster.get(NAMESPACE) is None
    assert list((tmp_path / "kept").iterdir()) == []


def test_what_is_not_as_before_is_not_kept(tmp_path: Path) -> None:
    provider, shop = OneCluster(), CountedShop()
    worlds = _worlds(provider, tmp_path)
    worlds.make(shop, 10.0, seed=0, served=False)
    extra = {"name": "extra", "namespace": "shop"}
    provider.cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": extra})
    worlds.close()
    assert provider.cluster.get(NAMESPACE) is None


def test_what_was_changed_since_it_was_kept_is_deployed_anew(tmp_path: Path) -> None:
    provider, shop = OneCluster(), CountedShop()
    worlds = _worlds(provider, tmp_path)
    worlds.make(shop, 10.0, seed=0, served=False)
    worlds.close()
    extra = {"name": "extra", "namespace": "shop"}
    provider.cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": extra})
    world = _worlds(provider, tmp_path).make(shop, 10.0, seed=0, served=False)
    assert shop.deployed == 2
    assert [name for name in world.baseline.objects if "extra" in name] == []


def test_what_an_earlier_run_kept_is_not_taken_for_somebody_elses(tmp_path: Path) -> None:
    """Known by the uids of its namespaces: one of the same name is not it."""
    provider, shop = OneCluster(), CountedShop()
    worlds = _worlds(provider, tmp_path)
    worlds.make(shop, 10.0, seed=0, served=False)
    worlds.close()
    shop.remove(provider.cluster)
    provider.cluster.clock.advance(60.0)
    theirs = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    provider.cluster.create(theirs)
    with pytest.raises(WorldError) as refused:
        _worlds(provider, tmp_path).make(shop, 10.0, seed=0, served=False)
    assert str(refused.value) == (
        "application 'shop' cannot be deployed: the cluster has Namespace shop already; "
        "delete what is there, or use another cluster"
    )
