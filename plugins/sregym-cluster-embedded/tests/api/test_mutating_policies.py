"""MutatingAdmissionPolicies and their bindings."""

from __future__ import annotations

import pytest

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
PODS = "/api/v1/namespaces/shop/pods"
POD = {"spec": {"containers": [{"name": "web", "image": "web:1"}]}}


def apply_configuration(expression):
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def json_patch(expression):
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


@pytest.fixture
def bind(client):
    def bound(*mutations, **spec):
        rule = {
            "apiGroups": [""],
            "apiVersions": ["v1"],
            "operations": ["CREATE"],
            "resources": ["pods"],
        }
        policy = {
            "matchConstraints": {"resourceRules": [rule]},
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "mutations": list(mutations),
            **spec,
        }
        body = {"metadata": {"name": "team"}, "spec": policy}
        made = client("POST", f"{ADMISSION}/mutatingadmissionpolicies", body)
        assert made["kind"] == "MutatingAdmissionPolicy", made
        body = {"metadata": {"name": "all"}, "spec": {"policyName": "team"}}
        made = client("POST", f"{ADMISSION}/mutatingadmissionpolicybindings", body)
        assert made["kind"] == "MutatingAdmissionPolicyBinding", made

    return bound


def created(client, **metadata):
    return client("POST", PODS, {**POD, "metadata": {"name": "p", **metadata}})


def test_a_configuration_is_merged_as_if_it_were_applied(client, bind):
    bind(
        apply_configuration(
            'Object{metadata: Object.metadata{labels: {"team": "a"}}, spec: Object.spec{'
            'containers: [Object.spec.containers{name: "web", env: ['
            'Object.spec.containers.env{name: "TEAM", value: variables.team}]}]}}'
        ),
        variables=[{"name": "team", "expression": "object.metadata.name + '-team'"}],
    )
    made = created(client, labels={"app": "web"})
    assert made["metadata"]["labels"] == {"app": "web", "team": "a"}
    (container,) = made["spec"]["containers"]
    assert (container["image"], container["env"]) == (
        "web:1",
        [{"name": "TEAM", "value": "p-team"}],
    )


def test_patches_follow_one_another(client, bind):
    bind(
        json_patch(
            '[JSONPatch{op: "add", path: "/metadata/labels", value: {}}, '
            'JSONPatch{op: "add", path: "/metadata/labels/" + '
            'jsonpatch.escapeKey("shop.example/a"), value: "1"}]'
        ),
        json_patch(
            'has(object.metadata.labels) ? [JSONPatch{op: "replace", '
            'path: "/spec/containers/0/image", value: "web:2"}] : []'
        ),
    )
    made = created(client)
    assert made["spec"]["containers"][0]["image"] == "web:2"
    assert made["metadata"]["labels"] == {"shop.example/a": "1"}


def test_a_condition_that_does_not_hold_leaves_the_object(client, bind):
    condition = {"name": "c", "expression": "object.metadata.name == 'other'"}
    bind(apply_configuration("Object{spec: Object.spec{priority: 3}}"), matchConditions=[condition])
    assert created(client)["spec"]["priority"] == 0


def test_a_policy_that_fails_refuses_unless_it_is_to_be_ignored(client, bind):
    bind(apply_configuration("Object{metadata: object.metadata.labels.nope}"))
    answer = created(client)
    message = (
        "policy 'team' with binding 'all' denied request: expression "
        "'Object{metadata: object.metadata.labels.nope}' resulted in error: no such key: labels"
    )
    assert (answer["code"], answer["reason"], answer["message"]) == (403, "Invalid", message)
    assert answer["details"] == {"name": "p", "kind": "pods", "causes": [{"message": message}]}
    path = f"{ADMISSION}/mutatingadmissionpolicies/team"
    content = "application/merge-patch+json"
    client("PATCH", path, {"spec": {"failurePolicy": "Ignore"}}, content=content)
    assert created(client)["kind"] == "Pod"


def test_tables_count_mutations_and_name_policies(client, bind, table):
    bind(json_patch("[]"), json_patch("[]"))
    found = table(f"{ADMISSION}/mutatingadmissionpolicies")
    assert found[0][:3] == ["team", 2, "<unset>"]
    found = table(f"{ADMISSION}/mutatingadmissionpolicybindings")
    assert found[0][:3] == ["all", "team", "<unset>"]


DENIED = "policy 'team' with binding 'all' denied request: "


@pytest.mark.parametrize(
    ("operations", "words"),
    [
        (
            'JSONPatch{op: "add", path: "/metadata/labels/a", value: "b"}',
            'add operation does not apply: doc is missing path: "/metadata/labels/a": missing value',
        ),
        (
            'JSONPatch{op: "remove", path: "/metadata/none"}',
            "error in remove for path: '/metadata/none': Unable to remove nonexistent key: none: "
            "missing value",
        ),
        (
            'JSONPatch{op: "replace", path: "/spec/none/a", value: 1}',
            "replace operation does not apply: doc is missing path: /spec/none/a: missing value",
        ),
        (
            'JSONPatch{op: "replace", path: "/spec/containers/7", value: 1}',
            "replace operation does not apply: doc is missing key: /spec/containers/7: missing value",
        ),
        (
            'JSONPatch{op: "add", path: "/spec/containers/7", value: 1}',
            "error in add for path: '/spec/containers/7': Unable to access invalid index: 7: "
            "invalid index referenced",
        ),
        (
            'JSONPatch{op: "add", path: "/spec/containers/x", value: 1}',
            "error in add for path: '/spec/containers/x': value was not a proper array index: 'x': "
            'strconv.Atoi: parsing "x": invalid syntax',
        ),
        (
            'JSONPatch{op: "copy", from: "/none/a", path: "/metadata/b"}',
            "copy operation does not apply: doc is missing from path: /none/a: missing value",
        ),
        ('JSONPatch{op: "put", path: "/a", value: 1}', "Unexpected kind: put"),
    ],
)
def test_a_patch_that_does_not_fit_is_told_in_the_words_of_the_library(
    client, bind, operations, words
):
    bind(json_patch(f"[{operations}]"))
    assert created(client)["message"] == f"{DENIED}JSON Patch: {words}"


