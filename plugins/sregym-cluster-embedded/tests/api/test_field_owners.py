"""Who owns a field after it changed hands, and after it went."""

from __future__ import annotations

MAPS = "/api/v1/namespaces/shop/configmaps"


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
