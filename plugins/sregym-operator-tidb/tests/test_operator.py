"""tidb-operator: what it makes of a TidbCluster, and what it does about one that cannot be."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest
import yaml
from sregym_cluster_embedded.sdk.controllers import Operator
from sregym_cluster_embedded.sdk.testing import ClusterTestbed, ExtensionContract, OperatorContract
from sregym_operator_tidb.operator import OPERATOR

BASIC = """
apiVersion: v1
kind: Namespace
metadata: {name: tidb-cluster}
---
apiVersion: pingcap.com/v1alpha1
kind: TidbCluster
metadata: {name: basic, namespace: tidb-cluster}
spec:
  version: v8.1.0
  timezone: UTC
  pd: {replicas: 1, requests: {storage: 1Gi}, config: {}}
  tikv: {replicas: 1, requests: {storage: 1Gi}, config: {}}
  tidb: {replicas: 1, service: {type: ClusterIP}, config: {}}
"""


def _installed() -> str:
    """What the template of the operator makes, as a stream of manifests."""
    text = (files("sregym_operator_tidb") / "template.yaml").read_text()
    objects = yaml.safe_load(text)["templates"]["tidb-operator"]["objects"]
    return yaml.safe_dump_all(objects).replace("{{ name }}", "tidb-controller-manager")


EMPTY = "application: empty\n"


class TestExtension(ExtensionContract):
    distribution = "sregym-operator-tidb"


@pytest.fixture(scope="module")
def world() -> ClusterTestbed:
    cluster = ClusterTestbed.of(EMPTY)
    cluster.apply(_installed())
    cluster.apply(BASIC)
    cluster.run(180)
    return cluster


class TestOperator(OperatorContract):
    @pytest.fixture
    def operator(self) -> Operator:
        return OPERATOR

    @pytest.fixture
    def cluster(self, world: ClusterTestbed) -> ClusterTestbed:
        return world.fork()


@pytest.fixture
def cluster(world: ClusterTestbed) -> ClusterTestbed:
    return world.fork()


def shown(cluster: ClusterTestbed, *words: str) -> str:
    done = cluster.kubectl("-n", "tidb-cluster", *words)
    assert done.ok, done.stderr
    return done.stdout


def patched(cluster: ClusterTestbed, spec: dict[str, Any], seconds: float = 30) -> None:
    shown(cluster, "patch", "tc", "basic", "--type=merge", "-p", json.dumps({"spec": spec}))
    cluster.run(seconds)


def events(cluster: ClusterTestbed) -> list[str]:
    path = "jsonpath={range .items[*]}{.reason} {.message}{'\\n'}{end}"
    return shown(
        cluster, "get", "events", "--field-selector=involvedObject.kind=TidbCluster", "-o", path
    ).splitlines()


def log(cluster: ClusterTestbed) -> str:
    words = ("-n", "tidb-operator", "logs", "deployment/tidb-controller-manager")
    return cluster.kubectl(*words).stdout


def condition(cluster: ClusterTestbed) -> str:
    return shown(cluster, "get", "tc", "basic", "-o", "jsonpath={.status.conditions[0].message}")


def test_a_cluster_comes_up_in_order(world: ClusterTestbed) -> None:
    assert condition(world) == "TiDB cluster is fully up and running"
    pods = shown(world, "get", "pods", "-o", "name").split()
    assert sorted(pod.partition("/")[2] for pod in pods if "discovery" not in pod) == [
        "basic-pd-0",
        "basic-tidb-0",
        "basic-tikv-0",
    ]
    assert "create StatefulSet basic-tikv in TidbCluster basic successful" in " ".join(
        events(world)
    )
    for text in (
        "TidbCluster: [tidb-cluster/basic], waiting for PD cluster running",
        "TidbCluster: [tidb-cluster/basic], waiting for TiKV cluster running",
    ):
        assert f"TidbCluster: tidb-cluster/basic, still need sync: {text}, requeuing" in log(world)
    columns = shown(world, "get", "tc").splitlines()[1].split()
    assert columns[:4] == ["basic", "True", "pingcap/pd:v8.1.0", "1Gi"]
    logs = shown(world, "logs", "basic-tidb-0")
    assert '["server is running MySQL protocol"] [addr=0.0.0.0:4000]' in logs


def test_it_scales_and_rolls_out(cluster: ClusterTestbed) -> None:
    patched(cluster, {"tikv": {"replicas": 3}, "tidb": {"replicas": 2}}, 120)
    assert condition(cluster) == "TiDB cluster is fully up and running"
    assert (
        shown(cluster, "get", "sts", "basic-tikv", "-o", "jsonpath={.status.readyReplicas}") == "3"
    )
    patched(cluster, {"tidb": {"replicas": 1}, "tikv": {"replicas": 1}, "version": "v7.5.1"}, 240)
    images = shown(cluster, "get", "pods", "-o", "jsonpath={.items[*].spec.containers[0].image}")
    assert {one for one in images.split() if "operator" not in one} == {
        f"pingcap/{name}:v7.5.1" for name in ("pd", "tikv", "tidb")
    }
    assert condition(cluster) == "TiDB cluster is fully up and running"


@pytest.mark.parametrize(
    ("spec", "error"),
    [
        (
            {"tidb": {"tolerations": [{"key": "a", "operator": "Exists", "effect": "SOME"}]}},
            'StatefulSet.apps "basic-tidb" is invalid: spec.template.spec.tolerations[0].effect: ',
        ),
        (
            {"tidb": {"podSecurityContext": {"runAsUser": -1}}},
            'StatefulSet.apps "basic-tidb" is invalid: spec.template.spec.securityContext.runAsUser: '
            "Invalid value: -1: must be between 0 and 2147483647, inclusive",
        ),
    ],
)
def test_what_the_api_refuses_is_told_and_tried_again(
    cluster: ClusterTestbed, spec: dict[str, Any], error: str
) -> None:
    patched(cluster, spec, 100)
    told = f"FailedUpdate update StatefulSet basic-tidb in TidbCluster basic failed error: {error}"
    assert any(text.startswith(told) for text in events(cluster)), events(cluster)
    assert log(cluster).count("TidbCluster: tidb-cluster/basic, sync failed") >= 3
    assert condition(cluster) == "TiDB cluster is fully up and running"
    patched(cluster, {"tidb": dict.fromkeys(spec["tidb"])}, 60)
    before = log(cluster)
    cluster.run(100)
    assert log(cluster) == before


def test_a_storage_class_that_is_not_there_stops_the_sync(cluster: ClusterTestbed) -> None:
    patched(cluster, {"pd": {"storageClassName": "fast"}}, 60)
    told = (
        "TidbCluster: tidb-cluster/basic, sync failed tidb-cluster/basic PD: failed to get desired "
        'volumes: storageclass.storage.k8s.io "fast" not found, requeuing'
    )
    assert told in log(cluster)
    assert condition(cluster) == "TiDB cluster is fully up and running"


def test_a_resource_that_contradicts_itself_is_left_alone(cluster: ClusterTestbed) -> None:
    patched(cluster, {"tikv": {"requests": {"storage": None}}, "tidb": {"replicas": 2}}, 60)
    told = "FailedValidation spec.tikv.requests.storage: Required value: storage request must not be empty"
    assert told in events(cluster)
    assert shown(cluster, "get", "sts", "basic-tidb", "-o", "jsonpath={.spec.replicas}") == "1"


def test_scaling_leaves_a_restart_of_people_alone(cluster: ClusterTestbed) -> None:
    shown(cluster, "rollout", "restart", "statefulset/basic-tidb")
    cluster.run(60)
    path = "jsonpath={.spec.template.metadata.annotations.kubectl\\.kubernetes\\.io/restartedAt}"
    restarted = shown(cluster, "get", "sts", "basic-tidb", "-o", path)
    patched(cluster, {"tidb": {"replicas": 2}}, 60)
    assert restarted
    assert shown(cluster, "get", "sts", "basic-tidb", "-o", path) == restarted


def test_a_number_of_pods_that_no_cluster_has_room_for_is_approached(
    cluster: ClusterTestbed,
) -> None:
    patched(cluster, {"tidb": {"replicas": 100000}}, 120)
    wanted = int(shown(cluster, "get", "sts", "basic-tidb", "-o", "jsonpath={.spec.replicas}"))
    assert 2 < wanted < 30
    assert condition(cluster) == "TiDB(s) are not healthy"
    assert "scaling out tidb statefulset tidb-cluster/basic-tidb, ordinal: 1 (replicas: 2" in log(cluster)  # fmt: skip
    patched(cluster, {"tidb": {"replicas": 1}}, 240)
    assert condition(cluster) == "TiDB cluster is fully up and running"
