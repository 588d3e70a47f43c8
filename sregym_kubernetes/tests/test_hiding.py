"""What the guard reads from a path, what it hides, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_core.model import ObjectRef
from sregym_kubernetes.filtering import not_found_status, redact_body, redact_event
from sregym_kubernetes.redaction import RedactionPolicy, plural
from sregym_kubernetes.rules import forbidden
from sregym_kubernetes.target import Target, target_of

HIDDEN = [
    ObjectRef(api_version="v1", kind="Namespace", name="tools"),
    ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="driver"),
    ObjectRef(
        api_version="apiextensions.k8s.io/v1",
        kind="CustomResourceDefinition",
        name="troubles.ex.org",
    ),
]
REDACTION = RedactionPolicy(lambda: HIDDEN)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("/version", Target("/version")),
        ("/api/v1/pods", Target("/api/v1/pods", "", "pods")),
        ("/api/v1/namespaces", Target("/api/v1/namespaces", "", "namespaces")),
        ("/api/v1/namespaces/shop", Target("/api/v1/namespaces/shop", "", "namespaces", "", "shop")),
        (
            "/api/v1/namespaces/shop/finalize",
            Target("/api/v1/namespaces/shop/finalize", "", "namespaces", "", "shop", "finalize"),
        ),
        (
            "/api/v1/namespaces/shop/pods/a%2Db/log?follow=true",
            Target(
                "/api/v1/namespaces/shop/pods/a-b/log",
                *("", "pods", "shop", "a-b", "log"),
                query=(("follow", "true"),),
            ),
        ),
        (
            "/apis/apps/v1/watch/deployments",
            Target("/apis/apps/v1/watch/deployments", "apps", "deployments", watch=True),
        ),
        (
            "/apis/apps/v1/deployments?watch=1",
            Target("/apis/apps/v1/deployments", "apps", "deployments", watch=True, query=(("watch", "1"),)),
        ),
        ("/apis/ex.org", Target("/apis/ex.org", "ex.org")),
    ],
)  # fmt: skip
def test_targets(raw: str, expected: Target) -> None:
    assert target_of(raw) == expected


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Pod", "pods"),
        ("NetworkPolicy", "networkpolicies"),
        ("Ingress", "ingresses"),
        ("Endpoints", "endpoints"),
        ("Gateway", "gateways"),
        ("StorageClass", "storageclasses"),
    ],
)
def test_plurals(kind: str, name: str) -> None:
    assert plural(kind) == name


def pod(name: str, namespace: str = "shop", owner: tuple[str, str] | None = None) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": namespace}
    if owner is not None:
        metadata["ownerReferences"] = [
            {"apiVersion": "apps/v1", "kind": owner[0], "name": owner[1]}
        ]
    return {"metadata": metadata}


def test_lists_lose_what_is_hidden_and_what_belongs_to_it() -> None:
    seen = [pod("cart-0"), pod("drivers-1", owner=("ReplicaSet", "drivers-1"))]
    gone = [pod("x", "tools"), pod("driver-5f-x", owner=("ReplicaSet", "driver-5f"))]
    metadata = {"resourceVersion": "7", "remainingItemCount": 3}
    body = {"kind": "PodList", "metadata": metadata, "items": [*seen, *gone]}
    left = redact_body(json.dumps(body).encode(), target_of("/api/v1/pods"), REDACTION)
    assert left is not None
    expected = {"kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": seen}
    assert json.loads(left) == expected
    untouched = json.dumps({"kind": "PodList", "items": seen}).encode()
    assert redact_body(untouched, target_of("/api/v1/pods"), REDACTION) is None


def test_events_of_hidden_objects_go_too() -> None:
    def event(kind: str, name: str) -> dict[str, Any]:
        about = {"kind": kind, "namespace": "shop", "name": name}
        return {"metadata": {"name": f"{name}.17", "namespace": "shop"}, "involvedObject": about}

    seen = [event("Pod", "cart-0"), event("Service", "driver")]
    gone = [
        event("Deployment", "driver"),
        event("Pod", "driver-5f-x"),
        event("ReplicaSet", "driver-5f"),
    ]
    gone[0]["involvedObject"]["apiVersion"] = "apps/v1"
    body = {"kind": "EventList", "items": [*seen, *gone]}
    left = redact_body(json.dumps(body).encode(), target_of("/api/v1/events"), REDACTION)
    assert left is not None
    assert json.loads(left)["items"] == seen


def test_watches_lose_lines_and_rows() -> None:
    target = target_of("/api/v1/pods?watch=true")

    def line(kind: str, obj: dict[str, Any]) -> bytes:
        return json.dumps({"type": kind, "object": obj}).encode()

    assert redact_event(line("ADDED", pod("cart-0")), target, REDACTION) is None
    assert redact_event(line("ADDED", pod("x", "tools")), target, REDACTION) == b""
    assert redact_event(line("BOOKMARK", pod("x", "tools")), target, REDACTION) is None
    rows = [{"cells": [1], "object": pod("cart-0")}, {"cells": [2], "object": pod("x", "tools")}]
    table = {"kind": "Table", "rows": rows}
    left = redact_event(line("ADDED", table), target, REDACTION)
    assert left is not None
    assert json.loads(left)["object"]["rows"] == rows[:1]
    alone = {"kind": "Table", "rows": rows[1:]}
    assert redact_event(line("ADDED", alone), target, REDACTION) == b""


def test_discovery_loses_hidden_groups() -> None:
    groups = {"kind": "APIGroupList", "groups": [{"name": "apps"}, {"name": "ex.org"}]}
    left = redact_body(json.dumps(groups).encode(), target_of("/apis"), REDACTION)
    assert left is not None
    assert json.loads(left)["groups"] == [{"name": "apps"}]
    items = [{"metadata": {"name": name}} for name in ("apps", "ex.org")] + [{"metadata": {}}]
    groups = {"kind": "APIGroupDiscoveryList", "items": items}
    left = redact_body(json.dumps(groups).encode(), target_of("/apis"), REDACTION)
    assert left is not None
    assert json.loads(left)["items"] == [items[0], items[2]]
    paths = {"paths": {"apis/apps/v1": {}, "apis/ex.org/v1": {}, "api/v1": {}}}
    left = redact_body(json.dumps(paths).encode(), target_of("/openapi/v3"), REDACTION)
    assert left is not None
    assert list(json.loads(left)["paths"]) == ["apis/apps/v1", "api/v1"]


def test_the_words_for_what_is_missing() -> None:
    assert not_found_status(target_of("/apis/apps/v1/namespaces/shop/deployments/driver")) == (
        b'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",'
        b'"message":"deployments.apps \\"driver\\" not found","reason":"NotFound",'
        b'"details":{"name":"driver","group":"apps","kind":"deployments"},"code":404}\n'
    )


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("https://127.0.0.1:1/", True),
        ("https://localhost/x", True),
        ("https://[::1]:8/", True),
        ("https://0.0.0.0/", True),
        ("https://hook.shop.svc/x", False),
        ("https://10.0.0.8/x", False),
    ],
)
def test_webhooks(url: str, refused: bool) -> None:
    target = target_of("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/x")
    patch = [{"op": "replace", "path": "/webhooks/0/clientConfig/url", "value": url}]
    text = f"webhooks may not call {url}: services of a webhook must run in the cluster"
    assert forbidden("PATCH", target, json.dumps(patch).encode()) == (text if refused else "")
    assert forbidden("GET", target, json.dumps(patch).encode()) == ""
