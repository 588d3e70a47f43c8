"""HorizontalPodAutoscalers: what they say without metrics, and how they follow them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.resource_metrics import API_SERVICE, ContainerUse
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.store import Key

AUTOSCALER = Key("horizontalpodautoscalers.autoscaling", "shop", "web")
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "registry.example/shop/web:1.0", resources: {requests: {cpu: 100m}}}
"""
BY_CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}


class MeasuredUsage:
    """Every container uses as many millicores as the world's table says."""

    def containers(self, world: Any, pod_uid: str) -> list[ContainerUse]:
        milli = world.table("test.usage").get("cpu", 0)
        return [ContainerUse("web", milli * 1_000_000, 20 * 2**20, -1000.0)]

    def node_overhead(self, world: Any, node: str) -> tuple[int, int]:
        return (0, 0)


def with_usage(shop: Any) -> None:
    """Give the world a metrics API over `MeasuredUsage`."""
    world = shop.world
    services = {**world.spec.services, **USAGE.offer(MeasuredUsage())}
    world.spec = replace(world.spec, services=services)
    service = {"metadata": {"name": API_SERVICE.name}, "spec": {}}
    internal_client.create(world, API_SERVICE.resource, service)
    available = {"conditions": [{"type": "Available", "status": "True"}]}
    internal_client.update_status(world, API_SERVICE, available)


def autoscale(shop: Any, **spec: Any) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    given = {"scaleTargetRef": target, "maxReplicas": 10, "metrics": [BY_CPU], **spec}
    obj = {"metadata": {"name": "web", "namespace": "shop"}, "spec": given}
    internal_client.create(shop.world, AUTOSCALER.resource, obj)


def conditions(shop: Any) -> list[tuple[str, str, str, str]]:
    status = shop.world.store.get(AUTOSCALER)["status"]
    return [(e["type"], e["status"], e["reason"], e["message"]) for e in status["conditions"]]


ABLE = (
    "AbleToScale",
    "True",
    "SucceededGetScale",
    "the HPA controller was able to get the target's current scale",
)
NO_API = (
    "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch "
    "metrics from resource metrics API: the server could not find the requested resource "
    "(get pods.metrics.k8s.io)"
)


def test_nothing_is_said_in_the_first_quarter_of_a_minute(shop: Any) -> None:
    shop.apply(WEB)
    autoscale(shop)
    shop.run(14)
    status = shop.world.store.get(AUTOSCALER)["status"]
    assert status == {"currentMetrics": None, "desiredReplicas": 0}


def test_without_a_metrics_api(shop: Any) -> None:
    shop.apply(WEB)
    autoscale(shop)
    shop.run(16)
    status = shop.world.store.get(AUTOSCALER)["status"]
    assert {k: v for k, v in status.items() if k != "conditions"} == {
        "currentMetrics": [{"type": ""}],
        "currentReplicas": 2,
        "desiredReplicas": 0,
    }
    assert conditions(shop) == [
        ABLE,
        (
            "ScalingActive",
            "False",
            "FailedGetResourceMetric",
            f"the HPA was unable to compute the replica count: {NO_API}",
        ),
    ]
    assert shop.events("FailedGetResourceMetric") == [(NO_API, 1)]
    assert shop.events("FailedComputeMetricsReplicas") == [
        (
            "invalid metrics (1 invalid out of 1), first error is: "
            f"failed to get cpu resource metric value: {NO_API}",
            1,
        )
    ]
    shop.run(30)
    assert shop.events("FailedGetResourceMetric") == [(NO_API, 3)]


def test_a_target_that_is_not_there(shop: Any) -> None:
    autoscale(shop)
    shop.run(16)
    assert conditions(shop) == [
        (
            "AbleToScale",
            "False",
            "FailedGetScale",
            "the HPA controller was unable to get the target's current scale: "
            'deployments.apps "web" not found',
        )
    ]
    assert shop.events("FailedGetScale") == [('deployments.apps "web" not found', 1)]


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        (
            {
                "type": "Pods",
                "pods": {
                    "metric": {"name": "rps"},
                    "target": {"type": "AverageValue", "averageValue": "10"},
                },
            },
            (
                "FailedGetPodsMetric",
                "unable to get metric rps: unable to fetch metrics from custom metrics API: "
                "no custom metrics API (custom.metrics.k8s.io) registered",
            ),
        ),
        (
            {
                "type": "External",
                "external": {
                    "metric": {"name": "queue", "selector": {"matchLabels": {"a": "b"}}},
                    "target": {"type": "Value", "value": "10"},
                },
            },
            (
                "FailedGetExternalMetric",
                "unable to get external metric shop/queue/&LabelSelector{MatchLabels:"
                "map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}: "
                "unable to fetch metrics from external metrics API: the server could not find "
                "the requested resource (get queue.external.metrics.k8s.io)",
            ),
        ),
    ],
)
def test_metrics_that_nobody_serves(shop: Any, metric: Any, said: tuple[str, str]) -> None:
    shop.apply(WEB)
    autoscale(shop, metrics=[metric])
    shop.run(16)
    reason, message = said
    assert shop.events(reason) == [(message, 1)]


