"""Bodies in protobuf: what they say, and that hostile ones end in an error soon."""

from __future__ import annotations

import time

import pytest
from sregym_kubernetes.protobuf import ProtobufError, decode
from sregym_kubernetes.rules import forbidden
from sregym_kubernetes.target import target_of

POD = {"apiVersion": "v1", "kind": "Pod"}
SCHEMA_AT_ONCE = 150
# Cut here it is a whole Pod that says nothing.
WHOLE_HEAD = 15


def varint(value: int) -> bytes:
    """A number of any length, which need not be one that fits."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*written, value))


def field(number: int, content: bytes | int) -> bytes:
    """A field of a message: a number, or bytes with their length."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def enveloped(api_version: str, kind: str, content: bytes) -> bytes:
    """An object as a client sends it."""
    what = field(1, api_version.encode()) + field(2, kind.encode())
    return b"k8s\0" + field(1, what) + field(2, content)


def pod(*specs: bytes) -> bytes:
    """A Pod; of several parts of a spec a server makes one."""
    return enveloped("v1", "Pod", b"".join(field(2, spec) for spec in specs))


# By their numbers in PodSpec and below.
HOST_NETWORK, HOST_PID = field(11, 1), field(12, 1)
HOST_PATH = field(1, field(1, b"h") + field(2, field(1, field(1, b"/"))))
PRIVILEGED = field(2, field(1, b"c") + field(15, field(2, 1)))


def schema(depth: int) -> bytes:
    """A definition whose schema says what must not be, and so on."""
    content = b""
    for _ in range(depth):
        content = field(28, content)
    version = field(1, b"v1") + field(4, field(1, content))
    return enveloped(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", field(2, field(7, version))
    )


@pytest.mark.parametrize(
    ("body", "spec"),
    [
        (pod(HOST_PID), {"hostPID": True}),
        (pod(field(12, 0)), {"hostPID": False}),
        # The last counts of what stands there twice, and messages are put together.
        (pod(HOST_PID + field(12, 0)), {"hostPID": False}),
        (pod(HOST_PID, HOST_NETWORK), {"hostPID": True, "hostNetwork": True}),
        (pod(HOST_PID, b""), {"hostPID": True}),
        # Servers keep 32 bits of a field's number, and 64 of any other.
        (pod(varint((12 + 2**32) << 3) + b"\1"), {"hostPID": True}),
        (pod(varint(12 << 3) + b"\x80" * 9 + b"\2"), {"hostPID": False}),
        (pod(field(99, b"later")), {}),
    ],
)
def test_odd_forms_are_read_as_a_server_reads_them(body: bytes, spec: dict[str, object]) -> None:
    assert decode(body) == {**POD, "spec": spec}


def test_the_head_of_a_body_is_put_together_too() -> None:
    head = (
        field(1, field(1, b"v1") + field(2, b"Secret")) + field(1, field(2, b"Pod")) + field(1, b"")
    )
    assert decode(b"k8s\0" + head + field(2, b"")) == POD


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (pod(field(99, b"later")), "field 99 of api.core.v1.PodSpec is not known here"),
        (pod(field(99, 0)), "field 99 of api.core.v1.PodSpec is not known here"),
        (pod(b"") + field(5, b""), "field 5 of the envelope is not known here"),
        (b"k8s\0" + field(1, field(3, b"")), "field 3 of the envelope is not known here"),
    ],
)
def test_who_wants_the_whole_is_told_what_is_not_known(body: bytes, expected: str) -> None:
    with pytest.raises(ProtobufError) as caught:
        decode(body, whole=True)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    "spec",
    [
        *(pod(HOST_PID)[:end] for end in range(4, len(pod(HOST_PID))) if end != WHOLE_HEAD),
        pod(varint(7 << 3 | 2) + varint(2**62) + b"x"),
        pod(varint(7 << 3 | 2) + varint(2**64 - 1) + b"x"),
        pod(b"\xff" * 11),
        pod(varint(12 << 3) + b"\xff" * 40),
        pod(b"\0\1"),
        pod(varint(2**31 << 3) + b"\1"),
        pod(b"\x63\x64"),
        pod(b"\x65\0\0"),
        pod(field(7, 1)),
        pod(field(12, b"1")),
        pod(field(10, b"\xff\xfe")),
    ],
    ids=lambda body: body.hex()[-40:],
)  # fmt: skip
def test_what_is_no_message_is_told_so(spec: bytes) -> None:
    with pytest.raises(ProtobufError):
        decode(spec)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (schema(2_000), "exceeded max depth"),
        (pod(field(2, field(2, b"a" * 2_900_000))), ""),
        pytest.param(
            pod(field(1, b"") * 600_000), "more than 500000 fields", marks=pytest.mark.thorough
        ),
        (pod(field(14, field(4, b"\1" * 2_000_000))), "more than 500000 fields"),
    ],
    ids=["nested", "large", "many volumes", "many numbers"],
)
def test_what_is_large_ends_soon(body: bytes, expected: str) -> None:
    began = time.process_time()
    try:
        decode(body)
        said = ""
    except ProtobufError as error:
        said = str(error)
    assert said == expected
    assert time.process_time() - began < 10


