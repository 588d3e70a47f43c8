"""What controllers say, and where, when admission refuses what they write."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.world import World

GROUP = "admissionregistration.k8s.io"
DENIED = "is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no"
BINDING = Key(f"validatingadmissionpolicybindings.{GROUP}", "", "p")


@cache
def _built() -> World:
    return build(Blueprint(seed=1))


@pytest.fixture
def world() -> World:
    return _built().fork(seed=2)


def deny(world: World, resource: str, *operations: str) -> None:
    rule = {
        "apiGroups": ["*"],
        "apiVersions": ["*"],
        "operations": list(operations) or ["*"],
        "resources": [resource],
        "scope": "*",
    }
    spec = {
        "matchConstraints": {
            "resourceRules": [rule],
            "namespaceSelector": {},
            "objectSelector": {},
        },
        "validations": [{"expression": "false", "message": "no"}],
    }
    name = f"validatingadmissionpolicies.{GROUP}"
    internal_client.create(world, name, {"metadata": {"name": "p"}, "spec": spec})
    bound = {"policyName": "p", "validationActions": ["Deny"]}
    internal_client.create(world, BINDING.resource, {"metadata": {"name": "p"}, "spec": bound})


def make(world: World, resource: str, spec: Any, namespace: str = "default") -> None:
    metadata = {"name": "web", "namespace": namespace}
    internal_client.create(world, resource, {"metadata": metadata, "spec": spec})


def deployment(world: World) -> None:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]},
    }
    selector = {"matchLabels": {"app": "web"}}
    make(world, "deployments.apps", {"replicas": 1, "selector": selector, "template": template})


def service(world: World, namespace: str = "default") -> None:
    make(world, "services", {"selector": {"app": "web"}, "ports": [{"port": 80}]}, namespace)


def run(world: World, seconds: float) -> None:
    world.run_until(world.now + seconds)


def warnings(world: World) -> dict[tuple[str, str], str]:
    """By kind and reason what was said."""
    return {
        (event["involvedObject"]["kind"], event["reason"]): event["message"]
        for event in world.store.list("events", "default")
        if event["type"] == "Warning"
    }


def conditions(obj: Object | None) -> dict[str, tuple[str, str, str]]:
    assert obj is not None
    return {
        entry["type"]: (entry["status"], entry["reason"], entry["message"])
        for entry in obj["status"].get("conditions", ())
    }


def test_a_deployment_whose_replica_set_is_refused_says_so_until_it_is_let(world: World) -> None:
    deny(world, "replicasets")
    deployment(world)
    run(world, 5)
    place = Key("deployments.apps", "default", "web")
    said = warnings(world)[("Deployment", "ReplicaSetCreateError")]
    name = said.split('"')[1]
    assert said == (
        f'Failed to create new replica set "{name}": replicasets.apps "{name}" {DENIED}'
    )
    progressing = conditions(world.store.get(place))["Progressing"]
    assert progressing == ("False", "ReplicaSetCreateError", said)
    internal_client.delete(world, BINDING)
    run(world, 20)
    assert conditions(world.store.get(place))["Progressing"][:2] == (
        "True",
        "NewReplicaSetAvailable",
    )


def test_slices_that_cannot_be_made_are_told_at_the_service(world: World) -> None:
    deny(world, "endpointslices", "CREATE")
    service(world)
    run(world, 1)
    said = warnings(world)[("Service", "FailedToUpdateEndpointSlices")]
    name = said.split('"')[1]
    where = "Service default/web"
    assert said == (
        f"Error updating Endpoint Slices for {where}: failed to create EndpointSlice for {where}: "
        f'endpointslices.discovery.k8s.io "{name}" {DENIED}'
    )
    # The other controller has not been hindered.
    assert world.store.get(Key("endpoints", "default", "web")) is not None


def test_slices_that_cannot_be_changed_are_named(world: World) -> None:
    service(world)
    run(world, 1)
    (piece,) = world.store.indexed("endpointslices.discovery.k8s.io", "service", "default/web")
    deny(world, "endpointslices", "UPDATE")
    deployment(world)
    run(world, 10)
    name, where = piece["metadata"]["name"], "Service default/web"
    assert warnings(world)[("Service", "FailedToUpdateEndpointSlices")] == (
        f"Error updating Endpoint Slices for {where}: failed to update {name} EndpointSlice for "
        f'{where}: endpointslices.discovery.k8s.io "{name}" {DENIED}'
    )


def test_endpoints_that_cannot_be_written_are_told(world: World) -> None:
    deny(world, "endpoints")
    service(world)
    run(world, 1)
    assert warnings(world)[("Endpoints", "FailedToCreateEndpoint")] == (
        f'Failed to create endpoint for service default/web: endpoints "web" {DENIED}'
    )
    internal_client.delete(world, BINDING)
    run(world, 5)
    internal_client.delete(world, Key(f"validatingadmissionpolicies.{GROUP}", "", "p"))
    deny(world, "endpoints")
    deployment(world)
    run(world, 10)
    assert warnings(world)[("Endpoints", "FailedToUpdateEndpoint")] == (
        f'Failed to update endpoint default/web: endpoints "web" {DENIED}'
    )


def test_a_namespace_says_what_cannot_be_deleted_of_it(world: World) -> None:
    internal_client.create(world, "namespaces", {"metadata": {"name": "old"}})
    run(world, 1)
    service(world, "old")
    run(world, 1)
    deny(world, "services", "DELETE")
    place = Key("namespaces", "", "old")
    internal_client.delete(world, place)
    run(world, 10)
    assert conditions(world.store.get(place))["NamespaceDeletionContentFailure"] == (
        "True",
        "ContentDeletionFailed",
        f'Failed to delete all resource types, 1 remaining: services "web" {DENIED}',
    )
    internal_client.delete(world, BINDING)
    run(world, 60)
    assert world.store.get(place) is None
