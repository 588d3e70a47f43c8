"""Who owns a field after it changed hands, and after it went."""

from __future__ import annotations

import orjson
import pytest

MAPS = "/api/v1/namespaces/shop/configmaps"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def owners(obj):
    return [(entry["manager"], entry["fieldsV1"]) for entry in obj["metadata"]["managedFields"]]


def test_a_map_stays_with_its_maker(client):
    body = {"metadata": {"name": "c"}, "data": {"a": "b"}}
    made = client("POST", MAPS, body, fieldManager="one")
    assert owners(made) == [("one", {"f:data": {".": {}, "f:a": {}}})]
    merge = "application/merge-patch+json"
    taken = client("PATCH", f"{MAPS}/c", {"data": {"a": "c"}}, content=merge, fieldManager="two")
    expected = [("one", {"f:data": {}}), ("two", {"f:data": {"f:a": {}}})]
    assert owners(taken) == expected
    change = {"data": {"z": "1"}}
    client("PATCH", f"{MAPS}/c", change, content=merge, fieldManager="two")
    change = {"data": {"z": None}}
    gone = client("PATCH", f"{MAPS}/c", change, content=merge, fieldManager="two")
    assert owners(gone) == expected


def test_a_struct_with_one_owner_is_applied_as_a_whole(client):
    path = "/apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/n"
    head = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {}}
    found = {}
    for selector in ({"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}):
        body = {**head, "spec": {"podSelector": selector, "policyTypes": ["Egress"]}}
        options = {"content": "application/apply-patch+yaml", "fieldManager": "one"}
        found = client("PATCH", path, body, **options, force="true")
    assert found["spec"]["podSelector"] == {"matchLabels": {"c": "d"}}
    body = {**head, "spec": {"podSelector": {"matchLabels": {"e": "f"}}}}
    found = client("PATCH", path, body, content=options["content"], fieldManager="b", force="true")
    assert found["spec"]["podSelector"] == {"matchLabels": {"e": "f"}}


def entry(manager, fields, operation="Update", **others):
    known = {"apiVersion": "v1", "time": "2020-01-01T00:00:00Z", "fieldsType": "FieldsV1"}
    return {"manager": manager, "operation": operation, **known, "fieldsV1": fields, **others}


def test_a_client_writes_the_owners(client):
    made = client("POST", MAPS, {"metadata": {"name": "c"}, "data": {"a": "b"}}, fieldManager="one")
    revision = made["metadata"]["resourceVersion"]
    asked = [entry("two", {"f:data": {"f:a": {}, "f:gone": {}}}, "Apply")]
    body = {"metadata": {"name": "c", "managedFields": asked}, "data": {"a": "b"}}
    put = client("PUT", f"{MAPS}/c", body, fieldManager="one")
    assert put["metadata"]["managedFields"] == asked
    assert put["metadata"]["resourceVersion"] != revision
    for value in ([], [{}], [{"manager": ""}]):
        client("PUT", f"{MAPS}/c", body, fieldManager="one")
        change = {"metadata": {"managedFields": value}}
        bare = client("PATCH", f"{MAPS}/c", change, content=MERGE)
        assert "managedFields" not in bare["metadata"]
    change = {"metadata": {"managedFields": [{}]}, "data": {"b": "c"}}
    taken = client("PATCH", f"{MAPS}/c", change, content=MERGE, fieldManager="three")
    assert owners(taken) == [("three", {"f:data": {"f:b": {}}})]


@pytest.mark.parametrize(
    "asked",
    [
        [{**entry("two", {}), "operation": "Patch"}],
        [{**entry("two", {}), "apiVersion": ""}],
        [{**entry("two", {}), "fieldsType": ""}],
        [{**entry("two", {}), "fieldsType": "FieldsV2"}],
        [entry("two", {"data": {}})],
        [entry("two", {"f:data": {}}), {}],
    ],
)
def test_what_cannot_be_read_leaves_the_owners(client, asked):
    made = client("POST", MAPS, {"metadata": {"name": "c"}, "data": {"a": "b"}}, fieldManager="one")
    same = client("PATCH", f"{MAPS}/c", {"metadata": {"managedFields": asked}}, content=MERGE)
    assert same == made


def test_owners_are_not_written_through_a_subresource(client, make_deployment):
    path = "/apis/apps/v1/namespaces/shop/deployments"
    made = client("POST", path, make_deployment(), fieldManager="one")
    change = {"metadata": {"managedFields": [{}]}, "status": {"replicas": 1}}
    kept = client("PATCH", f"{path}/web/status", change, content=MERGE, fieldManager="two")
    managers = [entry["manager"] for entry in kept["metadata"]["managedFields"]]
    assert managers == ["kube-controller-manager", "one", "two"]
    again = client("PUT", f"{path}/web", kept, fieldManager="three")
    assert again["metadata"]["resourceVersion"] == kept["metadata"]["resourceVersion"]
    assert made["metadata"]["resourceVersion"] != kept["metadata"]["resourceVersion"]


def test_a_moment_stays_until_its_manager_gains_something(client):
    body = {"metadata": {"name": "c", "labels": {"x": "y"}}, "data": {"a": "b"}}
    made = client("POST", MAPS, body, fieldManager="one")
    at = made["metadata"]["managedFields"][0]["time"]
    client.world.run_until(client.world.now + 10)
    less = client("PATCH", f"{MAPS}/c", {"data": {"a": None}}, content=MERGE, fieldManager="one")
    assert [each["time"] for each in less["metadata"]["managedFields"]] == [at]
    options = {"content": APPLY, "fieldManager": "two"}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"x": "1"}}
    first = client("PATCH", f"{MAPS}/c", body, **options)
    client.world.run_until(client.world.now + 10)
    assert client("PATCH", f"{MAPS}/c", body, **options) == first
    other = client("PATCH", f"{MAPS}/c", {**body, "data": {"x": "2"}}, **options)
    assert other["metadata"]["managedFields"][0]["time"] == client.world.timestamp()


def applied_by_the_client(client, data):
    text = orjson.dumps(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}
    ).decode()
    metadata = {"name": "c", "annotations": {LAST: text}}
    body = {"metadata": metadata, "data": data}
    return client("POST", MAPS, body, fieldManager="kubectl-client-side-apply")


def test_what_the_client_applied_is_no_conflict_for_kubectl(client):
    applied_by_the_client(client, {"a": "1", "b": "1"})
    client("PATCH", f"{MAPS}/c", {"data": {"b": "2"}}, content=MERGE, fieldManager="other")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "<5>", "b": "5"}}
    refused = client("PATCH", f"{MAPS}/c", body, content=APPLY, fieldManager="someone")
    assert [(cause["field"], cause["message"]) for cause in refused["details"]["causes"]] == [
        (".data.a", 'conflict with "kubectl-client-side-apply" using v1'),
        (".data.b", 'conflict with "other" using v1'),
    ]
    refused = client("PATCH", f"{MAPS}/c", body, content=APPLY, fieldManager="kubectl")
    assert refused["message"] == (
        'Apply failed with 1 conflict: conflict with "other" using v1: .data.b'
    )
    del body["data"]["b"]
    taken = client("PATCH", f"{MAPS}/c", body, content=APPLY, fieldManager="kubectl")
    assert taken["data"] == {"a": "<5>", "b": "2"}
    assert taken["metadata"]["annotations"][LAST] == (
        '{"apiVersion":"v1","data":{"a":"\\u003c5\\u003e"},"kind":"ConfigMap"}\n'
    )
