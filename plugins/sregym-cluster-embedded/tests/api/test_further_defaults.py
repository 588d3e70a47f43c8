"""Defaults of types that the recordings seldom show, their tables, and selectable fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

CLAIMS = "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims"
FLOW = "/apis/flowcontrol.apiserver.k8s.io/v1"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def test_an_event_says_what_it_lacks(client: Any) -> None:
    event = client(
        "POST",
        "/api/v1/namespaces/shop/events",
        {"metadata": {"name": "e"}, "involvedObject": {"namespace": "shop"}},
    )
    assert (event["eventTime"], event["firstTimestamp"], event["lastTimestamp"]) == (None,) * 3
    assert (event["source"], event["reportingComponent"]) == ({}, "")


def test_a_flow_schema_has_a_precedence(client: Any) -> None:
    spec = {"priorityLevelConfiguration": {"name": "global-default"}}
    made = client("POST", f"{FLOW}/flowschemas", {"metadata": {"name": "f"}, "spec": spec})
    assert made["spec"]["matchingPrecedence"] == 1000


def test_a_priority_level_has_shares_and_queues(client: Any) -> None:
    spec = {"type": "Limited", "limited": {"limitResponse": {"type": "Queue"}}}
    path = f"{FLOW}/prioritylevelconfigurations"
    made = client("POST", path, {"metadata": {"name": "p"}, "spec": spec})["spec"]["limited"]
    assert (made["nominalConcurrencyShares"], made["lendablePercent"]) == (30, 0)
    queuing = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}
    assert made["limitResponse"]["queuing"] == queuing


def test_a_claim_asks_for_one_device(client: Any, table: Callable[[str], list[list[Any]]]) -> None:
    request = {"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}
    made = client(
        "POST", CLAIMS, {"metadata": {"name": "c"}, "spec": {"devices": {"requests": [request]}}}
    )
    asked = made["spec"]["devices"]["requests"][0]["exactly"]
    assert (asked["allocationMode"], asked["count"]) == ("ExactCount", 1)
    assert table(CLAIMS)[0][:2] == ["c", "pending"]


def test_volumes_are_completed(client: Any) -> None:
    volumes = [
        {"name": "a", "image": {"reference": "quay.io/x/y:v1"}},
        {
            "name": "b",
            "iscsi": {"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.x:y", "lun": 0},
        },
    ]
    pod = {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a", "image": "x"}], "volumes": volumes},
    }
    image, iscsi, *_ = client("POST", "/api/v1/namespaces/shop/pods", pod)["spec"]["volumes"]
    assert image["image"]["pullPolicy"] == "IfNotPresent"
    assert iscsi["iscsi"]["iscsiInterface"] == "default"


def test_a_source_of_a_claim_is_written_both_ways(client: Any) -> None:
    source = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "dataSource": source,
    }
    path = "/api/v1/namespaces/shop/persistentvolumeclaims"
    made = client("POST", path, {"metadata": {"name": "c"}, "spec": spec})
    assert made["spec"]["dataSourceRef"] == source


def test_custom_resources_are_selected_by_the_fields_that_are_named(client: Any) -> None:
    fields = {"color": {"type": "string"}, "size": {"type": "integer"}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {
            "openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {"type": "object", "properties": fields}},
            }
        },
        "selectableFields": [{"jsonPath": ".spec.color"}],
    }
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "shirts", "kind": "Shirt"},
        "versions": [version],
    }
    client("POST", CRDS, {"metadata": {"name": "shirts.example.com"}, "spec": spec})
    path = "/apis/example.com/v1/namespaces/shop/shirts"
    for name, color in (("a", "red"), ("b", "blue")):
        client("POST", path, {"metadata": {"name": name}, "spec": {"color": color, "size": 1}})
    found = client("GET", path, fieldSelector="spec.color=blue")["items"]
    assert [item["metadata"]["name"] for item in found] == ["b"]
    refused = client("GET", path, fieldSelector="spec.size=1")
    assert (refused["code"], refused["message"]) == (
        400,
        "field label not supported: spec.size",
    )


@pytest.mark.parametrize("kind", ["jobs", "cronjobs"])
def test_a_condition_of_a_failure_policy_is_one_that_holds(client: Any, kind: str) -> None:
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}
    container = {"name": "c", "image": "registry.example/shop/worker:1.0"}
    pod = {"restartPolicy": "Never", "containers": [container]}
    spec: Any = {"podFailurePolicy": policy, "template": {"spec": pod}}
    if kind == "cronjobs":
        spec = {"schedule": "* * * * *", "jobTemplate": {"spec": spec}}
    body = {"metadata": {"name": "j"}, "spec": spec}
    made = client("POST", f"/apis/batch/v1/namespaces/shop/{kind}", body)["spec"]
    made = made["jobTemplate"]["spec"] if kind == "cronjobs" else made
    (rule,) = made["podFailurePolicy"]["rules"]
    assert rule["onPodConditions"] == [{"type": "DisruptionTarget", "status": "True"}]
