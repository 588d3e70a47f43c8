"""Parameters of policies: where they are looked for, and what follows when they are not there."""

from __future__ import annotations

import pytest

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
MAPS = "/api/v1/namespaces/shop/configmaps"
NAMESPACES = "/api/v1/namespaces"
UNKNOWN = "failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Limit'"


@pytest.fixture
def bind(client):
    """Put a policy about a type with a binding; the settings of each."""

    def bound(kind, resource, reference=None, prefix="validating", actions=("Deny",), **spec):
        rule = {
            "apiGroups": ["*"],
            "apiVersions": ["*"],
            "operations": ["CREATE"],
            "resources": [resource],
        }
        body = {"matchConstraints": {"resourceRules": [rule]}, "paramKind": kind, **spec}
        binding = {"policyName": "p", **({"paramRef": reference} if reference else {})}
        if prefix == "validating":
            expression = "params == null || params.data.allowed == 'yes'"
            body["validations"] = [{"expression": expression, "message": "not allowed"}]
            binding["validationActions"] = list(actions)
        else:
            patch = '[JSONPatch{op: "add", path: "/metadata/labels", value: {"a": "b"}}]'
            body["mutations"] = [{"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}]
            body["reinvocationPolicy"] = "Never"
        for plural, given in (("policies", body), ("policybindings", binding)):
            path = f"{ADMISSION}/{prefix}admission{plural}"
            made = client("POST", path, {"metadata": {"name": "p"}, "spec": given})
            assert made["metadata"]["name"] == "p", made

    return bound


def created(client, path=MAPS, name="c"):
    return client("POST", path, {"metadata": {"name": name}})


def said(text, about='configmaps "c"'):
    return f"{about} is forbidden: ValidatingAdmissionPolicy 'p'{text}"


CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap"}
LIMIT = {"apiVersion": "rules.example.com/v1", "kind": "Limit"}
NAMED = {"name": "rules", "parameterNotFoundAction": "Deny"}


@pytest.mark.parametrize("actions", [("Deny",), ("Warn",)])
def test_a_kind_that_nobody_knows_denies_whatever_the_binding_says(client, bind, actions):
    bind(LIMIT, "configmaps", NAMED, actions=actions)
    found = created(client)
    text = said(f" denied request: failed to configure policy: {UNKNOWN}")
    assert (found["code"], found["message"]) == (422, text)


def test_a_policy_that_may_fail_does_not_mind(client, bind):
    bind(LIMIT, "configmaps", NAMED, failurePolicy="Ignore")
    assert created(client)["kind"] == "ConfigMap"


def test_a_kind_that_nobody_knows_denies_mutations(client, bind):
    bind(LIMIT, "configmaps", NAMED, prefix="mutating")
    found = created(client)
    text = f'policy "p" denied request: failed to configure policy: {UNKNOWN}'
    assert (found["code"], found["reason"], found["message"]) == (403, "Forbidden", text)


def test_parameters_that_are_missing_deny_even_where_the_binding_only_warns(client, bind):
    bind(CONFIG_MAP, "secrets", NAMED, actions=("Warn",))
    path = "/api/v1/namespaces/shop/secrets"
    assert created(client, path)["message"] == said(
        " with binding 'p' denied request: failed to configure binding: no params found for policy "
        "binding with `Deny` parameterNotFoundAction",
        'secrets "c"',
    )
    rules = {"metadata": {"name": "rules"}, "data": {"allowed": "yes"}}
    client("POST", MAPS, rules)
    assert created(client, path)["kind"] == "Secret"


def test_objects_of_no_namespace_have_no_parameters_in_one(client, bind):
    bind(CONFIG_MAP, "priorityclasses", NAMED)
    path = "/apis/scheduling.k8s.io/v1/priorityclasses"
    found = client("POST", path, {"metadata": {"name": "c"}, "value": 1})
    assert found["message"] == said(
        " with binding 'p' denied request: failed to configure binding: cannot use namespaced "
        "paramRef in policy binding that matches cluster-scoped resources",
        'priorityclasses.scheduling.k8s.io "c"',
    )


def test_parameters_of_no_namespace_are_in_none(client, bind):
    bind({"apiVersion": "v1", "kind": "Namespace"}, "configmaps", {**NAMED, "namespace": "shop"})
    assert created(client)["message"] == said(
        " with binding 'p' denied request: failed to configure binding: paramRef.namespace must not "
        "be provided for a cluster-scoped `paramKind`"
    )


def test_all_selected_parameters_count(client, bind):
    selector = {"matchLabels": {"for": "secrets"}}
    bind(CONFIG_MAP, "secrets", {"selector": selector, "parameterNotFoundAction": "Allow"})
    path = "/api/v1/namespaces/shop/secrets"
    assert created(client, path, "early")["kind"] == "Secret"
    for name, allowed in (("one", "yes"), ("two", "no")):
        metadata = {"name": name, "labels": {"for": "secrets"}}
        client("POST", MAPS, {"metadata": metadata, "data": {"allowed": allowed}})
    text = said(" with binding 'p' denied request: not allowed", 'secrets "c"')
    assert created(client, path)["message"] == text
