"""Admission of what controllers change and delete."""

from __future__ import annotations

import pytest
from sregym_cluster_embedded.api import dynamic, internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key

GROUP = "admissionregistration.k8s.io"
SERVICE = {
    "metadata": {"name": "s", "namespace": "shop"},
    "spec": {
        "ports": [{"port": 80, "targetPort": 80, "protocol": "TCP"}],
        "clusterIP": "10.96.0.7",
    },
}
PLACE = Key("services", "shop", "s")


def forbid(world, expression, *resources, kind="Validating", **spec):
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "operations": ["UPDATE"] if kind == "Mutating" else ["UPDATE", "DELETE"],
        "resources": list(resources),
        "scope": "*",
    }
    constraints = {"resourceRules": [rule], "namespaceSelector": {}, "objectSelector": {}}
    body = {"matchConstraints": constraints, **spec}
    if expression:
        body["validations"] = [{"expression": expression}]
    name = {"metadata": {"name": "p"}}
    internal_client.create(
        world, f"{kind.lower()}admissionpolicies.{GROUP}", {**name, "spec": body}
    )
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    internal_client.create(
        world, f"{kind.lower()}admissionpolicybindings.{GROUP}", {**name, "spec": bound}
    )


def test_a_status_is_a_request_of_its_own(world):
    made = internal_client.create(world, "services", SERVICE)
    forbid(
        world, "request.userInfo.username != 'system:kube-controller-manager'", "services/status"
    )
    labelled = {**made, "metadata": {**made["metadata"], "labels": {"a": "b"}}}
    busy = {"loadBalancer": {"ingress": [{"ip": "10.0.0.9"}]}}
    with dynamic.dynamic_admission(world):
        changed = internal_client.update(world, "services", labelled)
        with pytest.raises(ApiError):
            internal_client.update_status(world, PLACE, busy)
        with pytest.raises(ApiError):
            internal_client.update(world, "services", {**changed, "status": busy})
    assert world.store.get(PLACE) == changed
    assert changed["metadata"]["labels"] == {"a": "b"}


def test_what_a_controller_writes_is_changed_by_a_mutating_policy(world):
    internal_client.create(world, "services", SERVICE)
    patch = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'by': 'policy'}}]"
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": patch}}
    forbid(world, "", "services", kind="Mutating", mutations=[mutation])
    with dynamic.dynamic_admission(world):
        changed = internal_client.annotate(world, PLACE, {"a": "1"})
    assert changed["metadata"]["labels"] == {"by": "policy"}


def test_a_namespace_ends_by_a_request_of_its_own(world):
    forbid(world, "request.operation == 'DELETE'", "namespaces")
    internal_client.delete(world, Key("namespaces", "", "shop"))
    with dynamic.dynamic_admission(world):
        place = world.store.get(Key("namespaces", "", "shop"))
        internal_client.update(world, "namespaces", {**place, "spec": {"finalizers": []}})
    assert world.store.get(Key("namespaces", "", "shop")) is None


def test_a_replica_set_that_may_not_delete_says_so_and_tries_again():
    world = build(Blueprint())
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    head = {"metadata": {"name": "web", "namespace": "default"}}
    internal_client.create(world, "replicasets.apps", {**head, "spec": spec})
    world.run_until(world.now + 20)
    forbid(world, "request.operation != 'DELETE'", "pods")
    place = Key("replicasets.apps", "default", "web")
    stored = world.store.get(place)
    fewer = {**stored, "spec": {**stored["spec"], "replicas": 1}}
    internal_client.update(world, "replicasets.apps", fewer)
    world.run_until(world.now + 5)
    pods = sorted(pod["metadata"]["name"] for pod in world.store.list("pods", "default"))
    assert len(pods) == 2
    (condition,) = world.store.get(place)["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("ReplicaFailure", "FailedDelete")
    why = (
        "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: "
        "request.operation != 'DELETE'"
    )
    refused = {f'pods "{name}" is forbidden: {why}' for name in pods}
    assert condition["message"] in refused
    said = {
        event["message"]
        for event in world.store.list("events", "default")
        if event["reason"] == "FailedDelete"
    }
    assert said <= {f"Error deleting: {text}" for text in refused}
    assert said
    internal_client.delete(world, Key(f"validatingadmissionpolicybindings.{GROUP}", "", "p"))
    world.run_until(world.now + 60)
    assert len(list(world.store.list("pods", "default"))) == 1
    assert "conditions" not in world.store.get(place)["status"]
