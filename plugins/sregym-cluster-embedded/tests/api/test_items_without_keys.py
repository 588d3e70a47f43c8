"""Items of lists without the fields that name them, and nulls: refused, or read as empty values."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
CORE = "/api/v1/namespaces/shop"
DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments"
BUDGETS = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets"
OWNER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1"}
TEMPLATE = {
    "metadata": {"labels": {"a": "b"}},
    "spec": {"containers": [{"name": "a", "image": "x"}]},
}
DEPLOYMENT = {
    "metadata": {"name": "w", "namespace": "shop"},
    "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": TEMPLATE},
}
EMPTY_OWNER = [
    'metadata.ownerReferences[0].apiVersion: Invalid value: "": version must not be empty',
    'metadata.ownerReferences[0].kind: Invalid value: "": must not be empty',
    'metadata.ownerReferences[0].name: Invalid value: "": must not be empty',
    'metadata.ownerReferences[0].uid: Invalid value: "": must not be empty',
]


def causes(answer):
    assert answer.get("reason") == "Invalid", answer
    return [f"{cause['field']}: {cause['message']}" for cause in answer["details"]["causes"]]


@pytest.fixture
def a_map(client):
    """Patches a ConfigMap, which has the given metadata first."""

    def send(change, content, **metadata):
        client("POST", f"{CORE}/configmaps", {"metadata": {"name": "m", **metadata}})
        return client("PATCH", f"{CORE}/configmaps/m", {"metadata": change}, content=content)

    return send


@pytest.mark.parametrize("content", [MERGE, STRATEGIC])
@pytest.mark.parametrize("owner", [None, {}, {"kind": None, "name": None}])
def test_an_owner_of_whom_nothing_is_said(a_map, content, owner):
    assert causes(a_map({"ownerReferences": [owner]}, content)) == EMPTY_OWNER


def test_an_owner_of_whom_nothing_is_said_in_a_new_object(client):
    made = {"metadata": {"name": "m", "ownerReferences": [None]}}
    assert causes(client("POST", f"{CORE}/configmaps", made)) == EMPTY_OWNER


def test_a_null_beside_an_owner_cannot_be_merged(a_map):
    answer = a_map({"ownerReferences": [None]}, STRATEGIC, ownerReferences=[OWNER])
    assert answer["message"] == "list element types are not identical: [<nil>]"


def test_an_item_without_its_key_beside_others_cannot_be_merged(a_map):
    answer = a_map({"ownerReferences": [{"name": "n"}]}, STRATEGIC, ownerReferences=[OWNER])
    assert answer["message"] == "map: map[name:n] does not contain declared merge key: uid"


def test_a_null_beside_a_finalizer_cannot_be_merged(a_map):
    answer = a_map({"finalizers": [None]}, STRATEGIC, finalizers=["a.b/x"])
    assert answer["message"] == "list element types are not identical: [<nil>]"


def test_a_null_among_texts_is_an_empty_text(a_map):
    assert causes(a_map({"finalizers": [None]}, MERGE))[0].startswith(
        'metadata.finalizers: Invalid value: ""'
    )


def test_every_further_controller_is_told(a_map):
    first = {**OWNER, "controller": True}
    owners = [first, {"controller": True, "uid": "2"}, {**OWNER, "apiVersion": "a/b/c"}]
    shown = (
        '[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"1","controller":true},'
        '{"controller":true,"uid":"2","apiVersion":"","kind":"","name":""},'
        '{"apiVersion":"a/b/c","kind":"ReplicaSet","name":"web","uid":"1"}]'
    )
    place = "metadata.ownerReferences"
    assert causes(a_map({"ownerReferences": owners}, MERGE)) == [
        f'{place}[1].apiVersion: Invalid value: "": version must not be empty',
        f'{place}[1].kind: Invalid value: "": must not be empty',
        f'{place}[1].name: Invalid value: "": must not be empty',
        f"{place}: Invalid value: {shown}: Only one reference can have Controller set to true. "
        'Found "true" in references for ReplicaSet/web and /',
        f'{place}[2].apiVersion: Invalid value: "a/b/c": version must not be empty',
    ]


@pytest.mark.parametrize("limit", [None, {}, {"default": {"cpu": "1"}}])
def test_a_limit_without_a_type(client, limit):
    made = {"metadata": {"name": "l"}, "spec": {"limits": [limit]}}
    found = causes(client("POST", f"{CORE}/limitranges", made))
    assert {text.partition(": ")[0] for text in found} == {"spec.limits[0].type"}
    assert found[0] == 'spec.limits[0].type: Invalid value: "": name part must be non-empty'


def test_a_container_without_a_name_where_limits_are_set(client):
    limits = [{"type": "Container", "default": {"cpu": "1"}}]
    client("POST", f"{CORE}/limitranges", {"metadata": {"name": "l"}, "spec": {"limits": limits}})
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"image": "x"}, None]}}
    assert causes(client("POST", f"{CORE}/pods", pod)) == [
        "spec.containers[0].name: Required value",
        "spec.containers[1].name: Required value",
        "spec.containers[1].image: Required value",
        'spec.containers[1].name: Duplicate value: ""',
    ]


@pytest.mark.parametrize("content", [MERGE, STRATEGIC])
@pytest.mark.parametrize("condition", [None, {}])
def test_a_condition_of_which_nothing_is_said_is_stored_empty(client, content, condition):
    client("POST", DEPLOYMENTS, DEPLOYMENT)
    change = {"status": {"conditions": [condition]}}
    kept = client("PATCH", f"{DEPLOYMENTS}/w/status", change, content=content)
    assert kept["status"]["conditions"] == [{"type": "", "status": ""}]


def test_containers_in_a_status_have_all_that_is_counted(client, make_pod):
    client("POST", f"{CORE}/pods", make_pod())
    change = {"status": {"containerStatuses": [{"name": "c"}]}}
    kept = client("PATCH", f"{CORE}/pods/p/status", change, content=MERGE)
    assert kept["status"]["containerStatuses"] == [
        {"name": "c", "ready": False, "restartCount": 0, "image": "", "imageID": ""}
    ]


@pytest.mark.parametrize("type_", [None, "Progressing", "Available", "ReplicaFailure"])
def test_controllers_go_on_with_conditions_that_say_little(client, type_):
    world = client.world = build(Blueprint())
    client("POST", "/api/v1/namespaces", {"metadata": {"name": "shop"}})
    client("POST", DEPLOYMENTS, DEPLOYMENT)
    condition = {"type": type_, "status": "True"} if type_ else None
    for plural in ("deployments", "replicasets"):
        path = f"/apis/apps/v1/namespaces/shop/{plural}"
        for name in [item["metadata"]["name"] for item in client("GET", path)["items"]]:
            change = {"status": {"conditions": [condition]}}
            client("PATCH", f"{path}/{name}/status", change, content=MERGE)
    client("PATCH", f"{DEPLOYMENTS}/w", {"spec": {"replicas": 2}}, content=MERGE)
    world.run_until(world.now + 60)
    assert client("GET", f"{DEPLOYMENTS}/w")["status"]["replicas"] == 2


def test_conditions_of_a_budget(client):
    client("POST", BUDGETS, {"metadata": {"name": "b"}, "spec": {"minAvailable": 1}})
    good = {"type": "A", "status": "True", "reason": "Fine"}
    conditions = [
        {**good, "lastTransitionTime": "2026-01-01T00:00:00Z"},
        {**good, "status": "Maybe", "reason": "no good", "observedGeneration": -1},
        {"message": "x" * 32769, "type": "B", "status": "True", "reason": "x" * 1025},
        None,
    ]
    change = {"status": {"conditions": conditions, "currentHealthy": -1}}
    place = "status.conditions"
    found = causes(client("PATCH", f"{BUDGETS}/b/status", change, content=MERGE))
    statuses = 'supported values: "False", "True", "Unknown"'
    assert found[:4] == [
        f'{place}[1].type: Duplicate value: "A"',
        f'{place}[1].status: Unsupported value: "Maybe": {statuses}',
        f"{place}[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
        f"{place}[1].lastTransitionTime: Required value: must be set",
    ]
    assert found[4] == (
        f'{place}[1].reason: Invalid value: "no good": a condition reason must start with '
        "alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', "
        "and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
        "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
        "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
    )
    assert found[5:9] == [
        f"{place}[2].lastTransitionTime: Required value: must be set",
        f"{place}[2].reason: Too long: may not be more than 1024 bytes",
        f"{place}[2].message: Too long: may not be more than 32768 bytes",
        f'{place}[3].type: Invalid value: "": name part must be non-empty',
    ]
    assert found[-4:] == [
        f'{place}[3].status: Unsupported value: "": {statuses}',
        f"{place}[3].lastTransitionTime: Required value: must be set",
        f"{place}[3].reason: Required value: must be set",
        "status.currentHealthy: Invalid value: -1: must be greater than or equal to 0",
    ]
