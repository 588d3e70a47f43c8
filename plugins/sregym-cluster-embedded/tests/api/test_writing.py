from __future__ import annotations

import pytest

DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments"
CORE = "/api/v1/namespaces/shop"
MAPS = f"{CORE}/configmaps"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE = "application/merge-patch+json"
JSON = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"


@pytest.fixture
def web(client, make_deployment):
    client("POST", DEPLOYMENTS, make_deployment())

    def patch(change, content=STRATEGIC, **query):
        return client("PATCH", f"{DEPLOYMENTS}/web", change, content=content, **query)

    return patch


def containers(obj):
    return [entry["name"] for entry in obj["spec"]["template"]["spec"]["containers"]]


def in_pods(change):
    return {"spec": {"template": {"spec": change}}}


def test_unknown_fields_are_refused_when_strict(client, make_pod):
    sent = make_pod(colour="red")
    answer = client("POST", "/api/v1/namespaces/shop/pods", sent, fieldValidation="Strict")
    assert answer["message"] == (
        'Pod in version "v1" cannot be handled as a Pod: '
        'strict decoding error: unknown field "spec.colour"'
    )


def test_unknown_fields_are_warned_of_otherwise(client, make_pod):
    answer = client.raw("POST", "/api/v1/namespaces/shop/pods", make_pod(colour="red"))
    assert answer.status == 201
    assert answer.headers == {"Warning": '299 - "unknown field \\"spec.colour\\""'}


def test_a_dry_run_stores_nothing(client, world):
    before = world.store.revision
    made = client("POST", MAPS, {"metadata": {"name": "c"}}, dryRun="All")
    assert made["metadata"]["name"] == "c"
    assert world.store.revision == before


