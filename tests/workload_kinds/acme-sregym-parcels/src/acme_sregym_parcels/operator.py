"""The operator of ledgers: a StatefulSet for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.sdk.controllers import ApiClient, Operator

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.controllers import Subsystem

_IMAGE = "example.com/parcels/ledger:1.0"


def subsystem() -> Subsystem:
    """What it adds to a cluster."""
    return Operator(
        name="ledger-operator",
        resource="ledgers.acme.example",
        version="v1",
        namespace="parcels",
        account="ledger-operator",
        reconcile=reconcile,
        owns=("statefulsets.apps",),
        pods={"app": "ledger-operator"},
    ).subsystem()


def reconcile(client: ApiClient, ledger: Any) -> float | None:
    """Make the StatefulSet of a ledger, or make it as it has to be."""
    metadata = ledger["metadata"]
    path = f"/apis/apps/v1/namespaces/{metadata['namespace']}/statefulsets"
    name = f"{metadata['name']}-ledger"
    wanted = _specification(metadata["name"], ledger["spec"]["size"])
    found = client.get(f"{path}/{name}")
    if found is None:
        owner = {"apiVersion": "acme.example/v1", "kind": "Ledger", "controller": True}
        owner |= {"name": metadata["name"], "uid": metadata["uid"]}
        client.create(
            path, {"metadata": {"name": name, "ownerReferences": [owner]}, "spec": wanted}
        )
        return None
    container = found["spec"]["template"]["spec"]["containers"][0]
    if found["spec"]["replicas"] != wanted["replicas"] or container["image"] != _IMAGE:
        client.patch(f"{path}/{name}", {"spec": wanted})
    ready = {"ready": (found.get("status") or {}).get("readyReplicas", 0)}
    if ledger.get("status") != ready:
        ledgers = f"/apis/acme.example/v1/namespaces/{metadata['namespace']}/ledgers"
        client.patch(f"{ledgers}/{metadata['name']}/status", {"status": ready})
    return None


def _specification(name: str, size: int) -> dict[str, Any]:
    container = {
        "name": "ledger",
        "image": _IMAGE,
        "ports": [{"containerPort": 7000}],
        "readinessProbe": {"tcpSocket": {"port": 7000}},
    }
    labels = {"ledger": name}
    return {
        "replicas": size,
        "serviceName": "ledger",
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
    }
