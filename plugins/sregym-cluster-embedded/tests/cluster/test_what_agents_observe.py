"""What is hidden from an agent is not counted either: two clusters, one of them with hidden things."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import Cluster, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.policy import Policy

HIDDEN = (
    ObjectRef(api_version="v1", kind="Namespace", name="unit"),
    ObjectRef(api_version="apps/v1", kind="Deployment", namespace="default", name="puppet"),
)
NOTHING = Policy()


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def deployment(name: str, place: str) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "busybox:1.36", "command": ["sleep", "infinity"]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": place},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }


@pytest.fixture(scope="module")
def provisioned() -> Iterator[Callable[..., Cluster]]:
    made: list[Cluster] = []

    def provision(*objects: dict[str, Any]) -> Cluster:
        cluster = Embedded().provision(ClusterSpec(seed=1))
        made.append(cluster)
        for obj in objects:
            cluster.create(obj)
        cluster.clock.advance(600.0)
        return cluster

    yield provision
    for cluster in made:
        cluster.close()


@pytest.fixture(scope="module")
def plain(provisioned: Callable[..., Cluster]) -> Cluster:
    return provisioned(deployment("web", "default"))


@pytest.fixture(scope="module")
def hiding(provisioned: Callable[..., Cluster]) -> Cluster:
    tools = (namespace("unit"), deployment("meddler", "unit"), deployment("puppet", "default"))
    return provisioned(deployment("web", "default"), *tools)


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy(lambda: HIDDEN)


COUNTS = (
    "count(kube_pod_info)",
    "count by (namespace) (kube_pod_info)",
    "sum(kube_deployment_spec_replicas)",
    "count(count by (pod) (container_memory_working_set_bytes))",
    "count(kube_namespace_created) - count(kube_namespace_created) % 1",
    "count_over_time(count(kube_pod_info)[5m:1m])",
    "max_over_time(sum(kube_deployment_status_replicas)[5m:1m])",
    # What rules of Prometheus make of it.
    "count(namespace_workload_pod:kube_pod_owner:relabel)",
    "sum(namespace_cpu:kube_pod_container_resource_requests:sum)",
)


def asked(cluster: Cluster, policy: Policy, service: str, path: str, **query: str) -> Any:
    answer = cluster.observe_for(policy, service, path, tuple(query.items()))
    assert answer.status == 200, answer.body
    found = json.loads(answer.body)["data"]
    found.pop("stats", None)
    return found


@pytest.mark.parametrize("query", COUNTS)
def test_metrics(plain: Cluster, hiding: Cluster, policy: Policy, query: str) -> None:
    path = "/api/v1/query"
    expected = asked(plain, NOTHING, "prometheus", path, query=query)
    assert asked(hiding, policy, "prometheus", path, query=query) == expected
    assert expected == asked(plain, policy, "prometheus", path, query=query)


def test_the_harness_counts_all(plain: Cluster, hiding: Cluster) -> None:
    counted = [
        asked(cluster, NOTHING, "prometheus", "/api/v1/query", query="count(kube_pod_info)")
        for cluster in (plain, hiding)
    ]
    few, many = (int(found["result"][0]["value"][1]) for found in counted)
    assert many == few + 4


def test_ranges(plain: Cluster, hiding: Cluster, policy: Policy) -> None:
    now = plain.clock.now()
    assert now == hiding.clock.now()
    query = {"query": "count(kube_pod_info)", "start": str(now - 300), "end": str(now), "step": "60"}  # fmt: skip
    [expected] = asked(plain, NOTHING, "prometheus", "/api/v1/query_range", **query)["result"]
    [found] = asked(hiding, policy, "prometheus", "/api/v1/query_range", **query)["result"]
    assert found == expected


@pytest.mark.parametrize(
    "query",
    [
        'sum(count_over_time({namespace=~".+"}[1h]))',
        'count(count_over_time({app=~"web|puppet|meddler"}[1h]))',
    ],
)
def test_logs(plain: Cluster, hiding: Cluster, policy: Policy, query: str) -> None:
    path = "/loki/api/v1/query"
    expected = asked(plain, NOTHING, "loki", path, query=query)["result"]
    assert asked(hiding, policy, "loki", path, query=query)["result"] == expected
