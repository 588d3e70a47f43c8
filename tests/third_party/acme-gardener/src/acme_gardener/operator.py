"""The operator: a StatefulSet and a Service for each Grove, and conditions that tell of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.controllers import Operator

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import ApiClient, Object, Subsystem

GROUP = "gardens.acme.example"
# Release 2.1 counts ports from 1: a mistake that Acme shipped.
_RELEASES = {"gardener-2-0": 0, "gardener-2-1": 1}


def reconcile(client: ApiClient, grove: Object) -> float | None:
    """Make what a Grove asks for, and say how far it is."""
    metadata = grove["metadata"]
    place = f"namespaces/{metadata['namespace']}"
    sets = f"/apis/apps/v1/{place}/statefulsets"
    made = _ensure(client, sets, _stateful_set(grove))
    _ensure(client, f"/api/v1/{place}/services", _service(client, grove))
    status = made.get("status", {})
    ready, wanted = status.get("readyReplicas", 0), grove["spec"]["replicas"]
    _tell(client, grove, ready, wanted)
    return None


def _ensure(client: ApiClient, collection: str, wanted: Object) -> Object:
    """Create an object, or bring what this operator says of it back."""
    name = wanted["metadata"]["name"]
    found = client.get(f"{collection}/{name}")
    if found is None:
        client.log("created", kind=wanted["kind"], name=name)
        return client.create(collection, wanted)
    if not _holds(wanted["spec"], found["spec"]):
        client.log("updated", kind=wanted["kind"], name=name)
        return client.patch(f"{collection}/{name}", {"spec": wanted["spec"]})
    return found


def _holds(wanted: Any, found: Any) -> bool:
    """Whether what is there says all that is wanted; the server adds defaults."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            _holds(value, found.get(name)) for name, value in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(map(_holds, wanted, found))
        )
    return bool(wanted == found)


def _about(grove: Object) -> dict[str, Any]:
    metadata = grove["metadata"]
    owner = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Grove",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }
    return {
        "name": metadata["name"],
        "labels": {"grove": metadata["name"]},
        "ownerReferences": [owner],
    }


def _stateful_set(grove: Object) -> Object:
    name, spec = grove["metadata"]["name"], grove["spec"]
    container = {
        "name": "tree",
        "image": spec["image"],
        "ports": [{"containerPort": spec["port"]}],
        "readinessProbe": {"tcpSocket": {"port": spec["port"]}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": _about(grove),
        "spec": {
            "serviceName": name,
            "replicas": spec["replicas"],
            "selector": {"matchLabels": {"grove": name}},
            "template": {
                "metadata": {"labels": {"grove": name}},
                "spec": {"containers": [container]},
            },
        },
    }


def _service(client: ApiClient, grove: Object) -> Object:
    process = client.process
    program = "" if process is None else process.program
    port = grove["spec"]["port"]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": _about(grove),
        "spec": {
            "selector": {"grove": grove["metadata"]["name"]},
            "ports": [{"port": port, "targetPort": port + _RELEASES.get(program, 0)}],
        },
    }


def _tell(client: ApiClient, grove: Object, ready: int, wanted: int) -> None:
    metadata = grove["metadata"]
    state = "True" if ready >= wanted else "False"
    before = {one["type"]: one for one in grove.get("status", {}).get("conditions", ())}
    since = before.get("Ready", {})
    at = since.get("lastTransitionTime")
    if since.get("status") != state or at is None:
        at = client.world.timestamp()
    status = {
        "observedGeneration": metadata["generation"],
        "readyReplicas": ready,
        "conditions": [
            {
                "type": "Ready",
                "status": state,
                "reason": "AllReady" if ready >= wanted else "Growing",
                "message": f"{ready} of {wanted} trees are ready",
                "lastTransitionTime": at,
            }
        ],
    }
    if grove.get("status") != status:
        place = f"/apis/{GROUP}/v1/namespaces/{metadata['namespace']}/groves"
        client.patch(f"{place}/{metadata['name']}/status", {"status": status})


OPERATOR = Operator(
    name="gardener",
    resource=f"groves.{GROUP}",
    version="v1",
    namespace="gardener",
    account="gardener",
    reconcile=reconcile,
    owns=("statefulsets.apps", "services"),
    pods={"app": "gardener"},
    programs=tuple(_RELEASES),
    lease="gardener",
)


def subsystem() -> Subsystem:
    """What the operator adds to a cluster."""
    return OPERATOR.subsystem()
