"""What an API server adds to expressions: checks of names, and questions to its authorizers."""

from __future__ import annotations

import pytest
from sregym_cel import CelError
from sregym_cluster_embedded.api.expressions import check, compile_expression
from sregym_cluster_embedded.api.expressions.authorization import Question


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("format.dns1123LabelPrefix().validate('web-').hasValue()", False),
        ("format.dns1123Label().validate('web-').hasValue()", True),
        ("format.labelValue().validate('').hasValue()", False),
        ("format.named('dns1035Label').value().validate('web').hasValue()", False),
        ("format.date().validate('2020-01-32').value()", ["invalid date"]),
        ("type(format.uuid()) == kubernetes.NamedFormat", True),
    ],
)
def test_names_are_checked(text, expected):
    assert not check(text, {}).errors
    assert compile_expression(text, ()).evaluate({}) == expected


@pytest.mark.parametrize(
    "name", ["dns1123Subdomain", "qualifiedName", "dns1123SubdomainPrefix", "dns1035LabelPrefix"]
)
def test_each_format_is_a_function(name):
    assert check(f"format.{name}()", {}).kind.name == "kubernetes.NamedFormat"


ASKED = "authorizer.group('apps').resource('deployments').namespace('shop').name('web')"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{ASKED}.check('get').allowed()", True),
        (f"{ASKED}.check('delete').allowed()", False),
        (f"{ASKED}.check('delete').reason()", "delete apps/deployments shop/web of "),
        (
            "authorizer.serviceAccount('shop', 'bot').requestResource.check('get').reason()",
            "get core/pods / of system:serviceaccount:shop:bot",
        ),
        ("authorizer.path('/healthz').check('get').errored()", False),
    ],
)
def test_authorizers_are_asked_step_by_step(text, expected):
    def decide(verb, fields):
        group, resource, namespace, name, user = (
            fields.get(field, "") for field in ("group", "resource", "namespace", "name", "user")
        )
        return verb == "get", f"{verb} {group}/{resource} {namespace}/{name} of {user}"

    asked = Question(decide, request=(("group", "core"), ("resource", "pods")))
    assert compile_expression(text, ("authorizer",)).evaluate({"authorizer": asked}) == expected


def test_a_question_has_one_field():
    program = compile_expression("authorizer.nope", ("authorizer",))
    with pytest.raises(CelError) as failed:
        program.evaluate({"authorizer": Question(lambda *_: (True, ""))})
    assert str(failed.value) == "no such key: nope"
