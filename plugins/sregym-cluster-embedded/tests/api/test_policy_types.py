"""Types in the expressions of policies, and what else policies must not be."""

from __future__ import annotations

import pytest

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
VALIDATING = f"{ADMISSION}/validatingadmissionpolicies"
MUTATING = f"{ADMISSION}/mutatingadmissionpolicies"
MERGE = "application/merge-patch+json"


def rule(*resources, groups=("apps",), operations=("CREATE",), **more):
    return {
        "apiGroups": list(groups),
        "apiVersions": ["v1"],
        "operations": list(operations),
        "resources": list(resources),
        **more,
    }


def validating(*validations, rules=(), **spec):
    constraints = {"resourceRules": list(rules) or [rule("deployments")]}
    return {
        "metadata": {"name": "p"},
        "spec": {"matchConstraints": constraints, "validations": list(validations), **spec},
    }


def mutating(*mutations, rules=(), **spec):
    constraints = {"resourceRules": list(rules) or [rule("deployments")]}
    given = {"matchConstraints": constraints, "mutations": list(mutations), **spec}
    return {"metadata": {"name": "p"}, "spec": {"reinvocationPolicy": "Never", **given}}


def causes(answer):
    return [
        f"{cause['field']}: {cause['message']}" for cause in answer["details"].get("causes", ())
    ]


def invalid(place, text, why):
    return f'{place}: Invalid value: "{text}": {why}'


def pointed(what, text, column):
    return f"ERROR: <input>:1:{column}: {what}\n | {text}\n | {'.' * (column - 1)}^"


def test_a_policy_is_told_what_its_expressions_get_wrong_about_types(client):
    text, said = "object.replicas > 1", "'is ' + object.spec.replicas"
    rules = [
        rule("deployments", "replicasets", "deployments/scale"),
        rule("pods", groups=("",)),
        rule("*"),
    ]
    made = client("POST", VALIDATING, validating({"expression": text}, rules=rules))
    issue = pointed("undefined field 'replicas'", text, 7)
    types = ("/v1, Kind=Pod", "apps/v1, Kind=Deployment", "apps/v1, Kind=ReplicaSet")
    warning = "\n".join(f"{type_}: {issue}\n" for type_ in types)
    place = "spec.validations[0].expression"
    assert made["status"] == {
        "observedGeneration": 1,
        "typeChecking": {"expressionWarnings": [{"fieldRef": place, "warning": warning}]},
    }
    spec = {
        "matchConstraints": {"resourceRules": [rule("deployments")]},
        "validations": [
            {"expression": "object.spec.replicas > 1", "messageExpression": said},
            {"expression": "variables.n == object.metadata.creationTimestamp"},
        ],
        "variables": [{"name": "n", "expression": "object.spec.replicas"}],
    }
    changed = client("PATCH", f"{VALIDATING}/p", {"spec": spec}, content=MERGE)
    head = "apps/v1, Kind=Deployment: "
    sum_ = "found no matching overload for '_+_' applied to '(string, int)'"
    same = "found no matching overload for '_==_' applied to '(int, timestamp)'"
    compared = "variables.n == object.metadata.creationTimestamp"
    assert changed["status"] == {
        "observedGeneration": 2,
        "typeChecking": {
            "expressionWarnings": [
                {
                    "fieldRef": "spec.validations[0].messageExpression",
                    "warning": f"{head}{pointed(sum_, said, 7)}\n",
                },
                {
                    "fieldRef": "spec.validations[1].expression",
                    "warning": f"{head}{pointed(same, compared, 13)}\n",
                },
            ]
        },
    }
    fine = [{"expression": "object.spec.template.spec.containers.all(c, c.image != '')"}]
    spec = {"validations": fine, "variables": None}
    changed = client("PATCH", f"{VALIDATING}/p", {"spec": spec}, content=MERGE)
    assert changed["status"] == {"observedGeneration": 3, "typeChecking": {}}


