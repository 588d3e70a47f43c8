"""What is refused because it would reach the machine below, or the harness beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_kubernetes.rules import forbidden
from sregym_kubernetes.target import target_of

POD = "/api/v1/namespaces/shop/pods"
DEPLOYMENT = "/apis/apps/v1/namespaces/shop/deployments/cart"
CONTEXT = "/spec/template/spec/containers/0/securityContext"


def told(name: str) -> str:
    return f"containers that reach into their node ({name}) are not part of this access"


def pod(**spec: Any) -> bytes:
    return json.dumps({"kind": "Pod", "spec": {"containers": [{"name": "c"}], **spec}}).encode()


def with_capabilities(**changes: list[str]) -> bytes:
    return pod(containers=[{"securityContext": {"capabilities": changes}}])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (pod(), ""),
        (pod(hostPID=False, hostNetwork=None), ""),
        (pod(hostPID=True), told("hostPID")),
        (pod(hostIPC=True), told("hostIPC")),
        (pod(hostNetwork=True), told("hostNetwork")),
        (pod(volumes=[{"name": "h", "hostPath": {"path": "/"}}]), told("hostPath")),
        (pod(initContainers=[{"securityContext": {"privileged": True}}]), told("privileged")),
        (pod(containers=[{"securityContext": {"privileged": False}}]), ""),
        (with_capabilities(add=["SYS_ADMIN"]), told("SYS_ADMIN")),
        (with_capabilities(add=["NET_ADMIN", "cap_bpf"]), told("BPF")),
        (with_capabilities(add=["all"]), told("ALL")),
        (with_capabilities(add=["NET_ADMIN", "NET_RAW", "SYS_PTRACE"], drop=["ALL"]), ""),
        (b"{", ""),
        (b"", ""),
    ],
)
def test_containers_that_reach_into_their_node(body: bytes, expected: str) -> None:
    assert forbidden("POST", target_of(POD), body) == expected
    assert forbidden("PATCH", target_of(f"{POD}/x/ephemeralcontainers"), body) == expected
    assert forbidden("DELETE", target_of(f"{POD}/x"), body) == ""
    assert forbidden("POST", target_of("/api/v1/namespaces/shop/configmaps"), body) == ""
    assert forbidden("PUT", target_of(f"{POD}/x/status"), body) == ""


def test_nodes_may_be_debugged_from_the_namespaces_of_the_application_alone() -> None:
    body, places = pod(hostPID=True), ("shop", "shop-data")
    hint = (
        ", except in pods of their own that are created in namespaces shop, shop-data: "
        "kubectl debug node/NAME -n shop --image=busybox"
    )

    def answer(method: str, path: str) -> str:
        return forbidden(method, target_of(path), body, debugged_from=places)

    assert answer("POST", POD) == ""
    assert answer("POST", "/api/v1/namespaces/shop-data/pods") == ""
    for method, path in (
        ("POST", "/api/v1/namespaces/default/pods"),
        ("POST", "/api/v1/namespaces/kube-system/pods"),
        ("POST", "/apis/apps/v1/namespaces/shop/deployments"),
        ("PATCH", DEPLOYMENT),
        ("PUT", f"{POD}/x"),
        ("PATCH", f"{POD}/x/ephemeralcontainers"),
        ("POST", f"{POD}/x/ephemeralcontainers"),
    ):
        assert answer(method, path) == told("hostPID") + hint
    one = forbidden("PATCH", target_of(DEPLOYMENT), body, debugged_from=("shop",))
    assert one == told("hostPID") + (
        ", except in pods of their own that are created in namespace shop: "
        "kubectl debug node/NAME -n shop --image=busybox"
    )


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([{"op": "add", "path": f"{CONTEXT}/capabilities/add/-", "value": "SYS_MODULE"}], told("SYS_MODULE")),
        ([{"op": "add", "path": f"{CONTEXT}/capabilities", "value": {"add": ["SYS_ADMIN"]}}], told("SYS_ADMIN")),
        ([{"op": "add", "path": f"{CONTEXT}/capabilities/drop", "value": ["ALL"]}], ""),
        ([{"op": "move", "from": f"{CONTEXT}/capabilities/drop", "path": f"{CONTEXT}/capabilities/add"}], told("capabilities")),
        ([{"op": "add", "path": "/spec/template/spec/hostPID", "value": True}], told("hostPID")),
        ([{"op": "replace", "path": "/spec/template/spec/hostPID", "value": False}], ""),
        ([{"op": "remove", "path": "/spec/template/spec/volumes/0/hostPath"}], ""),
        ([{"op": "copy", "from": "/a", "path": "/spec/template/spec/volumes/0/hostPath"}], told("hostPath")),
        ([{"op": "add", "path": "/spec/template/spec/volumes/-", "value": {"hostPath": {"path": "/"}}}], told("hostPath")),
        ([{"op": "replace", "path": "/spec/replicas", "value": 2}], ""),
    ],
)  # fmt: skip
def test_patches_that_reach_into_a_node(operations: list[Any], expected: str) -> None:
    body = json.dumps(operations).encode()
    kind = "application/json-patch+json"
    assert forbidden("PATCH", target_of(DEPLOYMENT), body, kind) == expected


def test_yaml_is_read_too() -> None:
    body = b"# a comment\nspec:\n  hostPID: true\n"
    for kind in ("application/yaml", "application/apply-patch+yaml; charset=utf-8"):
        assert forbidden("PATCH", target_of(DEPLOYMENT), body, kind) == told("hostPID")


@pytest.mark.parametrize("kind", ["application/cbor", "application/yaml, application/json"])
def test_what_cannot_be_read_is_not_passed_on(kind: str) -> None:
    assert forbidden("PUT", target_of(DEPLOYMENT), b"\xd9\xd9\xf7", kind) == (
        f"deployments.apps cannot be written as {kind}: send JSON or YAML"
    )
    service = target_of("/api/v1/namespaces/shop/services/x")
    assert forbidden("PUT", service, b"\xd9\xd9\xf7", kind) == ""
    pods = target_of("/api/v1/namespaces/shop/pods")
    assert forbidden("POST", pods, b"\xd9\xd9\xf7", kind) == (
        f"pods cannot be written as {kind}: send JSON or YAML"
    )
    # Where these may reach into their node all of it may pass.
    assert forbidden("POST", pods, b"\xd9\xd9\xf7", kind, debugged_from=("shop",)) == ""
    other = forbidden("POST", pods, b"\xd9\xd9\xf7", kind, debugged_from=("else",))
    assert other == f"pods cannot be written as {kind}: send JSON or YAML"


@pytest.mark.parametrize(
    "body",
    [
        b'{"spec": {"hostPID": true}, "spec": {"containers": []}}',
        b'{"spec": {"hostPID": true}, "x": "\xff"}',
        b'{"spec": {"hostPID": true}, "x": "\t"}',
        b'{"spec": {"hostPID": true}, "x": ' + b"1" * 5000 + b"}",
    ],
    ids=["a name twice", "no UTF-8", "a tab in a text", "a long number"],
)
def test_what_only_a_server_reads_is_found(body: bytes) -> None:
    """A decoder in Go takes these, so that a reader that does not would let them pass."""
    assert forbidden("POST", target_of(POD), body) == told("hostPID")


@pytest.mark.parametrize(
    "body", [b"a: [", b"spec: {hostPID: true}\n---\n{}\n", b"a: !!timestamp x\n", b"a: !!bool x\n"]
)
def test_yaml_that_cannot_be_read_is_not_passed_on(body: bytes) -> None:
    kind = "application/apply-patch+yaml"
    assert forbidden("PATCH", target_of(DEPLOYMENT), body, kind) == (
        f"deployments.apps cannot be written as {kind} (no single document that can be read): "
        "send JSON or YAML"
    )


def test_what_is_nested_deep_or_in_itself_ends() -> None:
    deep = forbidden("POST", target_of(POD), b"[" * 100_000)
    assert deep == "pods cannot be written in so many layers"
    assert forbidden("POST", target_of(POD), b'{"a":' * 500 + b"1" + b"}" * 500) == ""
    layers = [f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]" for n in range(40)]
    for text in ("a: &a [*a]\n", "\n".join(["a0: &a0 [x]", *layers])):
        body = f"{text}\nspec: {{hostPID: true}}\n".encode()
        assert forbidden("PUT", target_of(DEPLOYMENT), body, "application/yaml") == told("hostPID")


@pytest.mark.parametrize(
    "host", ["127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "x.localhost"]
)
def test_this_machine_by_other_names(host: str) -> None:
    path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    body = f"webhooks: [{{clientConfig: {{url: 'https://{host}:1/x'}}}}]".encode()
    assert forbidden("POST", target_of(path), body, "application/yaml") == (
        f"webhooks may not call https://{host}:1/x: services of a webhook must run in the cluster"
    )
