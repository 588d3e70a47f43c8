"""What users may do who are no administrators, and in which words they are refused."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.access.impersonation import SEPARATOR
from sregym_cluster_embedded.api.request import Request, Response, User
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.world import World

RBAC = "rbac.authorization.k8s.io"
ANN = User("ann", ("devs", "system:authenticated"))
PODS = "/api/v1/namespaces/shop/pods"


def ask(
    world: World,
    method: str,
    path: str,
    body: Any = None,
    user: User = ANN,
    headers: dict[str, str] | None = None,
    **query: str,
) -> dict[str, Any]:
    data = b"" if body is None else orjson.dumps(body)
    sent = {"content-type": "application/json", **(headers or {})}
    answer = handle(world, Request(method, path, tuple(query.items()), sent, data, user))
    assert isinstance(answer, Response)
    found: dict[str, Any] = orjson.loads(answer.body)
    return found


def role(world: World, name: str, *rules: dict[str, Any], namespace: str = "shop") -> None:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    kind = "roles" if namespace else "clusterroles"
    internal_client.create(world, f"{kind}.{RBAC}", {"metadata": metadata, "rules": list(rules)})


def bind(
    world: World,
    name: str,
    *,
    kind: str = "Role",
    namespace: str = "shop",
    whom: dict[str, str] | None = None,
) -> None:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    internal_client.create(
        world,
        f"{'rolebindings' if namespace else 'clusterrolebindings'}.{RBAC}",
        {
            "metadata": metadata,
            "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
            "subjects": [whom or {"apiGroup": RBAC, "kind": "User", "name": "ann"}],
        },
    )


def rule(verbs: str, resources: str, group: str = "", names: str = "") -> dict[str, Any]:
    found = {"verbs": verbs.split(), "apiGroups": [group], "resources": resources.split()}
    return {**found, "resourceNames": names.split()} if names else found


REFUSALS = [
    ("GET", PODS, {}, 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the namespace "shop"'),
    ("GET", "/api/v1/pods", {}, 'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope'),
    ("GET", PODS, {"watch": "true"}, 'pods is forbidden: User "ann" cannot watch resource "pods" in API group "" in the namespace "shop"'),
    ("GET", PODS, {"watch": "1", "fieldSelector": "metadata.name=a"}, 'pods "a" is forbidden: User "ann" cannot watch resource "pods" in API group "" in the namespace "shop"'),
    ("GET", f"{PODS}/a/log", {}, 'pods "a" is forbidden: User "ann" cannot get resource "pods/log" in API group "" in the namespace "shop"'),
    ("POST", f"{PODS}/a/exec", {}, 'pods "a" is forbidden: User "ann" cannot create resource "pods/exec" in API group "" in the namespace "shop"'),
    ("PATCH", "/apis/apps/v1/namespaces/shop/deployments/web/scale", {}, 'deployments.apps "web" is forbidden: User "ann" cannot patch resource "deployments/scale" in API group "apps" in the namespace "shop"'),
    ("DELETE", PODS, {}, 'pods is forbidden: User "ann" cannot deletecollection resource "pods" in API group "" in the namespace "shop"'),
    ("GET", "/api/v1/namespaces/shop", {}, 'namespaces "shop" is forbidden: User "ann" cannot get resource "namespaces" in API group "" in the namespace "shop"'),
    ("PUT", "/api/v1/nodes/node1/status", {}, 'nodes "node1" is forbidden: User "ann" cannot update resource "nodes/status" in API group "" at the cluster scope'),
    ("GET", "/apis/none.io/v1/widgets", {}, 'widgets.none.io is forbidden: User "ann" cannot list resource "widgets" in API group "none.io" at the cluster scope'),
    ("GET", "/metrics", {}, 'forbidden: User "ann" cannot get path "/metrics"'),
    ("POST", "/metrics", {}, 'forbidden: User "ann" cannot post path "/metrics"'),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path", "query", "text"), REFUSALS)
def test_what_nobody_gave_is_refused(
    world: World, method: str, path: str, query: dict[str, str], text: str
) -> None:
    status = ask(world, method, path, **query)
    assert (status["code"], status["reason"], status["message"]) == (403, "Forbidden", text)


def test_a_refusal_says_of_what(world: World) -> None:
    status = ask(world, "GET", "/apis/apps/v1/namespaces/shop/deployments/web")
    assert status["details"] == {"name": "web", "group": "apps", "kind": "deployments"}


def test_a_role_counts_in_its_namespace(world: World) -> None:
    role(world, "reader", rule("get list", "pods"))
    bind(world, "reader")
    assert ask(world, "GET", PODS)["kind"] == "PodList"
    other = ask(world, "GET", "/api/v1/namespaces/default/pods")
    assert other["message"] == (
        'pods is forbidden: User "ann" cannot list resource "pods" in API group "" '
        'in the namespace "default"'
    )


@pytest.mark.parametrize(
    ("given", "path", "allowed"),
    [
        (rule("*", "*", "*"), f"{PODS}/a/log", True),
        (rule("get", "pods/*"), f"{PODS}/a/log", False),
        (rule("get", "*/log"), f"{PODS}/a/log", True),
        (rule("get", "pods"), f"{PODS}/a/log", False),
        (rule("get", "pods/log"), f"{PODS}/a/log", True),
        (rule("get", "pods", names="b c"), f"{PODS}/a", False),
        (rule("get", "pods", names="b a"), f"{PODS}/a", True),
        (rule("list", "pods", names="a"), PODS, False),
        (rule("get", "pods", "apps"), f"{PODS}/a", False),
    ],
)
def test_rules(world: World, given: dict[str, Any], path: str, allowed: bool) -> None:
    role(world, "some", given)
    bind(world, "some")
    # What is allowed is looked for, and there is no such pod.
    wanted = "NotFound" if allowed else "Forbidden"
    assert ask(world, "GET", path)["reason"] == wanted


_HEALTH = ("/healthz", "/livez", "/livez/etcd", "/readyz")


def test_paths_with_a_star(world: World) -> None:
    role(world, "ops", {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/livez*"]}, namespace="")
    bind(world, "ops", kind="ClusterRole", namespace="")
    answers = [handle(world, Request("GET", path, user=ANN)) for path in _HEALTH]
    codes = [answer.status for answer in answers if isinstance(answer, Response)]
    assert codes == [200, 200, 200, 403]


def test_groups_and_accounts_have_roles(world: World) -> None:
    role(world, "reader", rule("list", "pods"))
    bind(world, "reader", whom={"apiGroup": RBAC, "kind": "Group", "name": "devs"})
    assert ask(world, "GET", PODS)["kind"] == "PodList"
    bot = User("system:serviceaccount:shop:bot", ("system:serviceaccounts",))
    assert ask(world, "GET", PODS, user=bot)["code"] == 403
    role(world, "reader2", rule("list", "pods"))
    bind(world, "reader2", whom={"kind": "ServiceAccount", "name": "bot"})
    assert ask(world, "GET", PODS, user=bot)["kind"] == "PodList"


def test_a_binding_to_no_role_is_complained_of(world: World) -> None:
    bind(world, "ghost", kind="ClusterRole")
    bind(world, "gone")
    assert ask(world, "GET", PODS)["message"] == (
        'pods is forbidden: User "ann" cannot list resource "pods" in API group "" in the '
        f'namespace "shop": RBAC: [clusterrole.{RBAC} "ghost" not found, role.{RBAC} "gone" not found]'
    )


def test_administrators_may_act_as_others(world: World) -> None:
    asked = {"impersonate-user": "bob", "impersonate-group": SEPARATOR.join(("a", "b"))}
    asked |= {"impersonate-uid": "7", "impersonate-extra-example.com%2fscopes": "x"}
    review = ask(
        world,
        "POST",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {"kind": "SelfSubjectReview"},
        User(),
        asked,
    )
    # Nobody bound the group of all users here: the review is refused in bob's name.
    assert review["message"] == (
        'selfsubjectreviews.authentication.k8s.io is forbidden: User "bob" cannot create resource '
        '"selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope'
    )
    bind(world, "reviews", kind="ClusterRole", namespace="", whom={
        "apiGroup": RBAC, "kind": "Group", "name": "system:authenticated",
    })  # fmt: skip
    role(world, "reviews", rule("create", "*", "authentication.k8s.io"), namespace="")
    review = ask(
        world,
        "POST",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {"kind": "SelfSubjectReview"},
        User(),
        asked,
    )
    assert review["status"]["userInfo"] == {
        "username": "bob",
        "uid": "7",
        "groups": ["a", "b", "system:authenticated"],
        "extra": {"example.com/scopes": ["x"]},
    }


@pytest.mark.parametrize(
    ("headers", "text"),
    [
        (
            {"impersonate-user": "bob"},
            'users "bob" is forbidden: User "ann" cannot impersonate resource "users" in API group '
            '"" at the cluster scope',
        ),
        (
            {"impersonate-user": "system:serviceaccount:shop:bot"},
            'serviceaccounts "bot" is forbidden: User "ann" cannot impersonate resource '
            '"serviceaccounts" in API group "" in the namespace "shop"',
        ),
    ],
)
def test_others_may_not(world: World, headers: dict[str, str], text: str) -> None:
    assert ask(world, "GET", PODS, headers=headers)["message"] == text


def test_groups_without_a_user_are_no_identity(world: World) -> None:
    status = ask(world, "GET", PODS, user=User(), headers={"impersonate-group": "a"})
    assert (status["code"], status["message"]) == (
        400,
        "requested groups, uid or extra without impersonating a user name",
    )


def test_nobody_gives_more_than_they_have(world: World) -> None:
    role(world, "owner", rule("create update", "roles rolebindings", RBAC), rule("get", "pods"))
    bind(world, "owner")
    path = f"/apis/{RBAC}/v1/namespaces/shop"
    more = {
        "metadata": {"name": "more"},
        "rules": [rule("get list", "pods services"), rule("get", "secrets", names="a")],
    }
    refused = ask(world, "POST", f"{path}/roles", more)
    held = 'user "ann" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held'
    assert refused["message"] == (
        f'roles.{RBAC} "more" is forbidden: {held}:\n'
        '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}\n'
        '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}\n'
        '{APIGroups:[""], Resources:["services"], Verbs:["get" "list"]}'
    )
    less = {"metadata": {"name": "less"}, "rules": [rule("get", "pods", names="a")]}
    assert ask(world, "POST", f"{path}/roles", less)["kind"] == "Role"
    role(world, "wide", rule("*", "*", "*"), namespace="")
    binding = {
        "metadata": {"name": "b"},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": "wide"},
    }
    assert ask(world, "POST", f"{path}/rolebindings", binding)["message"] == (
        f'rolebindings.{RBAC} "b" is forbidden: {held}:\n'
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}'
    )
    binding["roleRef"]["name"] = "none"
    missing = ask(world, "POST", f"{path}/rolebindings", binding)
    assert (missing["code"], missing["message"]) == (404, f'clusterrole.{RBAC} "none" not found')


def test_who_may_bind_or_escalate_may(world: World) -> None:
    role(world, "owner", rule("create escalate bind", "roles rolebindings clusterroles", RBAC))
    bind(world, "owner")
    role(world, "wide", rule("*", "*", "*"), namespace="")
    path = f"/apis/{RBAC}/v1/namespaces/shop"
    more = {"metadata": {"name": "more"}, "rules": [rule("*", "*", "*")]}
    reference = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "wide"}
    assert ask(world, "POST", f"{path}/roles", more)["kind"] == "Role"
    made = ask(
        world, "POST", f"{path}/rolebindings", {"metadata": {"name": "b"}, "roleRef": reference}
    )
    assert made["kind"] == "RoleBinding"


def test_a_stream_over_websockets_has_to_be_allowed_like_one_that_is_created(world: World) -> None:
    role(world, "getter", rule("get", "pods/exec"))
    bind(world, "getter")
    path = f"{PODS}/a/exec"
    assert ask(world, "GET", path)["reason"] == "NotFound"
    refused = ask(world, "GET", path, headers={"upgrade": "websocket"})
    assert refused["message"] == (
        'pods "a" is forbidden: User "ann" cannot create resource "pods/exec" in API group "" '
        'in the namespace "shop"'
    )
