"""Kubectl's JSON answers as data, for agents that act by rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sregym_core.interfaces import Session


def items(session: Session, resource: str, namespace: str) -> list[dict[str, Any]]:
    """All objects of a resource in a namespace; empty when kubectl fails."""
    result = session.kubectl(f"kubectl get {resource} -n {namespace} -o json")
    if not result.ok:
        return []
    found: list[dict[str, Any]] = json.loads(result.stdout).get("items", [])
    return found


def unready_deployments(session: Session, namespace: str) -> list[str]:
    """Names of Deployments with fewer ready replicas than desired, or with none desired."""
    names = []
    for deployment in items(session, "deployments", namespace):
        desired = deployment["spec"].get("replicas", 1)
        ready = deployment.get("status", {}).get("readyReplicas", 0)
        if ready < desired or desired == 0:
            names.append(deployment["metadata"]["name"])
    return names
