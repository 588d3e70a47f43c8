"""What kubectl writes as protobuf is judged by what stands in it."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api.policing import policed
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_core.policy import Policy

PROTOBUF = "application/vnd.kubernetes.protobuf"


def field(number: int, content: bytes) -> bytes:
    return bytes((number << 3 | 2, len(content))) + content


def pod(spec: bytes) -> bytes:
    kind = field(1, b"v1") + field(2, b"Pod")
    content = field(1, field(1, b"node-debugger")) + field(2, spec)
    return b"k8s\0" + field(1, kind) + field(2, content)


# PodSpec.hostPID is the twelfth field, a boolean.
IN_THE_NODE = pod(bytes((12 << 3, 1)))


def answer(body: bytes, namespace: str) -> Response:
    path = f"/api/v1/namespaces/{namespace}/pods"
    headers = {"content-type": PROTOBUF}
    request = Request("POST", path, (), headers, body, User())
    passed: Any = policed(Policy(debugged_from=("shop",)), request, lambda _: Response(201, b"{}"))
    assert isinstance(passed, Response)
    return passed


@pytest.mark.parametrize(
    ("body", "namespace", "status"),
    [
        (pod(b""), "kube-system", 201),
        (IN_THE_NODE, "shop", 201),
        (IN_THE_NODE, "kube-system", 403),
        # Whoever may enter nodes is not told how to write it down; what is nonsense the API refuses.
        (b"k8s\0nonsense", "shop", 201),
        (b"k8s\0nonsense", "kube-system", 403),
    ],
    ids=["plain", "debugs where it may", "reaches into a node", "debugs unread", "unreadable"],
)
def test_protobuf(body: bytes, namespace: str, status: int) -> None:
    assert answer(body, namespace).status == status
