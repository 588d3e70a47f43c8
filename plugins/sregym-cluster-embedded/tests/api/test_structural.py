"""Custom resources by the schema of their definition."""

from __future__ import annotations

import orjson
import pytest
from sregym_cluster_embedded.api.structural import rules

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CACHES = "/apis/shop.example/v1/namespaces/shop/caches"
MERGE = "application/merge-patch+json"
SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 10},
        "mode": {"type": "string", "enum": ["lru", "fifo"], "default": "lru"},
        "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
        "port": {"x-kubernetes-int-or-string": True},
        "note": {"type": "string", "nullable": True},
        "tags": {"type": "array", "maxItems": 2, "items": {"type": "string"}},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
        "low": {"type": "integer"},
        "high": {"type": "integer"},
    },
    "x-kubernetes-validations": [
        {
            "rule": "!has(self.low) || !has(self.high) || self.low <= self.high",
            "message": "low is above high",
        },
        {
            "rule": "self.mode == oldSelf.mode",
            "fieldPath": ".mode",
            "reason": "FieldValueForbidden",
        },
    ],
}


def definition(spec=SPEC, **fields):
    schema = {"type": "object", "properties": {"spec": spec, "status": {"type": "object"}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    names = {"plural": "caches", "kind": "Cache", "shortNames": ["ca"]}
    return {
        "metadata": {"name": "caches.shop.example"},
        "spec": {
            "group": "shop.example",
            "scope": "Namespaced",
            "names": names,
            "versions": [version],
            **fields,
        },
    }


@pytest.fixture
def caches(client):
    made = client("POST", DEFINITIONS, definition())
    assert made["kind"] == "CustomResourceDefinition", made


def cache(**spec):
    return {"metadata": {"name": "main"}, "spec": spec}


def test_an_object_is_pruned_and_defaulted(client, caches):
    sent = cache(size=3, unknown=1, free={"any": [1]}, port="http", note=None, limits={"a": 1})
    answer = client.raw("POST", CACHES, sent)
    assert orjson.loads(answer.body)["spec"] == {
        "size": 3,
        "mode": "lru",
        "free": {"any": [1]},
        "port": "http",
        "note": None,
        "limits": {"a": 1},
    }
    assert answer.headers == {"Warning": '299 - "unknown field \\"spec.unknown\\""'}


def test_unknown_fields_are_refused_when_asked(client, caches):
    answer = client("POST", CACHES, cache(size=3, unknown=1), fieldValidation="Strict")
    assert answer["message"] == (
        'Cache in version "v1" cannot be handled as a Cache: strict decoding error: '
        'unknown field "spec.unknown"'
    )


@pytest.mark.parametrize(
    ("spec", "causes"),
    [
        ({}, ["spec.size: Required value"]),
        (
            {"size": "3"},
            [
                'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
                "<nil>: Invalid value: null: some validation rules were not checked because the object "
                "was invalid; correct the existing errors to complete validation",
            ],
        ),
        (
            {"size": 3, "port": 1.5},
            [
                'spec.port: Invalid value: "number": spec.port in body must be of type '
                'integer,string: "number"',
                "<nil>: Invalid value: null: some validation rules were not checked because the object "
                "was invalid; correct the existing errors to complete validation",
            ],
        ),
        (
            {"size": 0},
            ["spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1"],
        ),
        (
            {"size": 1, "mode": "random"},
            [
                'spec.mode: Unsupported value: "random": supported values: "lru", "fifo"',
                "<nil>: Invalid value: null: some validation rules were not checked because the object "
                "was invalid; correct the existing errors to complete validation",
            ],
        ),
        (
            {"size": 1, "name": "A1"},
            ["spec.name: Invalid value: \"A1\": spec.name in body should match '^[a-z]+$'"],
        ),
        ({"size": 1, "low": 3, "high": 2}, ["spec: Invalid value: low is above high"]),
    ],
)
def test_what_does_not_fit_is_refused(client, caches, spec, causes):
    if not spec:
        causes = [
            *causes,
            "<nil>: Invalid value: null: some validation rules were not checked because the object "
            "was invalid; correct the existing errors to complete validation",
        ]
    answer = client("POST", CACHES, cache(**spec))
    listed = causes[0] if len(causes) == 1 else f"[{', '.join(causes)}]"
    assert (answer["code"], answer["reason"]) == (422, "Invalid")
    assert answer["message"] == f'Cache.shop.example "main" is invalid: {listed}'
    assert client("GET", CACHES)["items"] == []


@pytest.mark.parametrize(
    ("type_", "value", "reason", "told"),
    [
        ("string", "a b", "", 'Invalid value: "a b": no'),
        ("integer", 5, "", "Invalid value: 5: no"),
        ("boolean", True, "FieldValueDuplicate", "Duplicate value: true"),
        ("array", [1], "", "Invalid value: no"),
        ("object", {"a": 1}, "", "Invalid value: no"),
        ("object", {"a": 1}, "FieldValueDuplicate", "Duplicate value"),
        ("object", {"a": 1}, "FieldValueForbidden", "Forbidden: no"),
        ("object", {"a": 1}, "FieldValueRequired", "Required value: no"),
    ],
)
def test_only_values_without_parts_are_shown_by_rules(type_, value, reason, told):
    rule = {"rule": "false", "message": "no", **({"reason": reason} if reason else {})}
    below = {"items": {"type": "integer"}} if type_ == "array" else {}
    schema = {"type": type_, "x-kubernetes-validations": [rule], **below}
    whole = {"type": "object", "properties": {"x": schema}}
    (cause,) = rules.causes({"x": value}, None, whole, [])
    assert (cause.field, cause.message) == ("x", told)


def test_what_cannot_be_evaluated_is_told_with_the_type():
    rule = {"rule": "self.a / 0 == 1", "message": "no"}
    schema = {"type": "object", "x-kubernetes-validations": [rule]}
    schema["properties"] = {"a": {"type": "integer"}}
    (cause,) = rules.causes({"a": 1}, None, schema, [])
    assert cause.message == 'Invalid value: "object": division by zero evaluating rule: no'


def test_a_rule_compares_with_the_object_before(client, caches):
    client("POST", CACHES, cache(size=1))
    answer = client("PATCH", f"{CACHES}/main", {"spec": {"mode": "fifo"}}, content=MERGE)
    assert answer["message"] == (
        'Cache.shop.example "main" is invalid: spec.mode: Forbidden: failed rule: '
        "self.mode == oldSelf.mode"
    )


@pytest.mark.parametrize(
    ("schema", "cause"),
    [
        (
            {"properties": {}},
            "spec.validation.openAPIV3Schema.properties[spec].type: Required value: "
            "must not be empty for specified object fields",
        ),
        (
            {"type": "text"},
            'spec.validation.openAPIV3Schema.properties[spec].type: Unsupported value: "text": '
            'supported values: "array", "boolean", "integer", "number", "object", "string"',
        ),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}},
                "x-kubernetes-validations": [{"rule": "self.b > 1"}],
            },
            "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: "
            r'Invalid value: {"Rule":"self.b \u003e 1","Message":"","MessageExpression":"",'
            '"Reason":null,'
            '"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: '
            "undefined field 'b'\n | self.b > 1\n | ....^",
        ),
    ],
)
def test_a_definition_that_cannot_be(client, schema, cause):
    answer = client("POST", DEFINITIONS, definition(schema))
    assert answer["message"] == (
        'CustomResourceDefinition.apiextensions.k8s.io "caches.shop.example" is invalid: ' + cause
    )


