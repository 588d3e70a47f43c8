"""Objects that are served in two versions are one object."""

from __future__ import annotations

from sregym_cluster_embedded.api import events, internal_client

TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}


def test_an_autoscaler_of_the_first_version_is_one_of_the_second(client):
    spec = {"scaleTargetRef": TARGET, "maxReplicas": 3, "targetCPUUtilizationPercentage": 50}
    path = "/apis/autoscaling/{}/namespaces/shop/horizontalpodautoscalers"
    client("POST", path.format("v1"), {"metadata": {"name": "h"}, "spec": spec})
    second = client("GET", path.format("v2") + "/h")
    assert second["apiVersion"] == "autoscaling/v2"
    assert second["spec"]["metrics"] == [
        {
            "type": "Resource",
            "resource": {
                "name": "cpu",
                "target": {"type": "Utilization", "averageUtilization": 50},
            },
        }
    ]
    first = client("GET", path.format("v1") + "/h")
    assert first["spec"] == {**spec, "minReplicas": 1}


def test_an_event_is_served_by_both_groups(client, world):
    spec = {"containers": [{"name": "c", "image": "x:1"}]}
    pod = internal_client.create(
        world, "pods", {"metadata": {"name": "p", "namespace": "shop"}, "spec": spec}
    )
    events.record(world, pod, "pods", "Normal", "Pulled", "done", "kubelet", "node1")
    (core,) = client("GET", "/api/v1/namespaces/shop/events")["items"]
    (other,) = client("GET", "/apis/events.k8s.io/v1/namespaces/shop/events")["items"]
    assert (other["note"], other["regarding"], other["reportingController"]) == (
        core["message"],
        core["involvedObject"],
        "kubelet",
    )