AT = "spec.validations[0].expression"
RULES = "spec.matchConstraints.resourceRules"


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (
            validating({"expression": "object.spec.paused"}),
            [invalid(AT, "object.spec.paused", "must evaluate to bool but got dyn")],
        ),
        (
            validating({"expression": "request.user == 'a'"}),
            [
                invalid(
                    AT,
                    "request.user == 'a'",
                    "compilation failed: "
                    + pointed("undefined field 'user'", "request.user == 'a'", 8),
                )
            ],
        ),
        (
            validating({"expression": "params.a"}),
            [
                invalid(
                    AT,
                    "params.a",
                    "compilation failed: "
                    + pointed("undeclared reference to 'params' (in container '')", "params.a", 1),
                )
            ],
        ),
        (
            validating(
                {"expression": "variables.b"},
                variables=[
                    {"name": "a", "expression": "1"},
                    {"name": "for", "expression": "2"},
                    {"expression": " "},
                ],
            ),
            [
                invalid("spec.variables[1].name", "for", "name is not a valid CEL identifier"),
                "spec.variables[2].name: Required value: name is not specified",
                "spec.variables[2].expression: Required value: expression is not specified",
                invalid(
                    AT,
                    "variables.b",
                    "compilation failed: " + pointed("undefined field 'b'", "variables.b", 10),
                ),
            ],
        ),
        (
            validating(
                {
                    "expression": "true",
                    "messageExpression": " ",
                    "message": " ",
                    "reason": "Unauthorized",
                },
                {"expression": " ", "messageExpression": "1", "message": "a\nb"},
            ),
            [
                invalid(
                    "spec.validations[0].messageExpression", " ", "must be non-empty if specified"
                ),
                invalid(
                    "spec.validations[0].message", " ", "message must be non-empty if specified"
                ),
                'spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: '
                '"Forbidden", "Invalid", "RequestEntityTooLarge"',
                "spec.validations[1].expression: Required value: expression is not specified",
                invalid(
                    "spec.validations[1].messageExpression",
                    "1",
                    "must evaluate to string but got int",
                ),
                invalid(
                    "spec.validations[1].message", "a\\nb", "message must not contain line breaks"
                ),
            ],
        ),
        (
            validating(auditAnnotations=[{"key": "k", "valueExpression": "1"}, {"key": "k"}]),
            [
                invalid(
                    "spec.auditAnnotations[0].valueExpression",
                    "1",
                    "must evaluate to one of [string null_type] but got int",
                ),
                "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not "
                "specified",
                'spec.auditAnnotations[1].key: Duplicate value: "k"',
            ],
        ),
        (
            validating(),
            [
                f"spec.{field}: Required value: validations or auditAnnotations must contain at "
                "least one item"
                for field in ("validations", "auditAnnotations")
            ],
        ),
        (
            validating(
                {"expression": "true"},
                paramKind={"apiVersion": "a/b/c", "kind": ""},
                matchConditions=[{"name": "a b", "expression": " "}, {"expression": "1"}],
            ),
            [
                invalid(
                    "spec.paramKind.apiVersion", "a/b/c", "unexpected GroupVersion string: a/b/c"
                ),
                "spec.paramKind.kind: Required value",
                "spec.matchConditions[0].expression: Required value",
                'spec.matchConditions[0].name: Invalid value: "a b": name part must consist of '
                "alphanumeric characters, '-', '_' or '.', and must start and end with an "
                "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used "
                "for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
                'spec.matchConditions[1].expression: Invalid value: "1": must evaluate to bool but '
                "got int",
                "spec.matchConditions[1].name: Required value",
            ],
        ),
        (
            validating(
                {"expression": "true"},
                rules=[
                    rule("*", "pods", groups=("*", "a"), resourceNames=["a/b", "x", "x"]),
                    rule("pods/*", "pods/log", "*/*", ""),
                ],
            ),
            [
                invalid(f"{RULES}[0].resourceNames[0]", "a/b", "may not contain '/'"),
                f'{RULES}[0].resourceNames[2]: Duplicate value: "x"',
                f'{RULES}[0].apiGroups: Invalid value: ["*","a"]: if \'*\' is present, must not '
                "specify other API groups",
                f'{RULES}[0].resources: Invalid value: ["*","pods"]: if \'*\' is present, must not '
                "specify other resources without subresources",
                invalid(
                    f"{RULES}[1].resources[1]",
                    "pods/log",
                    "if 'pods/*' is present, must not specify pods/log",
                ),
                f"{RULES}[1].resources[3]: Required value",
                f'{RULES}[1].resources: Invalid value: ["pods/*","pods/log","*/*",""]: if \'*/*\' '
                "is present, must not specify other resources",
            ],
        ),
    ],
)
def test_a_validating_policy_that_cannot_be(client, spec, expected):
    assert causes(client("POST", VALIDATING, spec)) == expected


