"""Pods that compute: in `kubectl top`, in metrics, for an autoscaler."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.interfaces import Cluster, ClusterSpec, Command

MANIFEST = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: grinder, namespace: default}
spec:
  selector: {matchLabels: {app: grinder}}
  template:
    metadata: {labels: {app: grinder}}
    spec:
      containers:
      - name: grinder
        image: busybox:1.36
        command: [sh, -c, "yes > /dev/null & sha256sum /dev/zero"]
        resources: {requests: {cpu: 200m}, limits: {cpu: 500m}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: grinder, namespace: default}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: grinder}
  minReplicas: 1
  maxReplicas: 4
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 100}}
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    made = Embedded().provision(ClusterSpec(seed=3))
    applied = made.kubectl(Command(("kubectl", "apply", "-f", "-"), stdin=MANIFEST))
    assert applied.exit_code == 0, applied.stderr
    made.clock.advance(240.0)
    yield made
    made.close()


def said(cluster: Cluster, line: str) -> list[list[str]]:
    shown = cluster.kubectl(Command(tuple(line.split()))).stdout.splitlines()
    return [row.split() for row in shown]


def test_top_shows_what_the_limit_leaves(cluster: Cluster) -> None:
    rows = said(cluster, "kubectl top pods -n default -l app=grinder --no-headers")
    assert [row[1] for row in rows] == ["500m"] * 4


def test_an_autoscaler_adds_replicas(cluster: Cluster) -> None:
    (row,) = said(cluster, "kubectl get hpa grinder -n default --no-headers")
    assert row == ["grinder", "Deployment/grinder", "cpu:", "250%/100%", "1", "4", "4", "4m"]


def test_metrics_count_what_is_used_and_what_is_stopped(cluster: Cluster) -> None:
    def rate(series: str) -> set[float]:
        query = f'rate({series}{{namespace="default",container="grinder"}}[1m])'
        answer = cluster.observe("prometheus", "/api/v1/query", [("query", query)])
        return {
            round(float(row["value"][1]), 2) for row in json.loads(answer.body)["data"]["result"]
        }

    assert rate("container_cpu_usage_seconds_total") == {0.5}
    assert rate("container_cpu_cfs_throttled_periods_total") == {10.0}
    # Two threads want a processor each.
    assert rate("container_cpu_cfs_throttled_seconds_total") == {1.5}
