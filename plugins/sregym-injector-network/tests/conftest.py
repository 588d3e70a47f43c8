from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Cluster, ClusterSpec, CommandResult, Fault, FaultContext
from sregym_core.testing import FullShop, MemoryCluster, MemoryProvider, Provision, worker_nodes
from sregym_core.testing.clusters import opened
from sregym_core.testing.targets import chosen_target
from sregym_injector_network.cluster_dns import CONFIG, SERVER
from sregym_injector_network.corefile import STANDARD

_LABELS = {"k8s-app": "kube-dns"}


def with_cluster_dns(cluster: Cluster) -> MemoryCluster:
    """A cluster in memory with a CoreDNS; by a command by which it starts anew nothing changes."""
    assert isinstance(cluster, MemoryCluster)
    place = {"namespace": CONFIG.namespace}
    cluster.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": CONFIG.name, **place},
            "data": {"Corefile": STANDARD},
        }
    )
    containers = [{"name": "coredns", "image": "registry.k8s.io/coredns/coredns:v1.12.1"}]
    cluster.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": SERVER.name, **place},
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": _LABELS},
                "template": {"metadata": {"labels": _LABELS}, "spec": {"containers": containers}},
            },
        }
    )
    start_anew = "kubectl delete pods -n kube-system -l k8s-app=kube-dns"
    cluster.answers[start_anew] = CommandResult(0)
    return cluster


@pytest.fixture
def provision() -> Iterator[Provision]:
    """Clusters in memory with three workers and a CoreDNS."""
    with opened(MemoryProvider(worker_nodes(3))) as give:
        yield lambda spec: with_cluster_dns(give(spec))


@pytest.fixture
def cluster(provision: Provision) -> Cluster:
    """A cluster in memory with a CoreDNS and a shop that is ready."""
    cluster = provision(ClusterSpec(applications=(FullShop(),)))
    FullShop().deploy(cluster)
    cluster.clock.advance(5.0)
    assert FullShop().ready(cluster) == []
    return cluster


@pytest.fixture
def at(cluster: Cluster) -> Callable[..., FaultContext]:
    """`at(fault, "catalog", port=80)`: the context in which a fault meets a target."""

    def make(fault: Fault, target: Any, **parameters: Any) -> FaultContext:
        chosen = chosen_target(FullShop(), target, cluster)
        values = fault.Parameters(**parameters)
        return FaultContext(cluster, FullShop(), chosen, values, UndoJournal(), 7)

    return make
