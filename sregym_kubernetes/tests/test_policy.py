"""The policy as a whole: refusals, objects that are hidden by what they belong to, telemetry, the role."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sregym_core.interfaces import Cluster, ClusterError, Command, CommandResult, ServiceAnswer
from sregym_core.model import ObjectRef
from sregym_core.policy import Policy
from sregym_core.policy.role import ON_CALL
from sregym_kubernetes.operations.role import grant, manifests, revoke
from sregym_kubernetes.target import target_of
from sregym_kubernetes.telemetry_redaction import drop_hidden, hidden_names
from sregym_testing import MemoryCluster

from sregym_kubernetes import Enforcement, KubernetesRequest, KubernetesResponse

HIDDEN = [
    ObjectRef(api_version="v1", kind="Namespace", name="tools"),
    ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="driver"),
]
POLICY = Policy(lambda: HIDDEN, ON_CALL)
ENFORCED = Enforcement(POLICY)
DRIVER = "/api/v1/namespaces/shop/pods/driver-5f-x"


def status(code: int, reason: str, message: str, **details: str) -> bytes:
    head = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    more = {"details": details} if details else {}
    content = {**head, "message": message, "reason": reason, **more, "code": code}
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        (
            {"impersonate-user": "admin", "impersonate-group": "system:masters"},
            status(
                403,
                "Forbidden",
                'users "admin" is forbidden: User "on-call" cannot impersonate resource "users" in API group "" at the cluster scope',
                name="admin",
                kind="users",
            ),
        ),
        (
            {"impersonate-user": "system:serviceaccount:kube-system:default"},
            status(
                403,
                "Forbidden",
                'serviceaccounts "default" is forbidden: User "on-call" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "kube-system"',
                name="default",
                kind="serviceaccounts",
            ),
        ),
        (
            {"impersonate-group": "system:masters"},
            status(
                400,
                "BadRequest",
                "requested groups, uid or extra without impersonating a user name",
            ),
        ),
    ],
)
def test_nobody_acts_as_somebody_else(headers: dict[str, str], expected: bytes | None) -> None:
    asked = KubernetesRequest("GET", target_of("/api/v1/pods"), headers)
    code = 400 if expected is not None and b"BadRequest" in expected else 403
    answer = (
        None if expected is None else KubernetesResponse(code, expected, "acting as somebody else")
    )
    assert ENFORCED.refusal(asked) == answer
    assert Enforcement(Policy()).refusal(asked) is None


@pytest.mark.parametrize("path", [DRIVER, f"{DRIVER}/log", f"{DRIVER}/exec?command=env"])
def test_pods_of_hidden_workloads_are_missing_by_name(path: str) -> None:
    missing = status(
        404, "NotFound", 'pods "driver-5f-x" not found', name="driver-5f-x", kind="pods"
    )
    assert ENFORCED.refusal(KubernetesRequest("GET", target_of(path))) == KubernetesResponse(
        404, missing, "hidden"
    )
    seen = KubernetesRequest("GET", target_of(path.replace("driver", "drivers")))
    assert ENFORCED.refusal(seen) is None


@pytest.mark.parametrize(
    ("path", "obj", "hidden"),
    [
        ("/api/v1/namespaces/shop/pods/odd", {"metadata": {"name": "odd", "namespace": "shop", "ownerReferences": [{"kind": "ReplicaSet", "name": "driver-5f", "apiVersion": "apps/v1"}]}}, True),
        ("/api/v1/namespaces/shop/pods/odd", {"metadata": {"name": "odd", "namespace": "shop"}}, False),
        ("/api/v1/persistentvolumes/p", {"metadata": {"name": "p"}, "spec": {"claimRef": {"namespace": "tools", "name": "c"}}}, True),
        ("/api/v1/persistentvolumes/p", {"metadata": {"name": "p"}, "spec": {"claimRef": {"namespace": "shop", "name": "c"}}}, False),
        ("/api/v1/namespaces/shop/pods/odd", {"kind": "Table", "metadata": {}, "rows": [{"object": {"metadata": {"name": "x", "namespace": "tools"}}}]}, True),
        ("/api/v1/namespaces/shop/pods/odd", {"kind": "Status", "metadata": {"name": "driver", "namespace": "tools"}}, False),
    ],
)  # fmt: skip
def test_an_object_is_hidden_by_what_it_belongs_to(
    path: str, obj: dict[str, Any], hidden: bool
) -> None:
    target = target_of(path)
    not_found_if_hidden = ENFORCED.not_found_if_hidden(json.dumps(obj).encode(), target)
    assert (not_found_if_hidden is not None) is hidden
    if not_found_if_hidden is not None:
        assert (
            json.loads(not_found_if_hidden)["message"]
            == f'{target.resource} "{target.name}" not found'
        )


def test_slices_lose_ends_that_are_hidden() -> None:
    def end(pod: str) -> dict[str, Any]:
        return {"addresses": ["10.0.0.1"], "targetRef": {"kind": "Pod", "namespace": "shop", "name": pod}}  # fmt: skip

    body = {"kind": "EndpointSlice", "metadata": {"name": "s", "namespace": "shop"}, "endpoints": [end("cart-5f-x"), end("driver-5f-x")]}  # fmt: skip
    target = target_of("/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/s")
    left = ENFORCED.redacted_body(json.dumps(body).encode(), target)
    assert left is not None
    assert json.loads(left) == {**body, "endpoints": [end("cart-5f-x")]}


def test_openapi_loses_hidden_groups() -> None:
    crd = ObjectRef(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition", name="things.ex.org")  # fmt: skip
    policy = Policy(lambda: [crd])
    kind = {"x-kubernetes-group-version-kind": [{"group": "ex.org", "kind": "Thing"}]}
    body = {"paths": {"/apis/ex.org/v1/things": {}, "/api/v1/": {}}, "definitions": {"org.ex.Thing": kind, "Pod": {}}}  # fmt: skip
    left = Enforcement(policy).redacted_body(json.dumps(body).encode(), target_of("/openapi/v2"))
    assert left is not None
    assert json.loads(left) == {"paths": {"/api/v1/": {}}, "definitions": {"Pod": {}}}
    left = Enforcement(policy).redacted_body(b'{"paths":["/api","/apis/ex.org"]}', target_of("/"))
    assert left is not None
    assert json.loads(left) == {"paths": ["/api"]}


def cluster() -> Cluster:
    made = MemoryCluster()
    made.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "tools"}})
    made.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    made.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "meddler", "namespace": "tools"}, "spec": {"clusterIP": "10.96.0.9"}})  # fmt: skip
    made.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "cart", "namespace": "shop"}, "spec": {"clusterIP": "None"}})  # fmt: skip
    return made


def test_words_of_hidden_things() -> None:
    words = {word for word in hidden_names(cluster(), ENFORCED.redaction) if "-" not in word}
    assert words == {"tools", "meddler", "10.96.0.9"}


@pytest.mark.parametrize(
    ("content", "left"),
    [
        (
            {"data": {"result": [{"metric": {"namespace": "tools"}, "value": [1, "2"]}, {"metric": {"namespace": "shop"}, "value": [1, "2"]}]}},
            {"data": {"result": [{"metric": {"namespace": "shop"}, "value": [1, "2"]}]}},
        ),
        ({"data": ["shop", "tools", "10.96.0.9:80"]}, {"data": ["shop"]}),
        ({"data": {"result": [{"stream": {"pod": "meddler"}, "values": []}]}}, {"data": {"result": []}}),
        ([{"labels": {"namespace": "tools"}}], []),
        (
            {"data": [{"traceID": "1", "spans": [], "processes": {"p1": {"serviceName": "x", "tags": [{"key": "host", "value": "meddler"}]}}}, {"traceID": "2", "spans": [], "processes": {}}]},
            {"data": [{"traceID": "2", "spans": [], "processes": {}}]},
        ),
        ({"data": [{"parent": "cart", "child": "meddler", "callCount": 3}]}, {"data": []}),
    ],
)  # fmt: skip
def test_telemetry_of_hidden_things_is_left_out(content: Any, left: Any) -> None:
    words = frozenset({"tools", "meddler", "10.96.0.9"})
    body, form = json.dumps(content).encode(), "application/json"
    assert json.loads(drop_hidden(body, form, words)) == left
    assert drop_hidden(body, form, frozenset({"else"})) is body
    assert drop_hidden(body, form, frozenset()) is body


def test_samples_as_text_lose_lines() -> None:
    text = b'# TYPE up gauge\nup{namespace="tools"} 1\nup{instance="10.96.0.9:80"} 1\nup{pod="cart"} 1\n'
    words = frozenset({"tools", "10.96.0.9"})
    assert (
        drop_hidden(text, "text/plain; version=0.0.4", words)
        == b'# TYPE up gauge\nup{pod="cart"} 1\n'
    )


def test_the_role_gives_nothing_away() -> None:
    objects = manifests(("shop", "load"))
    assert [(obj["kind"], obj["metadata"]) for obj in objects] == [
        ("ClusterRole", {"name": "on-call-cluster"}),
        ("ClusterRoleBinding", {"name": "on-call-cluster"}),
        ("ClusterRole", {"name": "on-call-application"}),
        ("ClusterRole", {"name": "on-call-system"}),
        ("RoleBinding", {"name": "on-call-system", "namespace": "kube-system"}),
        ("RoleBinding", {"name": "on-call-application", "namespace": "shop"}),
        ("RoleBinding", {"name": "on-call-application", "namespace": "load"}),
    ]
    rules = [rule for obj in objects for rule in obj.get("rules", ())]
    verbs = {verb for rule in rules for verb in rule["verbs"]}
    assert verbs == {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}  # fmt: skip
    wide = next(obj for obj in objects if obj["metadata"]["name"] == "on-call-cluster")["rules"]
    core = {name for rule in wide if "" in rule["apiGroups"] for name in rule["resources"]}
    assert core & {"secrets", "nodes/proxy", "pods/exec", "serviceaccounts/token", "*"} == set()
    assert not any("*" in rule["apiGroups"] for rule in wide)
    writes = [
        rule
        for rule in wide
        if rule["apiGroups"] == ["rbac.authorization.k8s.io"] and set(rule["verbs"]) - {"get", "list", "watch"}
    ]  # fmt: skip
    assert writes == []


def test_the_role_is_given_and_taken_away() -> None:
    made = cluster()
    grant(made, ("shop",))
    grant(made, ("shop",))
    refs = [ObjectRef.of(obj) for obj in manifests(("shop",))]
    assert [made.get(ref) is not None for ref in refs] == [True] * 6
    revoke(made, ("shop",))
    assert [made.get(ref) for ref in refs] == [None] * 6


def test_a_watch_that_is_answered_with_a_list() -> None:
    """Not every server watches when it is asked to."""
    target = target_of("/apis/metrics.k8s.io/v1beta1/pods?watch=true")
    shop = {"metadata": {"name": "cart-1-x", "namespace": "shop"}}
    items = [{"metadata": {"name": "spy", "namespace": "tools"}}, shop]

    def told(content: dict[str, Any]) -> bytes | None:
        return ENFORCED.redacted_event(json.dumps(content).encode(), target)

    listed = told({"kind": "PodMetricsList", "items": items})
    assert listed is not None
    assert json.loads(listed) == {"kind": "PodMetricsList", "items": [shop]}
    assert told({"kind": "PodMetricsList", "items": [shop]}) is None
    assert told({"kind": "PodMetrics", **items[0]}) == b""
    assert told({"kind": "Status", "message": "no watch here"}) is None


def test_a_cluster_that_hides_nothing_refuses_to_pretend() -> None:
    cluster, command = MemoryCluster(), Command(("kubectl", "version"))
    cluster.answers["kubectl version"] = CommandResult(0, "v1.37.1\n")
    assert cluster.kubectl_for(command, Policy()).stdout == "v1.37.1\n"
    with pytest.raises(ClusterError) as refused:
        cluster.kubectl_for(command, POLICY)
    assert (refused.value.status, str(refused.value)) == (
        0,
        "this kind of cluster cannot hide the tools of a fault from kubectl",
    )


class Plain(MemoryCluster):
    """As a kind of cluster that does not override what an agent observes."""

    observe_for = Cluster.observe_for


def test_a_cluster_that_hides_nothing_refuses_to_observe_for_an_agent() -> None:
    cluster = Plain()
    cluster.observed["prometheus"] = lambda _path, _query: ServiceAnswer(200, b"{}")
    assert cluster.observe_for(Policy(), "prometheus", "/api/v1/query").body == b"{}"
    with pytest.raises(ClusterError) as refused:
        cluster.observe_for(POLICY, "prometheus", "/api/v1/query")
    assert (refused.value.status, str(refused.value)) == (
        0,
        "this kind of cluster cannot hide the tools of a fault from its services",
    )