def test_a_stale_write_conflicts(client):
    made = client("POST", MAPS, {"metadata": {"name": "c"}})
    stale = {**made, "metadata": {**made["metadata"], "resourceVersion": "1"}}
    answer = client("PUT", f"{MAPS}/c", stale)
    assert answer["message"] == (
        'Operation cannot be fulfilled on configmaps "c": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    assert (answer["code"], answer["reason"]) == (409, "Conflict")


def test_a_status_write_keeps_the_spec_and_a_spec_write_the_status(client, web):
    made = client("GET", f"{DEPLOYMENTS}/web")
    reported = client(
        "PUT", f"{DEPLOYMENTS}/web/status", {**made, "spec": {}, "status": {"replicas": 1}}
    )
    assert reported["spec"] == made["spec"]
    assert reported["status"] == {"replicas": 1}
    scaled = web({"spec": {"replicas": 2}, "status": {"replicas": 9}})
    assert scaled["spec"]["replicas"] == 2
    assert scaled["status"] == {"replicas": 1}


class TestStrategicMerge:
    def test_new_items_stand_before_those_the_patch_does_not_name(self, web):
        env = [{"name": "B", "value": "b"}]
        patched = web(in_pods({"containers": [{"name": "web", "env": env}]}))
        assert patched["spec"]["template"]["spec"]["containers"][0]["env"] == [
            {"name": "B", "value": "b"},
            {"name": "A", "value": "a"},
        ]

    def test_an_item_is_deleted_by_its_key(self, web):
        patched = web(in_pods({"containers": [{"name": "log", "$patch": "delete"}]}))
        assert containers(patched) == ["web"]

    def test_a_list_is_replaced_whole(self, web):
        only = {"name": "only", "image": "z:1"}
        patched = web(in_pods({"containers": [{"$patch": "replace"}, only]}))
        assert containers(patched) == ["only"]

    def test_the_order_of_items_can_be_set(self, web):
        order = [{"name": "log"}, {"name": "web"}]
        patched = web(in_pods({"$setElementOrder/containers": order, "containers": []}))
        assert containers(patched) == ["log", "web"]

    def test_only_the_keys_to_retain_stay(self, web):
        patched = web({"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}})
        assert patched["spec"]["strategy"] == {"type": "Recreate"}

    def test_values_are_taken_out_of_a_plain_list(self, client):
        meta = {"name": "c", "finalizers": ["a.b/x", "a.b/y"]}
        client("POST", MAPS, {"metadata": meta})
        change = {"metadata": {"$deleteFromPrimitiveList/finalizers": ["a.b/x"]}}
        patched = client("PATCH", f"{MAPS}/c", change, content=STRATEGIC)
        assert patched["metadata"]["finalizers"] == ["a.b/y"]

    def test_an_item_without_its_key_is_refused(self, web):
        answer = web(in_pods({"containers": [{"image": "z:1"}]}))
        assert answer["message"] == "map: map[image:z:1] does not contain declared merge key: name"

    def test_a_value_of_the_wrong_form_is_refused(self, web):
        answer = web({"spec": {"replicas": "two"}})
        assert answer["details"]["causes"] == [
            {
                "reason": "FieldValueInvalid",
                "message": 'Invalid value: "map[spec:map[replicas:two]]": unrecognized type: int32',
                "field": "patch",
            }
        ]


def test_a_merge_patch_replaces_lists(web):
    only = {"name": "only", "image": "z:1"}
    assert containers(web(in_pods({"containers": [only]}), MERGE)) == ["only"]


def test_a_json_patch_does_its_operations_in_order(web):
    operations = [
        {"op": "test", "path": "/spec/replicas", "value": 1},
        {"op": "replace", "path": "/spec/minReadySeconds", "value": 3},
        {"op": "remove", "path": "/spec/template/spec/containers/1"},
    ]
    patched = web(operations, JSON)
    assert (patched["spec"]["minReadySeconds"], containers(patched)) == (3, ["web"])


def test_a_json_patch_that_does_not_fit_changes_nothing(web, world):
    before = world.store.revision
    answer = web([{"op": "test", "path": "/spec/replicas", "value": 9}], JSON)
    text = "the server rejected our request due to an error in our request"
    assert (answer["code"], answer["reason"], answer["message"]) == (422, "Invalid", text)
    assert world.store.revision == before


class TestApply:
    def apply(self, client, data, manager, force="false"):
        sent = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}
        return client("PATCH", f"{MAPS}/c", sent, content=APPLY, fieldManager=manager, force=force)

    def owners(self, obj):
        return {
            entry["manager"]: sorted(entry["fieldsV1"]["f:data"])
            for entry in obj["metadata"]["managedFields"]
        }

    def test_it_creates_and_owns(self, client):
        made = self.apply(client, {"a": "1", "b": "2"}, "one")
        assert made["data"] == {"a": "1", "b": "2"}
        assert self.owners(made) == {"one": ["f:a", "f:b"]}

    def test_what_is_no_longer_sent_goes(self, client):
        self.apply(client, {"a": "1", "b": "2"}, "one")
        assert self.apply(client, {"a": "1"}, "one")["data"] == {"a": "1"}

    def test_a_field_of_another_manager_conflicts(self, client):
        self.apply(client, {"a": "1"}, "one")
        answer = self.apply(client, {"a": "9"}, "two")
        assert answer["message"] == 'Apply failed with 1 conflict: conflict with "one": .data.a'
        assert answer["details"]["causes"] == [
            {"reason": "FieldManagerConflict", "message": 'conflict with "one"', "field": ".data.a"}
        ]

    def test_force_takes_the_field(self, client):
        self.apply(client, {"a": "1", "b": "2"}, "one")
        taken = self.apply(client, {"a": "9"}, "two", force="true")
        assert taken["data"] == {"a": "9", "b": "2"}
        assert self.owners(taken) == {"one": ["f:b"], "two": ["f:a"]}

    def test_two_managers_share_a_field_of_one_value(self, client):
        self.apply(client, {"a": "1"}, "one")
        self.apply(client, {"a": "1"}, "two")
        assert self.apply(client, {}, "one")["data"] == {"a": "1"}


def test_scale_changes_the_replicas(client, web, world):
    answer = client("PATCH", f"{DEPLOYMENTS}/web/scale", {"spec": {"replicas": 5}}, content=MERGE)
    assert answer["spec"] == {"replicas": 5}
    assert answer["status"] == {"replicas": 0, "selector": "app=web"}
    assert client("GET", f"{DEPLOYMENTS}/web")["spec"]["replicas"] == 5


def test_a_budget_without_room_refuses_an_eviction(client, make_pod):
    labelled = make_pod()
    labelled["metadata"]["labels"] = {"app": "web"}
    client("POST", "/api/v1/namespaces/shop/pods", labelled)
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    client("PUT", "/api/v1/namespaces/shop/pods/p/status", {**labelled, "status": ready})
    budgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets"
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    budget = client("POST", budgets, {"metadata": {"name": "b"}, "spec": spec})
    status = {"observedGeneration": 1, "desiredHealthy": 1, "currentHealthy": 1}
    client("PUT", f"{budgets}/b/status", {**budget, "status": status})
    sent = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}}
    answer = client("POST", "/api/v1/namespaces/shop/pods/p/eviction", sent)
    text = "Cannot evict pod as it would violate the pod's disruption budget."
    assert (answer["code"], answer["message"]) == (429, text)
    assert answer["details"]["causes"] == [
        {
            "reason": "DisruptionBudget",
            "message": "The disruption budget b needs 1 healthy pods and has 1 currently",
        }
    ]