def test_names_that_are_taken(client, caches):
    other = definition()
    other["metadata"]["name"] = "stores.shop.example"
    other["spec"]["names"] = {"plural": "stores", "kind": "Cache"}
    made = client("POST", DEFINITIONS, other)
    told = [
        (c["type"], c["status"], c["reason"], c["message"]) for c in made["status"]["conditions"]
    ]
    assert told == [
        ("NamesAccepted", "False", "ListKindConflict", '"CacheList" is already in use'),
        ("Established", "False", "NotAccepted", "not all names are accepted"),
    ]
    assert client.raw("GET", "/apis/shop.example/v1/namespaces/shop/stores").status == 404


def test_a_definition_waits_for_its_instances(client, caches):
    client("POST", CACHES, cache(size=1))
    gone = client("DELETE", f"{DEFINITIONS}/caches.shop.example")
    assert gone["metadata"]["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert gone["status"]["conditions"][-1]["type"] == "Terminating"


def test_scaling_and_reading_set_defaults_and_a_status_may_be_missing(client):
    spec = {
        "type": "object",
        "properties": {"size": {"type": "integer"}, "mode": SPEC["properties"]["mode"]},
    }
    given = definition(spec)
    version = given["spec"]["versions"][0]
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.n"}
    version["subresources"] = {"status": {}, "scale": paths}
    del version["schema"]["openAPIV3Schema"]["properties"]["status"]
    client("POST", DEFINITIONS, given)
    made = client(
        "POST",
        CACHES,
        {"apiVersion": "shop.example/v1", "kind": "Cache", "metadata": {"name": "main"}},
    )
    status = client("PATCH", f"{CACHES}/main/status", {"status": {"n": 1}}, content=MERGE)
    assert status == made
    client("PATCH", f"{CACHES}/main/scale", {"spec": {"replicas": 2}}, content=MERGE)
    assert client("GET", f"{CACHES}/main")["spec"] == {"size": 2, "mode": "lru"}
    spec["properties"]["colour"] = {"type": "string", "default": "red"}
    del spec["properties"]["size"]
    del version["subresources"]["scale"]
    versions = {"spec": {"versions": [version]}}
    client("PATCH", f"{DEFINITIONS}/caches.shop.example", versions, content=MERGE)
    assert client("GET", f"{CACHES}/main")["spec"] == {"mode": "lru", "colour": "red"}
    assert client("GET", CACHES)["items"][0]["spec"] == {"mode": "lru", "colour": "red"}
