"""What the kubelet of one node may see and write, and in which words the rest is refused."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.world import World

KUBELET = User("system:node:n1", ("system:nodes", "system:authenticated"))
SHOP = "/api/v1/namespaces/shop"
LEASES = "/apis/coordination.k8s.io/v1/namespaces"


@pytest.fixture
def nodes(world: World) -> World:
    for name in ("n1", "n2"):
        internal_client.create(world, "nodes", {"metadata": {"name": name}, "spec": {}})
        container = {
            "name": "c",
            "image": "x",
            "envFrom": [{"configMapRef": {"name": f"cm-{name}"}}],
            "env": [
                {"name": "A", "valueFrom": {"secretKeyRef": {"name": f"s-{name}", "key": "k"}}}
            ],
        }
        claim = {"name": "v", "persistentVolumeClaim": {"claimName": f"pvc-{name}"}}
        spec = {"nodeName": name, "containers": [container], "volumes": [claim]}
        pod = {"metadata": {"name": f"pod-{name}", "namespace": "shop"}, "spec": spec}
        internal_client.create(world, "pods", pod)
        for resource, prefix in (("configmaps", "cm"), ("secrets", "s")):
            metadata = {"name": f"{prefix}-{name}", "namespace": "shop"}
            internal_client.create(world, resource, {"metadata": metadata})
    return world


def ask(world: World, method: str, path: str, body: Any = None, **query: str) -> dict[str, Any]:
    data = b"" if body is None else orjson.dumps(body)
    headers = {"content-type": "application/strategic-merge-patch+json"}
    if method != "PATCH":
        headers = {"content-type": "application/json"}
    answer = handle(world, Request(method, path, tuple(query.items()), headers, data, KUBELET))
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


def why(status: dict[str, Any]) -> str:
    """What the authorizer added to its refusal, or the whole of another one."""
    message: str = status.get("message", "")
    return message.partition('in the namespace "')[2].partition('": ')[2] or (
        message.partition("at the cluster scope: ")[2] or message
    )


UNRELATED = "no relationship found between node 'n1' and this object"


@pytest.mark.parametrize(
    ("method", "path", "text"),
    [
        ("GET", f"{SHOP}/secrets/s-n1", ""),
        ("GET", f"{SHOP}/secrets/s-n2", UNRELATED),
        ("GET", f"{SHOP}/configmaps/cm-n1", ""),
        ("GET", f"{SHOP}/configmaps/cm-n2", UNRELATED),
        ("GET", f"{SHOP}/configmaps", "No Object name found"),
        ("GET", "/api/v1/secrets", "can only read namespaced object of this type"),
        ("DELETE", f"{SHOP}/secrets/s-n1", "can only read resources of this type"),
        ("GET", f"{SHOP}/persistentvolumeclaims/pvc-n2", UNRELATED),
        ("GET", "/api/v1/persistentvolumes", "can only get individual resources of this type"),
        ("GET", f"{SHOP}/pods/pod-n1", ""),
        ("GET", f"{SHOP}/pods/pod-n2", UNRELATED),
        ("POST", f"{SHOP}/serviceaccounts", "can only create tokens for individual service accounts"),
        ("GET", f"{LEASES}/shop/leases/n1", 'can only access leases in the "kube-node-lease" system namespace'),
        ("GET", f"{LEASES}/kube-node-lease/leases/n2", "can only access node lease with the same name as the requesting node"),
        ("GET", "/api/v1/nodes", "node 'n1' cannot read all nodes, only its own Node object"),
        ("GET", "/api/v1/nodes/n1", ""),
        ("GET", "/apis/storage.k8s.io/v1/csinodes/n2", "can only access CSINode with the same name as the requesting node"),
    ],
)  # fmt: skip
def test_a_kubelet_sees_what_its_pods_need(nodes: World, method: str, path: str, text: str) -> None:
    assert why(ask(nodes, method, path)) == text


def test_pods_of_its_node_may_be_listed(nodes: World) -> None:
    found = ask(nodes, "GET", "/api/v1/pods", fieldSelector="spec.nodeName=n1")
    assert [pod["metadata"]["name"] for pod in found["items"]] == ["pod-n1"]


def test_a_token_has_to_be_of_a_pod_of_the_node(nodes: World) -> None:
    path = f"{SHOP}/serviceaccounts/default/token"
    bare = ask(nodes, "POST", path, {"spec": {"audiences": []}})
    assert bare["message"] == (
        'serviceaccounts "default" is forbidden: node requested token not bound to a pod'
    )
    for name, told in (
        ("n1", ""),
        ("n2", "node requested token bound to a pod scheduled on a different node"),
    ):
        bound = {"kind": "Pod", "apiVersion": "v1", "name": f"pod-{name}"}
        answer = ask(nodes, "POST", path, {"spec": {"audiences": [], "boundObjectRef": bound}})
        assert answer.get("message", "").partition("is forbidden: ")[2] == told


@pytest.mark.parametrize(
    ("name", "patch", "text"),
    [
        (
            "n2",
            {"metadata": {"labels": {"a": "b"}}},
            'node "n1" is not allowed to modify node "n2"',
        ),
        ("n1", {"metadata": {"labels": {"a": "b", "node.kubernetes.io/x": "y"}}}, ""),
        (
            "n1",
            {"metadata": {"labels": {"x.node-restriction.kubernetes.io/a": "b", "k8s.io/c": "d"}}},
            "is not allowed to modify labels: k8s.io/c, x.node-restriction.kubernetes.io/a",
        ),
        (
            "n1",
            {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}},
            'node "n1" is not allowed to modify taints',
        ),
    ],
)
def test_a_kubelet_changes_its_own_node_a_little(
    nodes: World, name: str, patch: dict[str, Any], text: str
) -> None:
    status = ask(nodes, "PATCH", f"/api/v1/nodes/{name}", patch)
    assert status.get("message", "") == (f'nodes "{name}" is forbidden: {text}' if text else "")


def test_a_kubelet_makes_and_ends_only_pods_of_its_node(nodes: World) -> None:
    pod = {"metadata": {"name": "m"}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    made = ask(nodes, "POST", f"{SHOP}/pods", pod)
    assert made["message"] == (
        'pods "m" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node '
        '"n1" can only create mirror pods'
    )
    ended = ask(nodes, "DELETE", f"{SHOP}/pods/pod-n2")
    assert ended["message"] == (
        'pods "pod-n2" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself'
    )
    evicted = ask(nodes, "POST", f"{SHOP}/pods/pod-n2/eviction", {"metadata": {"name": "pod-n2"}})
    assert evicted["message"] == (
        'pods "pod-n2" is forbidden: node n1 can only evict pods with spec.nodeName set to itself'
    )
    told = ask(nodes, "PATCH", f"{SHOP}/pods/pod-n2/status", {"status": {"phase": "Failed"}})
    assert told["message"] == (
        'pods "pod-n2" is forbidden: node "n1" can only update pod status for pods with '
        "spec.nodeName set to itself"
    )
