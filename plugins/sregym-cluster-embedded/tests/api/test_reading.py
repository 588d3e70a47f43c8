from __future__ import annotations

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client, media
from sregym_cluster_embedded.api.request import Watch
from sregym_cluster_embedded.store import Key

PODS = "/api/v1/namespaces/shop/pods"
MAPS = "/api/v1/namespaces/shop/configmaps"


def put(world, name, **labels):
    meta = {"name": name, "namespace": "shop", "labels": labels}
    return internal_client.create(world, "configmaps", {"metadata": meta})


def names(answer):
    return [item["metadata"]["name"] for item in answer["items"]]


def test_a_missing_object_is_named(client):
    assert client("GET", f"{PODS}/none") == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'pods "none" not found',
        "reason": "NotFound",
        "details": {"name": "none", "kind": "pods"},
        "code": 404,
    }


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("app=a", ["one"]),
        ("app!=a", ["three", "two"]),
        ("app in (a,b)", ["one", "two"]),
        ("app notin (a)", ["three", "two"]),
        ("app", ["one", "two"]),
        ("!app", ["three"]),
        ("app=a,tier=x", ["one"]),
        ("tier>1", []),
    ],
)
def test_labels_select(client, world, selector, found):
    put(world, "one", app="a", tier="x")
    put(world, "two", app="b")
    put(world, "three")
    assert names(client("GET", MAPS, labelSelector=selector)) == found


def test_fields_select(client, world, make_pod):
    for name, node in (("a", "node1"), ("b", "node2")):
        obj = make_pod(name)
        obj["metadata"]["namespace"] = "shop"
        internal_client.create(world, "pods", obj)
        internal_client.bind(world, Key("pods", "shop", name), node)
    assert names(client("GET", PODS, fieldSelector="spec.nodeName=node1")) == ["a"]
    assert names(
        client("GET", PODS, fieldSelector="spec.nodeName!=node1,status.phase!=Failed")
    ) == ["b"]


def test_jobs_are_selected_by_what_succeeded(client, world):
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]}}
    for name in ("new", "old"):
        obj = {"metadata": {"name": name, "namespace": "shop"}, "spec": {"template": template}}
        internal_client.create(world, "jobs.batch", obj)
    internal_client.update_status(world, Key("jobs.batch", "shop", "old"), {"succeeded": 1})
    jobs = "/apis/batch/v1/namespaces/shop/jobs"
    assert names(client("GET", jobs, fieldSelector="status.successful=0")) == ["new"]
    assert names(client("GET", jobs, fieldSelector="status.successful=1")) == ["old"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"limit": "x"}, 'strconv.ParseInt: parsing "x": invalid syntax'),
        (
            {"labelSelector": "a b"},
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            {"resourceVersion": "abc"},
            'invalid resource version: resourceVersion: Invalid value: "abc": '
            'strconv.ParseUint: parsing "abc": invalid syntax',
        ),
        (
            {"continue": "bogus", "limit": "1"},
            "invalid continue token: continue key is not valid: "
            "illegal base64 data at input byte 4",
        ),
        ({"fieldSelector": "spec.color=red"}, "field label not supported: spec.color"),
    ],
)
def test_bad_parameters_are_refused(client, query, message):
    answer = client("GET", PODS, **query)
    assert (answer["code"], answer["reason"], answer["message"]) == (400, "BadRequest", message)


def test_pages_together_are_the_whole(client, world):
    for name in ("a", "b", "c", "d", "e"):
        put(world, name)
    first = client("GET", MAPS, limit="2")
    assert first["metadata"]["remainingItemCount"] == 3
    second = client("GET", MAPS, limit="2", **{"continue": first["metadata"]["continue"]})
    third = client("GET", MAPS, limit="2", **{"continue": second["metadata"]["continue"]})
    assert [names(page) for page in (first, second, third)] == [["a", "b"], ["c", "d"], ["e"]]
    assert "continue" not in third["metadata"]


def test_a_table_has_cells_and_metadata(client, world):
    made = put(world, "one")
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    answer = client("GET", MAPS, accept=accept)
    partial = {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": made["metadata"],
    }
    assert answer["rows"] == [{"cells": ["one", 0, "0s"], "object": partial}]
    assert [column["name"] for column in answer["columnDefinitions"]] == ["Name", "Data", "Age"]


def test_what_nobody_can_write_is_not_acceptable(client):
    assert client("GET", PODS, accept="text/html")["reason"] == "NotAcceptable"