@pytest.mark.parametrize(
    ("path", "spec"),
    [
        (f"{CORE}/services", {"ports": [{"port": 80}]}),
        (f"{CORE}/serviceaccounts", None),
        (f"{CORE}/resourcequotas", {"hard": {"pods": "1"}}),
        (f"{CORE}/podtemplates", None),
        (f"{CORE}/persistentvolumeclaims", None),
        (f"{CORE}/configmaps", None),
        ("/apis/networking.k8s.io/v1/namespaces/shop/ingresses", {"defaultBackend": None}),
    ],
)
def test_some_kinds_are_deleted_with_their_object(client, path, spec):
    body = {"metadata": {"name": "x"}, **({"spec": spec} if spec else {})}
    if path.endswith("claims"):
        storage = {"requests": {"storage": "1Gi"}}
        body["spec"] = {"accessModes": ["ReadWriteOnce"], "resources": storage}
    elif path.endswith("podtemplates"):
        body["template"] = {"spec": {"containers": [{"name": "c", "image": "x"}]}}
    elif path.endswith("ingresses"):
        backend = {"service": {"name": "s", "port": {"number": 1}}}
        body["spec"] = {"defaultBackend": backend}
    made = client("POST", path, body)
    expected = "Status" if path.endswith(("configmaps", "ingresses")) else made["kind"]
    for options in ({"dryRun": "All"}, {}):
        gone = client("DELETE", f"{path}/x", **options)
        assert gone["kind"] == expected
        kept = gone["details"] if expected == "Status" else gone["metadata"]
        assert (kept["name"], kept["uid"]) == ("x", made["metadata"]["uid"])


def test_revision_0_stands_for_any(client):
    client("POST", f"{CORE}/configmaps", {"metadata": {"name": "c"}, "data": {"a": "b"}})
    body = {"metadata": {"name": "c", "resourceVersion": "0"}, "data": {"a": "c"}}
    assert client("PUT", f"{CORE}/configmaps/c", body)["data"] == {"a": "c"}
    change = {"metadata": {"resourceVersion": "0"}, "data": {"a": "d"}}
    patched = client(
        "PATCH", f"{CORE}/configmaps/c", change, content="application/merge-patch+json"
    )
    assert patched["data"] == {"a": "d"}


def test_a_token_carries_the_uid_of_its_account(client):
    path = f"{CORE}/serviceaccounts/default"
    uid = client("GET", path)["metadata"]["uid"]
    made = client("POST", f"{path}/token", {"spec": {}})
    assert made["metadata"]["uid"] == uid
    refused = client("POST", f"{path}/token", {"metadata": {"uid": "other"}, "spec": {}})
    assert (refused["code"], refused["message"]) == (
        409,
        'Operation cannot be fulfilled on serviceaccounts "default": the UID in the token request '
        f"(other) does not match the UID of the service account ({uid})",
    )


def test_deleting_answers_with_a_status(client):
    made = client("POST", MAPS, {"metadata": {"name": "c"}})
    assert client("DELETE", f"{MAPS}/c") == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {"name": "c", "kind": "configmaps", "uid": made["metadata"]["uid"]},
    }


def test_a_permanent_namespace_stays(client):
    answer = client("DELETE", "/api/v1/namespaces/default")
    text = 'namespaces "default" is forbidden: this namespace may not be deleted'
    assert (answer["code"], answer["message"]) == (403, text)


def test_conflicts_with_several_managers_are_told_one_by_one(client):
    def apply(manager: str, body: object, **more: str) -> object:
        path = "/api/v1/namespaces/shop/configmaps/a"
        content = "application/apply-patch+yaml"
        return client("PATCH", path, body, content=content, fieldManager=manager, **more)

    head = {"apiVersion": "v1", "kind": "ConfigMap"}
    apply("two", {**head, "metadata": {"name": "a"}, "data": {"z": "1", "b": "1"}})
    apply("one", {**head, "metadata": {"name": "a", "labels": {"x": "y"}}, "data": {"c": "1"}})
    mine = {"b": "2", "c": "2", "z": "2"}
    answer = apply("three", {**head, "metadata": {"name": "a", "labels": {"x": "n"}}, "data": mine})
    assert answer["message"] == (
        'Apply failed with 4 conflicts: conflicts with "one":\n- .data.c\n- .metadata.labels.x\n'
        'conflicts with "two":\n- .data.b\n- .data.z'
    )
    assert [cause["message"] for cause in answer["details"]["causes"]] == [
        'conflict with "one"',
        'conflict with "one"',
        'conflict with "two"',
        'conflict with "two"',
    ]