def test_load_makes_more_pods_and_their_number_falls_slowly(shop: Any) -> None:
    with_usage(shop)
    shop.apply(WEB)
    shop.world.table("test.usage")["cpu"] = 90
    shop.run(400)
    autoscale(shop)
    shop.run(16)
    above = "cpu resource utilization (percentage of request)"
    assert shop.events("SuccessfulRescale") == [(f"New size: 4; reason: {above} above target", 1)]
    assert conditions(shop) == [
        (
            "AbleToScale",
            "True",
            "SucceededRescale",
            "the HPA controller was able to update the target scale to 4",
        ),
        (
            "ScalingActive",
            "True",
            "ValidMetricFound",
            f"the HPA was able to successfully calculate a replica count from {above}",
        ),
        (
            "ScalingLimited",
            "False",
            "DesiredWithinRange",
            "the desired count is within the acceptable range",
        ),
    ]
    status = shop.world.store.get(AUTOSCALER)["status"]
    current = {"averageUtilization": 90, "averageValue": "90m"}
    assert status["currentMetrics"] == [
        {"type": "Resource", "resource": {"name": "cpu", "current": current}}
    ]
    shop.world.table("test.usage")["cpu"] = 1
    shop.run(60)
    assert conditions(shop)[0][2] == "ScaleDownStabilized"
    shop.run(900)
    assert shop.world.store.get(AUTOSCALER)["status"]["desiredReplicas"] == 1
    assert (
        shop.events("SuccessfulRescale")[-1][0] == "New size: 1; reason: All metrics below target"
    )


def test_containers_without_requests_have_no_utilization(shop: Any) -> None:
    with_usage(shop)
    shop.apply(WEB.replace(", resources: {requests: {cpu: 100m}}", ""))
    shop.run(400)
    autoscale(shop)
    shop.run(16)
    pods = sorted(pod["metadata"]["name"] for pod in shop.pods())
    assert shop.events("FailedGetResourceMetric") == [
        (
            "failed to get cpu utilization: missing request for cpu in container web of Pod "
            f"{pods[0]}",
            1,
        )
    ]


def test_a_size_out_of_bounds_needs_no_metrics(shop: Any) -> None:
    shop.apply(WEB)
    autoscale(shop, minReplicas=5)
    shop.run(16)
    below = "Current number of replicas below Spec.MinReplicas"
    assert shop.events("SuccessfulRescale") == [(f"New size: 5; reason: {below}", 1)]


def test_policies_limit_how_fast_it_grows(shop: Any) -> None:
    with_usage(shop)
    shop.apply(WEB)
    shop.world.table("test.usage")["cpu"] = 1000
    shop.run(400)
    policy = {"type": "Pods", "value": 1, "periodSeconds": 60}
    autoscale(shop, behavior={"scaleUp": {"policies": [policy]}})
    shop.run(16)
    assert conditions(shop)[2] == (
        "ScalingLimited",
        "True",
        "ScaleUpLimit",
        "the desired replica count is increasing faster than the maximum scale rate",
    )
    assert shop.world.store.get(AUTOSCALER)["status"]["desiredReplicas"] == 3


def test_a_target_without_replicas_is_left_alone(shop: Any) -> None:
    shop.apply(WEB.replace("replicas: 2", "replicas: 0"))
    autoscale(shop)
    shop.run(16)
    assert conditions(shop)[1] == (
        "ScalingActive",
        "False",
        "ScalingDisabled",
        "scaling is disabled since the replica count of the target is zero",
    )


def test_the_older_version_tells_the_rest_in_annotations(shop: Any) -> None:
    autoscale(shop)
    shop.run(16)
    path = "/apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers/web"
    answer: Any = handle(shop.world, Request("GET", path))
    obj = orjson.loads(answer.body)
    assert obj["status"] == {"currentReplicas": 0, "desiredReplicas": 0}
    ((name, text),) = obj["metadata"]["annotations"].items()
    assert name == "autoscaling.alpha.kubernetes.io/conditions"
    (condition,) = orjson.loads(text)
    assert list(condition) == ["type", "status", "lastTransitionTime", "reason", "message"]
    assert condition["reason"] == "FailedGetScale"