class TestWatch:
    def watch(self, client, **query):
        answer = client.raw("GET", MAPS, watch="true", **query)
        assert isinstance(answer, Watch)
        return answer

    def events(self, world, watch):
        seen = [orjson.loads(line) for line in watch.initial]
        for change in world.store.history:
            if change.revision > watch.since and (line := watch.render(change)):
                seen.append(orjson.loads(line))
        return [(event["type"], event["object"]["metadata"].get("name", "")) for event in seen]

    def test_it_resumes_from_a_revision(self, client, world):
        put(world, "before")
        at = str(world.store.revision)
        put(world, "after")
        watch = self.watch(client, resourceVersion=at)
        assert self.events(world, watch) == [("ADDED", "after")]

    def test_initial_events_end_with_a_bookmark(self, client, world):
        put(world, "one")
        watch = self.watch(
            client,
            sendInitialEvents="true",
            allowWatchBookmarks="true",
            resourceVersionMatch="NotOlderThan",
        )
        assert self.events(world, watch) == [("ADDED", "one"), ("BOOKMARK", "")]
        bookmark = orjson.loads(watch.initial[-1])["object"]["metadata"]
        assert bookmark["annotations"] == {"k8s.io/initial-events-end": "true"}

    def test_entering_and_leaving_a_selection_are_additions_and_deletions(self, client, world):
        at = str(world.store.revision)
        put(world, "one")
        key = Key("configmaps", "shop", "one")
        internal_client.patch_metadata(world, key, labels={"app": "a"})
        internal_client.patch_metadata(world, key, labels={"tier": "x"})
        internal_client.patch_metadata(world, key, labels={"app": None})
        watch = self.watch(client, resourceVersion=at, labelSelector="app=a")
        assert self.events(world, watch) == [
            ("ADDED", "one"),
            ("MODIFIED", "one"),
            ("DELETED", "one"),
        ]

    def test_a_revision_long_past_has_expired(self, client, world):
        del world.store.history[:3]
        oldest = world.store.history[0].revision - 1
        answer = client.raw("GET", MAPS, watch="true", resourceVersion="1")
        event = orjson.loads(answer.body)
        assert (event["type"], event["object"]["code"], event["object"]["message"]) == (
            "ERROR",
            410,
            f"too old resource version: 1 ({oldest})",
        )


def test_parts_of_the_control_plane_are_not_stored(client):
    answer = client("GET", "/api/v1/componentstatuses")
    assert answer["metadata"] == {}
    assert names(answer) == ["etcd-0", "scheduler", "controller-manager"]
    assert client("GET", "/api/v1/componentstatuses/etcd-0") == {
        "apiVersion": "v1",
        "kind": "ComponentStatus",
        "metadata": {"name": "etcd-0"},
        "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}],
    }
    assert client("GET", "/api/v1/componentstatuses/etcd-9")["message"] == (
        'componentstatuses "etcd-9" not found'
    )


def test_a_table_of_flow_schemas_is_in_the_order_of_precedence(client, world):
    resource = "flowschemas.flowcontrol.apiserver.k8s.io"
    for name, precedence in (("b", 20), ("c", 10), ("a", 20)):
        body = {"metadata": {"name": name}, "spec": {"matchingPrecedence": precedence}}
        internal_client.create(world, resource, body)
    path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
    table = client("GET", path, accept="application/json;as=Table;v=v1;g=meta.k8s.io")
    assert [row["cells"][0] for row in table["rows"]] == ["c", "a", "b"]
    assert names(client("GET", path)) == ["a", "b", "c"]


HEAD = "unable to parse requirement: "
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a,=b", "found '=', expected: identifier after ','"),
        ("=b", "found '=', expected: !, identifier, or 'end of string'"),
        ("!", f"{HEAD}found '', expected: identifier"),
        ("a=(", f"{HEAD}found '(', expected: identifier"),
        ("a in b", f"{HEAD}found 'b' expected: '('"),
        ("a in (", f"{HEAD}found '', expected: ',', ')' or identifier"),
        ("a in (b", f"{HEAD}found '', expected: ',' or ')'"),
        ("a in (b,", f"{HEAD}found '', expected: ',', or identifier"),
        ("a in (b c)", f"{HEAD}found 'c', expected: ',' or ')'"),
        (
            "a>x",
            f"{HEAD}values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an "
            "integer",
        ),
        ("a=-b", f'{HEAD}values[0][a]: Invalid value: "-b": {VALUE}'),
        (
            "-a",
            f'{HEAD}<nil>: Invalid value: "-a": name part must consist of alphanumeric characters, '
            "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  "
            "or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
    ],
)
def test_a_selector_that_cannot_be(client, text, expected):
    answer = client("GET", "/api/v1/pods", labelSelector=text)
    assert (answer["code"], answer["message"]) == (400, expected)


@pytest.mark.parametrize(
    "text", ["", "in", "a in (),b", "a in (,)", "a = ", "in in (in,notin)", "a>1"]
)
def test_odd_selectors(client, text):
    assert client("GET", "/api/v1/nodes", labelSelector=text)["items"] == []


@pytest.mark.parametrize(
    ("path", "form", "message"),
    [
        (
            "/api/v1/namespaces",
            "PartialObjectMetadata",
            "you requested PartialObjectMetadata, but the requested object is a list "
            "(*core.NamespaceList)",
        ),
        (
            "/apis/apps/v1/deployments",
            "PartialObjectMetadata",
            "you requested PartialObjectMetadata, but the requested object is a list "
            "(*apps.DeploymentList)",
        ),
        (
            "/api/v1/namespaces/shop",
            "PartialObjectMetadataList",
            "you requested PartialObjectMetadataList, but the requested object is not a list "
            "(*core.Namespace)",
        ),
    ],
)
def test_a_list_is_no_object_and_no_object_a_list(client, path, form, message):
    answer = client("GET", path, accept=f"application/json;as={form};v=v1;g=meta.k8s.io")
    assert (answer["code"], answer["reason"], answer["message"]) == (406, "NotAcceptable", message)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("application/yaml;q=0.5, application/json", False),
        ("application/json;q=0.5, application/yaml;q=0.8", True),
        ("*/*, application/yaml", True),
        ("application/*, application/yaml", True),
        ("application/json, application/yaml", False),
        ("application/json;q=x, application/yaml;q=0.9", False),
    ],
)
def test_clients_say_what_they_like_best(accept, expected):
    assert media.negotiate(accept).yaml is expected
