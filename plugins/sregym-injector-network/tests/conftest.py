from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Cluster, ClusterSpec, CommandResult, Fault, FaultContext
from sregym_core.model import ObjectRef
from sregym_injector_network import proxies, routes
from sregym_injector_network.cluster_dns import CONFIG, SERVER
from sregym_injector_network.corefile import STANDARD
from sregym_testing import FullShop, MemoryCluster, MemoryProvider, Provision, worker_nodes
from sregym_testing.clusters import open_clusters
from sregym_testing.memory.nodes import MemoryNodes
from sregym_testing.targets import choose_target

_LABELS = {"k8s-app": "kube-dns"}


def with_cluster_dns(cluster: Cluster) -> MemoryCluster:
    """A cluster in memory with a CoreDNS; by a command by which it restarts nothing changes."""
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
    return with_kube_router(with_kube_proxy(cluster))


def with_kube_proxy(cluster: MemoryCluster) -> MemoryCluster:
    """The cluster with a kube-proxy on every node, by commands likewise."""
    place, labels = {"namespace": CONFIG.namespace}, {"k8s-app": "kube-proxy"}
    text = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\n"
    cluster.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": proxies.CONFIG.name, **place},
            "data": {proxies.KEY: text},
        }
    )
    containers = [{"name": "kube-proxy", "image": "registry.k8s.io/kube-proxy:v1.36.2"}]
    cluster.create(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": proxies.DAEMONS.name, **place},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            },
        }
    )
    cluster.answers = _Deleting(cluster)
    return cluster


def with_kube_router(cluster: MemoryCluster) -> MemoryCluster:
    """The cluster with a kube-router on every node, and the file of its network plugin there."""
    labels = {"k8s-app": "kube-router"}
    containers = [{"name": "kube-router", "image": "docker.io/cloudnativelabs/kube-router:v2.6.1"}]
    cluster.create(
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": {"name": routes.ROUTERS.name, "namespace": routes.ROUTERS.namespace},
            "spec": {
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
            },
        }
    )
    cluster.answers[f"kubectl delete pods -n kube-system -l {routes.LABELS}"] = CommandResult(0)
    access, files = cluster.nodes, {}
    assert isinstance(access, MemoryNodes)
    for number, node in enumerate(cluster.list("v1", "Node")):
        subnet = f"10.244.{number}.0/24"
        cluster.patch(ObjectRef.of(node), {"spec": {"podCIDR": subnet}}, "merge")
        ranges = f'{{"plugins": [{{"ipam": {{"ranges": [[{{"subnet": "{subnet}"}}]]}}}}]}}'
        files[node["metadata"]["name"]] = ranges

    def on_host(node: str, argv: Sequence[str], _stdin: str) -> CommandResult:
        """`cat` and `sed -i` of that file."""
        if argv[0] == "cat":
            return CommandResult(0, files[node])
        _, pattern, by, _ = argv[2].split("|")
        files[node] = re.sub(pattern, by.replace("&", r"\g<0>"), files[node])
        return CommandResult(0)

    access.executor = on_host
    return cluster


class _Deleting(dict[str, CommandResult]):
    """Answers of a cluster, one of which deletes the pods of kube-proxy."""

    def __init__(self, cluster: MemoryCluster) -> None:
        super().__init__(cluster.answers)
        self._cluster = cluster

    def get(self, command: str, otherwise: Any = None) -> Any:
        """The answer to a command."""
        if command != f"kubectl delete pods -n kube-system -l {proxies.LABELS}":
            return super().get(command, otherwise)
        for pod in self._cluster.list("v1", "Pod", "kube-system"):
            if pod["metadata"]["name"].startswith("kube-proxy"):
                self._cluster.delete(ObjectRef.of(pod))
        return CommandResult(0)


@pytest.fixture
def provision() -> Iterator[Provision]:
    """Clusters in memory with three workers and a CoreDNS."""
    with open_clusters(MemoryProvider(worker_nodes(3))) as give:
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
        chosen = choose_target(FullShop(), target, cluster)
        values = fault.Parameters(**parameters)
        return FaultContext(cluster, FullShop(), chosen, values, UndoJournal(), 7)

    return make
