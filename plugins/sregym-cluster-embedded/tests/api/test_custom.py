"""Types that are defined at run time are served like built-in ones."""

from __future__ import annotations

import pytest

CACHES = "/apis/example.com/v1/namespaces/shop/caches"


@pytest.fixture
def caches(client):
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {
            "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        },
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
    }
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "caches", "kind": "Cache", "shortNames": ["ca"]},
        "versions": [version],
    }
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    return client("POST", path, {"metadata": {"name": "caches.example.com"}, "spec": spec})


def test_a_definition_is_established(caches):
    conditions = {entry["type"]: entry["status"] for entry in caches["status"]["conditions"]}
    assert conditions == {"NamesAccepted": "True", "Established": "True"}
    assert caches["status"]["storedVersions"] == ["v1"]


def test_its_type_is_discovered(client, caches):
    assert client("GET", "/apis/example.com/v1")["resources"][0] | {"storageVersionHash": ""} == {
        "name": "caches",
        "singularName": "cache",
        "namespaced": True,
        "kind": "Cache",
        "verbs": [
            "create",
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "update",
            "watch",
        ],
        "shortNames": ["ca"],
        "storageVersionHash": "",
    }


def test_its_objects_live(client, caches, table):
    client("POST", CACHES, {"metadata": {"name": "main"}, "spec": {"size": 3}})
    merge = "application/merge-patch+json"
    changed = client("PATCH", f"{CACHES}/main", {"spec": {"size": 4}}, content=merge)
    assert (changed["kind"], changed["metadata"]["generation"]) == ("Cache", 2)
    reported = client("PATCH", f"{CACHES}/main/status", {"status": {"used": 1}}, content=merge)
    assert (reported["status"], reported["metadata"]["generation"]) == ({"used": 1}, 2)
    assert table(CACHES) == [["main", 4]]
    client("DELETE", f"{CACHES}/main")
    assert client("GET", CACHES)["items"] == []


def test_an_undefined_type_is_not_found(client):
    for method in ("GET", "POST", "BREW"):
        answer = client.raw(method, CACHES)
        assert (answer.status, answer.body) == (404, b"404 page not found\n")


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({}, {"replicas": 0}),
        (
            {"labelSelectorPath": ".status.selector"},
            {"replicas": 0, "selector": "app=cache"},
        ),
    ],
)
def test_a_scale_has_a_selector_where_its_type_has_one(client, more, status):
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas", **more}
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"scale": scale},
    }
    spec = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "caches", "kind": "Cache"},
        "versions": [version],
    }
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    client("POST", path, {"metadata": {"name": "caches.example.com"}, "spec": spec})
    body = {"spec": {"replicas": 2}, "status": {"selector": "app=cache"}}
    client("POST", CACHES, {"metadata": {"name": "main"}, **body})
    found = client("GET", f"{CACHES}/main/scale")
    assert (found["spec"], found["status"]) == ({"replicas": 2}, status)


@pytest.mark.parametrize(
    ("patch", "type_"),
    [(b'"text"', "string"), (b"[]", "array"), (b"3", "number"), (b"true", "bool")],
)
def test_a_patch_that_is_no_object(client, patch, type_):
    client("POST", "/api/v1/namespaces/shop/configmaps", {"metadata": {"name": "c"}})
    content = "application/merge-patch+json"
    answer = client("PATCH", "/api/v1/namespaces/shop/configmaps/c", patch, content=content)
    text = f"json: cannot unmarshal {type_} into Go value of type map[string]interface {{}}"
    assert answer["message"] == f"error decoding patch: {text}"
