"""Clusters that outlive episodes: what stands there is used again, healed, or left alone."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.conductor.persistent_deployment import StandingApplication
from sregym_core.conductor.worlds import Worlds
from sregym_core.errors import UsageError, WorldError
from sregym_core.interfaces import (
    Cluster,
    ClusterError,
    ClusterSpec,
    OperationTraffic,
    Traffic,
)
from sregym_core.model import ObjectRef
from sregym_kubernetes.operations.objects import CONFLICTS, capture, replace_current
from sregym_kubernetes.operations.role import grant, revoke
from sregym_testing import MemoryCluster, MemoryProvider, Shop

NAMESPACE = ObjectRef(api_version="v1", kind="Namespace", namespace="", name="shop")


class Watched(Shop):
    """A shop that counts how often it was deployed, and whose users can be made unhappy."""

    def __init__(self) -> None:
        super().__init__()
        self.deployed = 0
        self.served = True

    def deploy(self, cluster: Cluster) -> None:
        self.deployed += 1
        self.served = True
        super().deploy(cluster)

    def remove(self, cluster: Cluster) -> None:
        cluster.delete(NAMESPACE)

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        asked = int(seconds * 10)
        return Traffic(seconds, {"buy": OperationTraffic(asked, asked if self.served else 0)})


class OneCluster(MemoryProvider):
    """Always the same cluster, as a kubeconfig gives it."""

    simulated = False

    def __init__(self) -> None:
        self.cluster = MemoryCluster()

    def provision(self, spec: ClusterSpec) -> Cluster:
        return self.cluster


def test_what_recovery_restored_is_used_again() -> None:
    provider, shop = OneCluster(), Watched()
    worlds = Worlds(provider, {})
    first = worlds.make(shop, 10.0, seed=0, served=False)
    second = worlds.make(shop, 10.0, seed=1, served=True)
    assert (shop.deployed, first.forked, second.forked) == (1, False, False)
    assert second.baseline.objects.keys() == first.baseline.objects.keys()
    worlds.close()
    assert provider.cluster.get(NAMESPACE) is None
    worlds.close()


@pytest.mark.parametrize("left", ["an object too many", "unhappy users"])
def test_what_recovery_could_not_heal_is_deployed_anew(left: str) -> None:
    provider, shop = OneCluster(), Watched()
    worlds = Worlds(provider, {})
    worlds.make(shop, 10.0, seed=0, served=False)
    extra = {"name": "extra", "namespace": "shop"}
    if left == "unhappy users":
        shop.served = False
    else:
        provider.cluster.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": extra})
    world = worlds.make(shop, 10.0, seed=0, served=False)
    assert shop.deployed == 2
    assert [name for name in world.baseline.objects if "extra" in name] == []


def test_what_somebody_else_deployed_is_left_alone() -> None:
    provider, shop = OneCluster(), Watched()
    provider.cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    worlds = Worlds(provider, {})
    with pytest.raises(WorldError) as refused:
        worlds.make(shop, 10.0, seed=0, served=False)
    assert str(refused.value) == (
        "application 'shop' cannot be deployed: the cluster has Namespace shop already; "
        "delete what is there, or use another cluster"
    )
    worlds.close()
    assert (shop.deployed, provider.cluster.get(NAMESPACE) is None) == (0, False)


def test_what_does_not_go_is_named() -> None:
    class Clinging(Watched):
        def remove(self, cluster: Cluster) -> None:
            """A finalizer that nobody removes."""

    cluster = MemoryCluster()
    standing = StandingApplication(Clinging())
    standing.ready(cluster, 10.0)
    with pytest.raises(WorldError) as stuck:
        standing.remove(cluster)
    assert str(stuck.value) == (
        "application 'shop' was deleted, but Namespace shop did not go within 600 s; "
        "look at its finalizers"
    )


def test_an_application_that_knows_no_other_namespaces_cannot_share_a_cluster() -> None:
    worlds = Worlds(OneCluster(), {"suffix": "-mine"})
    worlds.share(2)
    with pytest.raises(UsageError) as refused:
        worlds.application(Watched())
    assert str(refused.value) == (
        "application 'shop' cannot stand in namespaces that end with '-mine-2': it has objects "
        "outside namespaces, or says nothing of it; leave out the suffix and --jobs, or give it a "
        "method `with_namespace_suffix`"
    )


def test_agents_that_share_a_cluster_have_roles_of_their_own() -> None:
    cluster = MemoryCluster()
    for name in ("shop", "shop-2"):
        cluster.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    grant(cluster, ["shop"])
    plain = capture(cluster, ("shop",))
    grant(cluster, ["shop-2"], "-2")
    assert capture(cluster, ("shop",)) == plain
    [theirs] = cluster.list("rbac.authorization.k8s.io/v1", "RoleBinding", "shop-2")
    assert (
        theirs["metadata"]["name"],
        theirs["subjects"][0]["name"],
        theirs["roleRef"]["name"],
    ) == (
        "on-call-application-2",
        "site-reliability-engineers-2",
        "on-call-application-2",
    )
    revoke(cluster, ["shop-2"], "-2")
    assert cluster.list("rbac.authorization.k8s.io/v1", "RoleBinding", "shop-2") == []
    assert capture(cluster, ("shop",)) == plain


class Busy(MemoryCluster):
    """A cluster whose controllers write the object first, `wars` times."""

    def __init__(self, wars: int) -> None:
        super().__init__()
        self.wars = wars

    def replace(self, obj: Any) -> Any:
        if self.wars:
            self.wars -= 1
            ref = ObjectRef.of(obj)
            self.patch(ref, {"metadata": {"labels": {"seen": str(self.wars)}}}, "merge")
            msg = "the object has been modified"
            raise ClusterError(409, "Conflict", msg)
        return super().replace(obj)


def _config_map(value: str) -> dict[str, Any]:
    metadata = {"name": "settings", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": value}}


def test_a_conflict_is_no_obstacle() -> None:
    cluster = Busy(wars=3)
    current = cluster.create(_config_map("broken"))
    replace_current(cluster, _config_map("good"), current)
    stored = cluster.get(ObjectRef.of(current))
    assert stored is not None
    assert stored["data"] == {"a": "good"}


def test_a_war_is_given_up() -> None:
    cluster = Busy(wars=CONFLICTS)
    current = cluster.create(_config_map("broken"))
    with pytest.raises(WorldError) as lost:
        replace_current(cluster, _config_map("good"), current)
    assert str(lost.value) == (
        f"{ObjectRef.of(current)} could not be restored: others kept changing or deleted it"
    )
