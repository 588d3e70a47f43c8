"""The headers by which answers tell to which flow their requests belong."""

from __future__ import annotations

from functools import cache

import pytest
from sregym_cluster_embedded.api import flowcontrol, internal_client
from sregym_cluster_embedded.api.request import Request, Response, User, Watch
from sregym_cluster_embedded.api.server import served
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key

KNOWN = "system:authenticated"
ADMIN = User()
NODE = User("system:node:node1", ("system:nodes", KNOWN))
MANAGER = User("system:kube-controller-manager", (KNOWN,))
ACCOUNT = User(
    "system:serviceaccount:shop:app",
    ("system:serviceaccounts", "system:serviceaccounts:shop", KNOWN),
)
OWN = User("system:serviceaccount:kube-system:job-controller", ("system:serviceaccounts", KNOWN))
JANE = User("jane", (KNOWN,))
NOBODY = User("system:anonymous", ("system:unauthenticated",))
PODS = "/api/v1/namespaces/default/pods"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


@cache
def _built():
    return build(Blueprint(seed=1))


@pytest.fixture
def world():
    return _built().fork()


def flow(world, user, path, method="GET", **query):
    """Names of the schema and the level that the headers of an answer name."""
    told = flowcontrol.headers(world, Request(method, path, tuple(query.items()), user=user))
    names = {
        obj["metadata"]["uid"]: obj["metadata"]["name"]
        for resource in (flowcontrol.SCHEMAS, flowcontrol.LEVELS)
        for obj in world.store.list(resource, "")
    }
    return [names[told[head]] for head in sorted(told)]


@pytest.mark.parametrize(
    ("user", "path", "expected"),
    [
        (ADMIN, PODS, ["exempt", "exempt"]),
        (NOBODY, "/healthz", ["probes", "exempt"]),
        (NOBODY, "/version", ["global-default", "global-default"]),
        (NODE, PODS, ["system-nodes", "system"]),
        (NODE, "/api/v1/nodes/node1/status", ["system-node-high", "node-high"]),
        (MANAGER, PODS, ["kube-controller-manager", "workload-high"]),
        (MANAGER, f"{LEASES}/x", ["system-leader-election", "leader-election"]),
        (OWN, PODS, ["kube-system-service-accounts", "workload-high"]),
        (ACCOUNT, PODS, ["service-accounts", "workload-low"]),
        (JANE, PODS, ["global-default", "global-default"]),
        (JANE, f"{PODS}/p/log", []),
        (JANE, f"{PODS}/p/exec", []),
    ],
)
def test_requests_belong_to_the_first_schema_that_fits(world, user, path, expected):
    assert flow(world, user, path) == expected


def test_a_schema_of_ones_own_counts_unless_its_level_is_missing(world):
    rule = {
        "subjects": [{"kind": "User", "user": {"name": "jane"}}],
        "resourceRules": [
            {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"], "namespaces": ["default"]}
        ],
    }
    for name, level in (("a", "nowhere"), ("b", "workload-low")):
        spec = {"priorityLevelConfiguration": {"name": level}, "matchingPrecedence": 50}
        spec["rules"] = [rule]
        internal_client.create(
            world, flowcontrol.SCHEMAS, {"metadata": {"name": name}, "spec": spec}
        )
    assert flow(world, JANE, PODS) == ["b", "workload-low"]
    assert flow(world, JANE, f"{PODS}/p") == ["global-default", "global-default"]
    assert flow(world, JANE, "/api/v1/pods") == ["global-default", "global-default"]


def test_answers_refusals_and_watches_carry_them(world):
    def uids(schema, level):
        return {
            "X-Kubernetes-Pf-Flowschema-Uid": uid(world, flowcontrol.SCHEMAS, schema),
            "X-Kubernetes-Pf-Prioritylevel-Uid": uid(world, flowcontrol.LEVELS, level),
        }

    found = served(world, Request("GET", PODS))
    assert isinstance(found, Response)
    assert (found.status, found.headers) == (200, uids("exempt", "exempt"))
    missing = served(world, Request("GET", f"{PODS}/none"))
    assert isinstance(missing, Response)
    assert (missing.status, missing.headers) == (404, uids("exempt", "exempt"))
    refused = served(world, Request("GET", PODS, user=JANE))
    assert isinstance(refused, Response)
    assert (refused.status, refused.headers) == (
        403,
        {**uids("global-default", "global-default"), "X-Content-Type-Options": "nosniff"},
    )
    watch = served(world, Request("GET", PODS, (("watch", "1"),)))
    assert isinstance(watch, Watch)
    assert watch.headers == uids("exempt", "exempt")
    stranger = served(world, Request("GET", PODS, headers={"authorization": "Bearer x"}))
    assert isinstance(stranger, Response)
    assert (stranger.status, stranger.headers) == (401, {})


def test_what_is_text_says_so(world):
    for path in ("/nowhere", "/healthz"):
        found = served(world, Request("GET", path))
        assert isinstance(found, Response)
        assert found.headers["X-Content-Type-Options"] == "nosniff"


def uid(world, resource, name):
    found = world.store.get(Key(resource, "", name))
    assert found is not None
    return found["metadata"]["uid"]
