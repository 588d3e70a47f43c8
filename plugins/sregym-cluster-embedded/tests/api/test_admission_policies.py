"""ValidatingAdmissionPolicies and their bindings."""

from __future__ import annotations

import pytest

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments"
MERGE = "application/merge-patch+json"


def status(code, message, reason="", **rest):
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        **({"reason": reason} if reason else {}),
        **rest,
        "code": code,
    }


def policy(expression, constraints=None, **spec):
    rule = {
        "apiGroups": ["apps"],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["deployments"],
    }
    return {
        "metadata": {"name": "replicas"},
        "spec": {
            "matchConstraints": {"resourceRules": [rule], **(constraints or {})},
            "validations": [{"expression": expression, **spec.pop("validation", {})}],
            **spec,
        },
    }


@pytest.fixture
def bind(client):
    def bound(expression, actions=("Deny",), **spec):
        made = client(
            "POST", f"{ADMISSION}/validatingadmissionpolicies", policy(expression, **spec)
        )
        assert made["kind"] == "ValidatingAdmissionPolicy", made
        binding = {
            "metadata": {"name": "all"},
            "spec": {"policyName": "replicas", "validationActions": list(actions)},
        }
        made = client("POST", f"{ADMISSION}/validatingadmissionpolicybindings", binding)
        assert made["kind"] == "ValidatingAdmissionPolicyBinding", made

    return bound


def denial(why, code=422, reason="Invalid"):
    text = f"ValidatingAdmissionPolicy 'replicas' with binding 'all' denied request: {why}"
    message = f'deployments.apps "web" is forbidden: {text}'
    details = {"name": "web", "group": "apps", "kind": "deployments", "causes": [{"message": text}]}
    return status(code, message, reason, details=details)


@pytest.mark.parametrize(
    ("expression", "spec", "expected"),
    [
        ("object.spec.replicas <= 3", {}, denial("failed expression: object.spec.replicas <= 3")),
        (
            "object.spec.replicas <= 3",
            {"validation": {"message": "too many", "reason": "Forbidden"}},
            denial("too many", 403, "Forbidden"),
        ),
        (
            "variables.n <= 3",
            {
                "variables": [{"name": "n", "expression": "object.spec.replicas"}],
                "validation": {"messageExpression": "'not ' + string(variables.n)"},
            },
            denial("not 5"),
        ),
        (
            "object.spec.nothing == 1",
            {},
            denial("expression 'object.spec.nothing == 1' resulted in error: no such key: nothing"),
        ),
    ],
)
def test_a_policy_denies(client, bind, make_deployment, expression, spec, expected):
    bind(expression, **spec)
    assert client("POST", DEPLOYMENTS, make_deployment(replicas=5)) == expected
    assert client("GET", DEPLOYMENTS)["items"] == []


def test_a_policy_that_only_warns(client, bind, make_deployment):
    bind("object.spec.replicas <= 3", actions=("Warn",))
    answer = client.raw("POST", DEPLOYMENTS, make_deployment(replicas=5))
    assert (answer.status, answer.headers["Warning"]) == (
        201,
        "299 - \"Validation failed for ValidatingAdmissionPolicy 'replicas' with binding 'all': "
        'failed expression: object.spec.replicas <= 3"',
    )


def test_a_policy_lets_pass_what_it_allows_and_what_it_is_not_about(client, bind, make_deployment):
    bind(
        "object.spec.replicas <= 3",
        matchConditions=[{"name": "web", "expression": "object.metadata.name == 'web'"}],
    )
    assert client("POST", DEPLOYMENTS, make_deployment(replicas=3))["kind"] == "Deployment"
    assert client("POST", DEPLOYMENTS, make_deployment("other", replicas=9))["kind"] == "Deployment"


@pytest.mark.parametrize(
    ("expression", "spec", "cause"),
    [
        (
            "object.spec.replicas <=",
            {},
            'spec.validations[0].expression: Invalid value: "object.spec.replicas <=": compilation '
            "failed: ERROR: <input>:1:24: Syntax error: mismatched input '<EOF>' expecting {'[', '{', "
            "'(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, "
            "IDENTIFIER}\n | object.spec.replicas <=\n | .......................^",
        ),
        (
            "'text'",
            {},
            "spec.validations[0].expression: Invalid value: \"'text'\": must evaluate to bool but got "
            "string",
        ),
        (
            "true",
            {"failurePolicy": "Retry"},
            'spec.failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"',
        ),
    ],
)
def test_a_policy_that_cannot_be(client, expression, spec, cause):
    answer = client("POST", f"{ADMISSION}/validatingadmissionpolicies", policy(expression, **spec))
    assert answer["message"] == (
        f'ValidatingAdmissionPolicy.admissionregistration.k8s.io "replicas" is invalid: {cause}'
    )


def test_a_policy_is_checked_at_each_generation(client):
    path = f"{ADMISSION}/validatingadmissionpolicies"
    assert client("POST", path, policy("true"))["status"] == {
        "observedGeneration": 1,
        "typeChecking": {},
    }
    changed = client(
        "PATCH", f"{path}/replicas", {"spec": {"failurePolicy": "Ignore"}}, content=MERGE
    )
    assert (changed["metadata"]["generation"], changed["status"]["observedGeneration"]) == (2, 2)


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        (
            "authorizer.group('apps').resource('deployments').namespace('shop').check('delete').allowed()",
            True,
        ),
        ("authorizer.requestResource.check('create').allowed()", True),
        ("authorizer.path('/metrics').check('get').allowed()", True),
        (
            "authorizer.serviceAccount('shop', 'default').requestResource.check('create').allowed()",
            False,
        ),
    ],
)
def test_a_policy_asks_the_authorizers(client, bind, make_deployment, expression, allowed):
    bind(expression)
    answer = client("POST", DEPLOYMENTS, make_deployment())
    expected = "Deployment" if allowed else "Status"
    assert answer["kind"] == expected, answer
