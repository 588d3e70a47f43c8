"""Admission webhooks that users configure."""

from __future__ import annotations

import base64

import orjson
import pytest
from sregym_cluster_embedded.api import dynamic, internal_client
from sregym_cluster_embedded.api.dynamic.webhook_client import Answer, CallFailed
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.api.keys import WEBHOOKS
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.world import SimulationSpec, World

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
CONFIG_MAPS = "/api/v1/namespaces/shop/configmaps"
MERGE = "application/merge-patch+json"


class Hooks:
    """A server that answers by path and remembers what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, world, call):
        review = orjson.loads(call.body)
        self.asked.append(review["request"])
        path = call.url.split("/", 3)[3].partition("?")[0]
        response = {"uid": review["request"]["uid"], "allowed": True}
        if path == "deny":
            response |= {"allowed": False, "status": {"message": "no such thing here"}}
        elif path == "denycode":
            said = {"code": 418, "reason": "Teapot", "message": "not today"}
            response |= {"allowed": False, "status": said}
        elif path == "silent":
            response |= {"allowed": False}
        elif path == "warn":
            response |= {"warnings": ["think twice"]}
        elif path == "label":
            patch = [{"op": "add", "path": "/metadata/labels", "value": {"by": "hook"}}]
            response |= {
                "patchType": "JSONPatch",
                "patch": base64.b64encode(orjson.dumps(patch)).decode(),
            }
        elif path == "slow":
            message = "context deadline exceeded"
            raise CallFailed(message)
        elif path == "error":
            return Answer(500, b"not json", "text/plain")
        elif path == "garbage":
            return Answer(200, b"not json")
        elif path == "otheruid":
            response |= {"uid": "x"}
        return Answer(
            200,
            orjson.dumps(
                {
                    "apiVersion": "admission.k8s.io/v1",
                    "kind": "AdmissionReview",
                    "response": response,
                }
            ),
        )


@pytest.fixture
def hooks():
    return Hooks()


@pytest.fixture
def world(hooks):
    world = World(SimulationSpec(services=WEBHOOKS.offer(hooks)), seed=7, epoch=1_767_225_600)
    for name in ("default", "shop"):
        internal_client.create(world, "namespaces", {"metadata": {"name": name}})
        account = {"metadata": {"name": "default", "namespace": name}}
        internal_client.create(world, "serviceaccounts", account)
    return world


def hook(path="deny", kind="Validating", name="check.shop.example", **fields):
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE", "DELETE"],
        "resources": ["configmaps"],
    }
    entry = {
        "name": name,
        "clientConfig": {"url": f"https://10.77.0.2:9443/{path}"},
        "rules": [rule],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **fields,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{kind}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [entry],
    }


@pytest.fixture
def configure(client):
    def made(path="deny", kind="Validating", **fields):
        body = hook(path, kind, **fields)
        answer = client("POST", f"{ADMISSION}/{kind.lower()}webhookconfigurations", body)
        assert answer["kind"] == f"{kind}WebhookConfiguration", answer
        return answer

    return made


def config_map(name="c", **fields):
    return {"metadata": {"name": name}, **fields}


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


URL = 'Post "https://10.77.0.2:9443'
FAILED = 'failed calling webhook "check.shop.example": failed to call webhook: '


@pytest.mark.parametrize(
    ("path", "code", "reason", "message"),
    [
        (
            "deny",
            400,
            "",
            'admission webhook "check.shop.example" denied the request: no such thing here',
        ),
        (
            "denycode",
            418,
            "Teapot",
            'admission webhook "check.shop.example" denied the request: not today',
        ),
        (
            "silent",
            400,
            "",
            'admission webhook "check.shop.example" denied the request without explanation',
        ),
    ],
)
def test_a_webhook_denies(client, configure, path, code, reason, message):
    configure(path)
    answer = client.raw("POST", CONFIG_MAPS, config_map())
    assert answer.status == code
    assert orjson.loads(answer.body) == status(code, message, reason)
    assert client("GET", CONFIG_MAPS)["items"] == []


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("slow", f'{URL}/slow?timeout=10s": context deadline exceeded'),
        ("error", 'an error on the server ("not json") has prevented the request from succeeding'),
        (
            "garbage",
            "couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u')",
        ),
    ],
)
def test_a_webhook_that_cannot_be_asked_refuses_or_is_ignored(client, configure, path, words):
    configure(path)
    message = f"Internal error occurred: {FAILED}{words}"
    cause = {"message": message.removeprefix("Internal error occurred: ")}
    expected = status(500, message, "InternalError", details={"causes": [cause]})
    assert client("POST", CONFIG_MAPS, config_map()) == expected
    url = f"{ADMISSION}/validatingwebhookconfigurations/check.shop.example"
    ignored = hook(path, failurePolicy="Ignore")["webhooks"]
    client("PATCH", url, {"webhooks": ignored}, content=MERGE)
    assert client("POST", CONFIG_MAPS, config_map())["kind"] == "ConfigMap"


def test_an_answer_to_another_question_does_not_count(client, configure, hooks):
    configure("otheruid")
    answer = client("POST", CONFIG_MAPS, config_map())
    uid = hooks.asked[0]["uid"]
    assert answer["message"] == (
        'Internal error occurred: failed calling webhook "check.shop.example": received invalid '
        f'webhook response: expected response.uid="{uid}", got "x"'
    )


def test_a_webhook_is_asked_in_full(client, configure, hooks):
    configure("warn")
    answer = client.raw("POST", CONFIG_MAPS, config_map(data={"a": "b"}), fieldManager="me")
    assert answer.headers == {"Warning": '299 - "think twice"'}
    (asked,) = hooks.asked
    assert {key: value for key, value in asked.items() if key not in ("uid", "object")} == {
        "kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "resource": {"group": "", "version": "v1", "resource": "configmaps"},
        "requestKind": {"group": "", "version": "v1", "kind": "ConfigMap"},
        "requestResource": {"group": "", "version": "v1", "resource": "configmaps"},
        "name": "c",
        "namespace": "shop",
        "operation": "CREATE",
        "userInfo": {
            "username": "kubernetes-admin",
            "groups": ["system:masters", "system:authenticated"],
        },
        "oldObject": None,
        "dryRun": False,
        "options": {
            "kind": "CreateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "fieldManager": "me",
        },
    }
    assert asked["object"]["data"] == {"a": "b"}


def test_a_mutating_webhook_changes_the_object(client, configure):
    configure("label", "Mutating")
    made = client("POST", CONFIG_MAPS, config_map())
    assert made["metadata"]["labels"] == {"by": "hook"}


def test_selectors_conditions_and_operations_choose(client, configure, hooks):
    configure(
        "deny",
        objectSelector={"matchLabels": {"checked": "yes"}},
        matchConditions=[{"name": "big", "expression": "size(object.data) > 1"}],
    )
    assert client("POST", CONFIG_MAPS, config_map(data={"a": "1", "b": "2"}))["kind"] == "ConfigMap"
    labelled = {"metadata": {"name": "d", "labels": {"checked": "yes"}}, "data": {"a": "1"}}
    assert client("POST", CONFIG_MAPS, labelled)["kind"] == "ConfigMap"
    assert hooks.asked == []
    two = {
        **labelled,
        "metadata": {**labelled["metadata"], "name": "e"},
        "data": {"a": "", "b": ""},
    }
    assert client("POST", CONFIG_MAPS, two)["code"] == 400


def test_a_deletion_can_be_refused(client, configure, hooks):
    client("POST", CONFIG_MAPS, config_map())
    configure("deny")
    assert client("DELETE", f"{CONFIG_MAPS}/c")["code"] == 400
    assert hooks.asked[0]["operation"] == "DELETE"
    assert hooks.asked[0]["object"] is None
    assert hooks.asked[0]["oldObject"]["metadata"]["name"] == "c"
    assert client("GET", f"{CONFIG_MAPS}/c")["kind"] == "ConfigMap"


def test_dry_run_needs_a_webhook_without_side_effects(client, world):
    # Older versions of the API let such webhooks in.
    internal_client.create(
        world,
        "validatingwebhookconfigurations.admissionregistration.k8s.io",
        hook("warn", sideEffects="Some"),
    )
    answer = client("POST", CONFIG_MAPS, config_map(), dryRun="All")
    message = 'admission webhook "check.shop.example" does not support dry run'
    assert answer == status(400, message, "BadRequest")


@pytest.mark.parametrize(
    ("fields", "cause"),
    [
        (
            {"sideEffects": "Some"},
            'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", '
            '"NoneOnDryRun"',
        ),
        (
            {"timeoutSeconds": 31},
            "webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and "
            "30 seconds",
        ),
        (
            {"admissionReviewVersions": []},
            "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
        ),
        (
            {"clientConfig": {}},
            "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
        ),
        (
            {"clientConfig": {"url": "http://a.example/x"}},
            "webhooks[0].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL "
            "scheme; desired format: https://host[/path]",
        ),
        (
            {"name": "check"},
            'webhooks[0].name: Invalid value: "check": should be a domain with at least three segments '
            "separated by dots",
        ),
        (
            {"matchConditions": [{"name": "a", "expression": "nobody == 1"}]},
            'webhooks[0].matchConditions[0].expression: Invalid value: "nobody == 1": compilation '
            "failed: ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')\n"
            " | nobody == 1\n | ^",
        ),
    ],
)
def test_a_webhook_that_cannot_be(client, fields, cause):
    body = hook("deny", **fields)
    body["metadata"]["name"] = "c"
    answer = client("POST", f"{ADMISSION}/validatingwebhookconfigurations", body)
    assert answer["message"] == (
        f'ValidatingWebhookConfiguration.admissionregistration.k8s.io "c" is invalid: {cause}'
    )


def service_hook(name="hooks"):
    return {"service": {"name": name, "namespace": "shop", "path": "/check"}}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (None, 'service "hooks" not found'),
        ({"clusterIP": "None"}, 'cannot route to service with ClusterIP "None"'),
        ({}, "dial tcp 10.96.0.7:443: connect: connection refused"),
        ({"port": 80}, 'no service port 443 found for service "hooks"'),
    ],
)
def test_a_webhook_behind_a_service_without_pods(client, configure, spec, words):
    if spec is not None:
        ports = [{"port": spec.get("port", 443)}]
        spec = {"ports": ports, "clusterIP": spec.get("clusterIP", "10.96.0.7")}
        client(
            "POST",
            "/api/v1/namespaces/shop/services",
            {"metadata": {"name": "hooks"}, "spec": spec},
        )
    configure(clientConfig=service_hook())
    answer = client("POST", CONFIG_MAPS, config_map())
    assert answer["message"] == (
        f'Internal error occurred: {FAILED}Post "https://hooks.shop.svc:443/check?timeout=10s": {words}'
    )


def test_controllers_are_asked_too(client, configure, world):
    configure(
        "deny",
        rules=[
            {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["*"], "resources": ["pods"]}
        ],
    )
    pod = {
        "metadata": {"name": "p", "namespace": "shop"},
        "spec": {"containers": [{"name": "c", "image": "x"}]},
    }
    with pytest.raises(ApiError) as refused:
        internal_client.create(world, "pods", pod)
    assert refused.value.message == (
        'admission webhook "check.shop.example" denied the request: no such thing here'
    )


def test_controllers_that_are_heard_are_asked_about_changes_and_deletions(
    client, configure, world, hooks
):
    place = Key("configmaps", "shop", "c")
    internal_client.create(world, "configmaps", {"metadata": {"name": "c", "namespace": "shop"}})
    configure()
    old = internal_client.annotate(world, place, {"a": "1"})
    assert not hooks.asked
    said = 'admission webhook "check.shop.example" denied the request: no such thing here'
    for write in (
        lambda: internal_client.annotate(world, place, {"a": "2"}),
        lambda: internal_client.update(world, "configmaps", {**old, "data": {"a": "2"}}),
        lambda: internal_client.delete(world, place),
    ):
        with dynamic.dynamic_admission(world), pytest.raises(ApiError) as refused:
            write()
        assert refused.value.message == said
    assert world.store.get(place) == old
    assert [asked["operation"] for asked in hooks.asked] == ["UPDATE", "UPDATE", "DELETE"]
    assert {asked["userInfo"]["username"] for asked in hooks.asked} == {
        "system:kube-controller-manager"
    }


def test_a_refusal_carries_the_warnings_before_it(client, configure):
    configure("warn", name="a.shop.example")
    configure("deny")
    got = client.raw("POST", CONFIG_MAPS, config_map())
    assert (got.status, got.headers) == (400, {"Warning": '299 - "think twice"'})
