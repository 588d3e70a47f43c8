"""What becomes of a cluster whose kubelets and scheduler meet admission that refuses their writes."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.controllers.service_accounts import user_of
from sregym_cluster_embedded.node import heartbeats
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.world import World

GROUP = "admissionregistration.k8s.io"
HOOKS, POLICIES = f"validatingwebhookconfigurations.{GROUP}", f"validatingadmissionpolicies.{GROUP}"
WORDS = (
    'Internal error occurred: failed calling webhook "all.example.com": failed to call webhook: '
    'Post "https://gone.default.svc:443/v?timeout=10s": service "gone" not found'
)


@cache
def _built() -> World:
    world = build(Blueprint(seed=1))
    put_pod(world, "old")
    world.run_until(120.0)
    return world


@pytest.fixture
def world() -> World:
    return _built().fork(seed=2)


def put_pod(world: World, name: str, **spec: Any) -> None:
    container = {"name": "c", "image": "nginx:1.25"}
    metadata = {"name": name, "namespace": "default"}
    internal_client.create(
        world, "pods", {"metadata": metadata, "spec": {"containers": [container], **spec}}
    )


def hook(world: World, *resources: str, operations: str = "*") -> None:
    """A webhook behind a Service that is not there."""
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "operations": [operations],
        "resources": list(resources),
        "scope": "*",
    }
    entry = {
        "name": "all.example.com",
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 10,
        "clientConfig": {"service": {"name": "gone", "namespace": "default", "path": "/v"}},
        "rules": [rule],
    }
    internal_client.create(world, HOOKS, {"metadata": {"name": "all"}, "webhooks": [entry]})


def unhook(world: World) -> None:
    internal_client.delete(world, Key(HOOKS, "", "all"))


def policy(world: World, expression: str, *resources: str) -> None:
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "operations": ["*"],
        "resources": list(resources),
        "scope": "*",
    }
    constraints = {"resourceRules": [rule], "namespaceSelector": {}, "objectSelector": {}}
    spec = {"matchConstraints": constraints, "validations": [{"expression": expression}]}
    internal_client.create(world, POLICIES, {"metadata": {"name": "p"}, "spec": spec})
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    name = f"validatingadmissionpolicybindings.{GROUP}"
    internal_client.create(world, name, {"metadata": {"name": "p"}, "spec": bound})


def run(world: World, seconds: float) -> None:
    world.run_until(world.now + seconds)


def pod(world: World, name: str) -> Object | None:
    return world.store.get(Key("pods", "default", name))


def phase(world: World, name: str) -> str:
    found = pod(world, name)
    return "gone" if found is None else str(found["status"]["phase"])


def said(world: World, reason: str) -> list[tuple[str, int]]:
    return [
        (event["message"], event["count"])
        for event in world.store.list("events", "default")
        if event["reason"] == reason
    ]


def ready(world: World, node: str) -> str:
    found = world.store.get(Key("nodes", "", node))
    assert found is not None
    return str(next(c["status"] for c in found["status"]["conditions"] if c["type"] == "Ready"))


def pod_ready(world: World, name: str) -> str:
    found = pod(world, name)
    assert found is not None
    return str(next(c["status"] for c in found["status"]["conditions"] if c["type"] == "Ready"))


def turns(world: World, node: str, seconds: int) -> list[tuple[int, str]]:
    """After how many seconds the readiness of a node changed, and to what."""
    began, seen, last = world.now, [], ready(world, node)
    for second in range(1, seconds + 1):
        world.run_until(began + second)
        now = ready(world, node)
        if now != last:
            seen.append((second, now))
            last = now
    return seen


def test_a_binding_that_is_refused_is_told_and_tried_again_ever_later(world: World) -> None:
    hook(world, "pods/binding")
    put_pod(world, "new")
    run(world, 30)
    why = f'running Bind plugin "DefaultBinder": {WORDS}'
    # At once, and after 1, 2, 4, 8 and 10 seconds.
    assert said(world, "FailedScheduling") == [(why, 6)]
    found = pod(world, "new")
    assert found is not None
    (condition,) = found["status"]["conditions"]
    assert (condition["status"], condition["reason"], condition["message"]) == (
        "False",
        "SchedulerError",
        why,
    )
    unhook(world)
    run(world, 15)
    assert phase(world, "new") == "Running"
    assert world.table("scheduler.refusals") == {}


def test_the_scheduler_is_asked_for_by_its_name(world: World) -> None:
    policy(world, "request.userInfo.username != 'system:kube-scheduler'", "pods/binding")
    put_pod(world, "new")
    run(world, 3)
    assert [text for text, _ in said(world, "FailedScheduling")] == [
        'running Bind plugin "DefaultBinder": pods "new" is forbidden: ValidatingAdmissionPolicy '
        "'p' with binding 'p' denied request: failed expression: "
        "request.userInfo.username != 'system:kube-scheduler'"
    ]


def test_a_status_that_is_refused_is_written_later(world: World) -> None:
    hook(world, "pods/status")
    put_pod(world, "new", nodeName="node1")
    run(world, 60)
    assert phase(world, "new") == "Pending"
    assert [text for text, _ in said(world, "Started")] == ["Container started"] * 2
    unhook(world)
    run(world, 10)
    assert phase(world, "new") == "Running"


def test_a_kubelet_that_may_not_delete_keeps_its_pod_in_the_api(world: World) -> None:
    hook(world, "pods", operations="DELETE")
    internal_client.delete(world, Key("pods", "default", "old"))
    run(world, 60)
    assert phase(world, "old") == "Succeeded"
    unhook(world)
    run(world, 12)
    assert phase(world, "old") == "gone"


def test_the_deletion_of_a_kubelet_names_it_and_what_it_deletes(world: World) -> None:
    found = pod(world, "old")
    assert found is not None
    node, uid = found["spec"]["nodeName"], found["metadata"]["uid"]
    expression = (
        "request.operation != 'DELETE' || !(request.options.gracePeriodSeconds == 0 && "
        f"request.options.preconditions.uid == '{uid}' && "
        f"request.userInfo.username == 'system:node:{node}' && "
        "'system:nodes' in request.userInfo.groups)"
    )
    policy(world, expression, "pods")
    internal_client.delete(world, Key("pods", "default", "old"))
    run(world, 60)
    assert phase(world, "old") == "Succeeded"


def test_a_pod_that_its_kubelet_refuses_stays_pending_while_it_may_not_say_so(world: World) -> None:
    hook(world, "pods/status")
    put_pod(world, "new", nodeName="node1", nodeSelector={"disk": "ssd"})
    run(world, 40)
    assert phase(world, "new") == "Pending"
    assert [count for _, count in said(world, "NodeAffinity")] == [1]
    unhook(world)
    run(world, 12)
    assert phase(world, "new") == "Failed"
    assert said(world, "Started") == [("Container started", 1)]


def test_a_pod_without_a_token_does_not_start(world: World) -> None:
    hook(world, "serviceaccounts/token")
    put_pod(world, "new", nodeName="node1")
    run(world, 5)
    found = pod(world, "new")
    assert found is not None
    (volume,) = [entry["name"] for entry in found["spec"]["volumes"]]
    words = f'MountVolume.SetUp failed for volume "{volume}" : failed to fetch token: {WORDS}'
    assert {text for text, _ in said(world, "FailedMount")} == {words}
    assert phase(world, "new") == "Pending"
    unhook(world)
    run(world, 20)
    assert phase(world, "new") == "Running"


def test_events_that_are_refused_are_lost(world: World) -> None:
    hook(world, "events")
    put_pod(world, "new")
    run(world, 10)
    unhook(world)
    run(world, 10)
    assert phase(world, "new") == "Running"
    assert [text for text, _ in said(world, "Started")] == ["Container started"]


def test_a_node_whose_lease_cannot_be_renewed_is_lost_and_found_again(world: World) -> None:
    hook(world, "leases")
    before = heartbeats.last_renewal(world, "node1")
    changes = turns(world, "node1", 130)
    assert [status for _, status in changes] == ["Unknown", "True", "Unknown", "True"]
    lost, found, again, _ = (second for second, _ in changes)
    # The kubelet reports within ten seconds of being called lost; that counts as a sign of life.
    assert 39 <= lost <= 56
    assert found - lost <= 11
    assert 50 <= again - found <= 56
    lease = Key("leases.coordination.k8s.io", "kube-node-lease", "node1")
    stored = world.store.get(lease)
    assert stored is not None
    shown = heartbeats.with_renewed_heartbeat(world, lease.resource, stored)
    assert shown["spec"]["renewTime"] == world.micro_timestamp(before)
    unhook(world)
    assert [status for _, status in turns(world, "node1", 130)] in ([], ["True"])
    assert heartbeats.last_renewal(world, "node1") > world.now - 10.0


def test_a_node_about_which_nobody_may_write_stays_as_it_was(world: World) -> None:
    hook(world, "*/*")
    assert turns(world, "node1", 200) == []
    node = world.store.get(Key("nodes", "", "node1"))
    assert node is not None
    unhook(world)
    assert [status for _, status in turns(world, "node1", 130)] in ([], ["Unknown", "True"])


def test_a_report_that_is_refused_shows_in_the_last_heartbeat(world: World) -> None:
    hook(world, "nodes/status")
    last_at = heartbeats.last_sign(world, "node1", heartbeats.STATUS)
    run(world, 650)
    refused_at = heartbeats.last_sign(world, "node1", heartbeats.STATUS)
    assert refused_at in (last_at, last_at + 300.0)
    assert ready(world, "node1") == "True"
    unhook(world)
    run(world, 20)
    assert heartbeats.last_sign(world, "node1", heartbeats.STATUS) > refused_at


def test_nothing_is_planned_for_policies_about_other_things(world: World) -> None:
    policy(world, "true", "configmaps")
    run(world, 25)
    assert world.table("node.signs") == {}


def test_what_is_refused_is_the_same_in_a_fork(world: World) -> None:
    hook(world, "*")
    internal_client.delete(world, Key("pods", "default", "old"))
    run(world, 30)
    twin = world.fork()
    run(world, 100)
    run(twin, 100)
    assert twin.digest() == world.digest()


def test_controllers_write_under_their_accounts(world: World) -> None:
    account = world.store.get(Key("serviceaccounts", "kube-system", "replicaset-controller"))
    assert account is not None
    user = user_of(world, "controllers.replicaset")
    assert (user.name, user.groups, user.uid) == (
        "system:serviceaccount:kube-system:replicaset-controller",
        ("system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"),
        account["metadata"]["uid"],
    )
    policy(world, "!request.userInfo.username.endsWith(':replicaset-controller')", "pods")
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    head = {"metadata": {"name": "web", "namespace": "default"}}
    internal_client.create(world, "replicasets.apps", {**head, "spec": spec})
    run(world, 5)
    assert said(world, "FailedCreate") != []
    assert [entry["metadata"]["name"] for entry in world.store.list("pods", "default")] == ["old"]


def test_pods_of_a_lost_node_are_ready_again_while_its_kubelet_lives(world: World) -> None:
    put_pod(world, "new", nodeName="node1")
    run(world, 5)
    hook(world, "leases")
    assert [status for _, status in turns(world, "node1", 65)] == ["Unknown", "True"]
    run(world, 10)  # a turn of the status loop
    assert pod_ready(world, "new") == "True"
    assert ("Node is not ready", 1) in said(world, "NodeNotReady")