def test_a_patch_whose_test_fails_leaves_the_object(client, bind):
    bind(
        json_patch(
            '[JSONPatch{op: "replace", path: "/spec/containers/0/image", value: "b"}, '
            'JSONPatch{op: "test", path: "/spec/containers/0/name", value: "other"}]'
        )
    )
    assert created(client)["spec"]["containers"][0]["image"] == "web:1"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (
            "Object{spec: Object.spec{tolerations: [Object.spec.tolerations{operator: 'Exists'}]}}",
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
            "structs: .spec.tolerations",
        ),
        (
            "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'web', "
            "args: ['a']}], nodeSelector: {'a': 'b'}}}",
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
            "structs: .spec.containers[0].args, .spec.nodeSelector",
        ),
        (
            "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'web', env: ["
            "Object.spec.containers.env{name: 'A', valueFrom: Object.spec.containers.env.valueFrom{"
            "configMapKeyRef: Object.spec.containers.env.valueFrom.configMapKeyRef{key: 'a'}}}]}]}}",
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
            "structs: .spec.containers[0].env[0].valueFrom.configMapKeyRef",
        ),
        (
            "Object{data: {'a': 'b'}}",
            "error applying patch: failed to convert patch object to typed object: .data: field not "
            "declared in schema",
        ),
        (
            "Object{spec: Object.spec{nodeName: 5}}",
            "error applying patch: failed to convert patch object to typed object: .spec.nodeName: "
            "expected string, got &value.valueUnstructured{Value:5}",
        ),
        (
            "Object{spec: Object.status{nodeName: 'n'}}",
            'type mismatch: unexpected type name "Object.status", expected "Object.spec", which '
            "matches field name path from root Object type",
        ),
    ],
)
def test_a_configuration_that_may_not_be_applied_is_refused(client, bind, expression, words):
    bind(apply_configuration(expression))
    assert created(client)["message"] == DENIED + words


def test_what_a_patch_adds_must_be_known(client, bind):
    bind(json_patch('[JSONPatch{op: "add", path: "/spec/colour", value: "red"}]'))
    answer = created(client)
    assert answer["message"] == (
        'Internal error occurred: strict decoding error: unknown field "spec.colour"'
    )


def test_new_items_of_lists_follow_those_that_are_there(client, bind):
    names = "Object.spec.containers{name: 'b', image: 'b:1'}, Object.spec.containers{name: 'web'}"
    bind(apply_configuration(f"Object{{spec: Object.spec{{containers: [{names}]}}}}"))
    assert [entry["name"] for entry in created(client)["spec"]["containers"]] == ["web", "b"]


def test_patches_with_fields_that_no_patch_has_are_refused_when_they_are_made(client):
    path = f"{ADMISSION}/mutatingadmissionpolicies"
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE"],
        "resources": ["pods"],
    }
    spec = {"matchConstraints": {"resourceRules": [rule]}, "reinvocationPolicy": "Never"}
    for text, words in (
        ("[JSONPatch{oper: 'add'}]", "ERROR: <input>:1:16: undefined field 'oper'"),
        (
            "[JSONPatch{op: 5}]",
            "ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'",
        ),
    ):
        body = {"metadata": {"name": "team"}, "spec": {**spec, "mutations": [json_patch(text)]}}
        (cause,) = client("POST", path, body)["details"]["causes"]
        assert words in cause["message"]


def test_a_policy_is_applied_again_when_a_later_one_changed_the_object(client, bind, world):
    count = "size(object.spec.containers)"
    bind(
        json_patch(
            f'[JSONPatch{{op: "add", path: "/metadata/labels", value: {{"n": string({count})}}}}]'
        ),
        reinvocationPolicy="IfNeeded",
    )
    later = {
        "matchConstraints": {
            "resourceRules": [
                {
                    "apiGroups": [""],
                    "apiVersions": ["v1"],
                    "operations": ["CREATE"],
                    "resources": ["pods"],
                }
            ]
        },
        "reinvocationPolicy": "Never",
        "mutations": [
            json_patch(
                '[JSONPatch{op: "add", path: "/spec/containers/-", value: '
                'Object.spec.containers{name: "b", image: "b:1"}}]'
            )
        ],
    }
    for resource, spec in (
        ("mutatingadmissionpolicies", later),
        ("mutatingadmissionpolicybindings", {"policyName": "z"}),
    ):
        made = client("POST", f"{ADMISSION}/{resource}", {"metadata": {"name": "z"}, "spec": spec})
        assert made["metadata"]["name"] == "z", made
    assert created(client)["metadata"]["labels"] == {"n": "2"}