def test_schemas_are_read_as_deep_as_any_that_is_meant() -> None:
    [version] = decode(schema(SCHEMA_AT_ONCE))["spec"]["versions"]
    one, depth = version["schema"]["openAPIV3Schema"], 0
    while one:
        one, depth = one["not"], depth + 1
    assert depth == SCHEMA_AT_ONCE


PODS, ELSEWHERE = "/api/v1/namespaces/shop/pods", "/api/v1/namespaces/default/pods"
DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments"
TYPED = "application/vnd.kubernetes.protobuf"


def told(name: str) -> str:
    return f"containers that reach into their node ({name}) are not part of this access"


def unread(why: str) -> str:
    return f"pods cannot be written as {TYPED} ({why}): send JSON or YAML"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (pod(field(7, b"")), ""),
        (pod(field(12, 0) + field(11, 0)), ""),
        (pod(HOST_PID), told("hostPID")),
        (pod(HOST_PID, b""), told("hostPID")),
        (pod(varint((12 + 2**32) << 3) + b"\1"), told("hostPID")),
        (pod(HOST_PATH), told("hostPath")),
        (pod(PRIVILEGED), told("privileged")),
        (pod(HOST_PID)[:-1], unread("unexpected EOF")),
        (pod(field(99, 1)), unread("field 99 of api.core.v1.PodSpec is not known here")),
        (enveloped("v2", "Pod", b""), unread('no kind "Pod" is registered for version "v2" in scheme "pkg/api/legacyscheme/scheme.go:30"')),
        (b"{}", unread("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")),
    ],
)  # fmt: skip
def test_what_is_written_in_protobuf_is_judged(body: bytes, expected: str) -> None:
    assert forbidden("POST", target_of(ELSEWHERE), body, TYPED) == expected
    assert forbidden("PUT", target_of(f"{ELSEWHERE}/x"), body, TYPED) == expected
    # Where nodes may be entered from, whatever it says; of what has no containers nothing is read.
    assert forbidden("POST", target_of(PODS), body, TYPED, ("shop",)) == ""
    assert forbidden("POST", target_of("/api/v1/namespaces/shop/services"), body, TYPED) == ""


def test_templates_of_pods_are_judged() -> None:
    # DeploymentSpec.template, PodTemplateSpec.spec.
    body = enveloped("apps/v1", "Deployment", field(2, field(3, field(2, HOST_NETWORK))))
    assert forbidden("POST", target_of(DEPLOYMENTS), body, TYPED) == told("hostNetwork")
    # Whatever the header says.
    assert forbidden("POST", target_of(DEPLOYMENTS), body, "application/json") == told(
        "hostNetwork"
    )


def test_webhooks_are_judged() -> None:
    url = "https://127.0.0.1:1/x"
    body = enveloped(
        "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", field(2, field(2, field(3, url.encode())))
    )  # fmt: skip
    path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"
    expected = f"webhooks may not call {url}: services of a webhook must run in the cluster"
    assert forbidden("POST", target_of(path), body, TYPED) == expected