PATCH = {"patchType": "JSONPatch"}
APPLY = {"patchType": "ApplyConfiguration"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (mutating(), ["spec.mutations: Required value: mutations must contain at least one item"]),
        (
            mutating({}, {"patchType": "Merge"}, PATCH, APPLY, reinvocationPolicy="Often"),
            [
                "spec.mutations[0].patchType: Required value",
                'spec.mutations[1].patchType: Unsupported value: "Merge": supported values: '
                '"ApplyConfiguration", "JSONPatch"',
                "spec.mutations[2].jsonPatch: Required value: must be specified when patchType is "
                "JSONPatch",
                "spec.mutations[3].applyConfiguration: Required value: must be specified when "
                "patchType is ApplyConfiguration",
                'spec.reinvocationPolicy: Unsupported value: "Often": supported values: '
                '"IfNeeded", "Never"',
            ],
        ),
        (
            mutating(
                {
                    **PATCH,
                    "jsonPatch": {"expression": "Object{}"},
                    "applyConfiguration": {"expression": "Object{}"},
                },
                {**APPLY, "applyConfiguration": {"expression": "object"}},
                rules=[rule("pods", operations=("DELETE",))],
                reinvocationPolicy="",
            ),
            [
                'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": '
                'supported values: "*", "CONNECT", "CREATE", "UPDATE"',
                invalid(
                    "spec.mutations[0].jsonPatch.expression",
                    "Object{}",
                    "must evaluate to list(JSONPatch) but got Object",
                ),
                invalid(
                    "spec.mutations[0].applyConfiguration",
                    "{applyConfiguration}",
                    "must not be specified when patchType is JSONPatch",
                ),
                invalid(
                    "spec.mutations[1].applyConfiguration.expression",
                    "object",
                    "must evaluate to Object but got dyn",
                ),
                "spec.reinvocationPolicy: Required value",
            ],
        ),
    ],
)
def test_a_mutating_policy_that_cannot_be(client, spec, expected):
    assert causes(client("POST", MUTATING, spec)) == expected


def test_a_mutating_policy_has_the_defaults_of_its_kind(client):
    expression = "[JSONPatch{op: 'add', path: '/spec/paused', value: true}]"
    made = client("POST", MUTATING, mutating({**PATCH, "jsonPatch": {"expression": expression}}))
    assert made["spec"] == {
        "failurePolicy": "Fail",
        "matchConstraints": {
            "matchPolicy": "Equivalent",
            "namespaceSelector": {},
            "objectSelector": {},
            "resourceRules": [rule("deployments", scope="*")],
        },
        "mutations": [{**PATCH, "jsonPatch": {"expression": expression}}],
        "reinvocationPolicy": "Never",
    }


@pytest.mark.parametrize(
    ("kind", "spec", "expected"),
    [
        (
            "mutatingadmissionpolicybindings",
            {"matchResources": {"resourceRules": [rule("pods", operations=("DELETE",))]}},
            [
                "spec.policyName: Required value",
                'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": '
                'supported values: "*", "CONNECT", "CREATE", "UPDATE"',
            ],
        ),
        (
            "validatingadmissionpolicybindings",
            {"policyName": "p", "paramRef": {"name": "a/b"}, "validationActions": ["No", "No"]},
            [
                invalid("spec.paramRef.name", "a/b", "may not contain '/'"),
                "spec.paramRef.parameterNotFoundAction: Required value",
                *(
                    f'spec.validationActions[{index}]: Unsupported value: "No": supported values: '
                    '"Audit", "Deny", "Warn"'
                    for index in range(2)
                ),
                'spec.validationActions[1]: Duplicate value: "No"',
            ],
        ),
    ],
)
def test_a_binding_that_cannot_be(client, kind, spec, expected):
    made = client("POST", f"{ADMISSION}/{kind}", {"metadata": {"name": "b"}, "spec": spec})
    assert causes(made) == expected
