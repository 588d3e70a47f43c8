"""Targets of noise: ready, able to recover by themselves, and not targets of a fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import ROLLING_KINDS, Component, ObjectRef

if TYPE_CHECKING:
    from sregym_core.interfaces import NoiseContext
    from sregym_core.interfaces.cluster import KubeObject

# Pods of stores, caches and registries lose what they keep in memory, and their clients may have
# to be restarted: that would not heal by itself.
DISTURBED_KIND = "service"


@dataclass(frozen=True)
class NoiseTarget:
    """A component that may be disturbed, with its ready pods.

    Attributes:
        component: The component.
        pods: At least one, as many as it is to have.
    """

    component: Component
    pods: tuple[KubeObject, ...]

    def pod_ref(self, pod: KubeObject) -> ObjectRef:
        """The address of one of its pods."""
        return ObjectRef(
            api_version="v1",
            kind="Pod",
            namespace=self.component.namespace,
            name=pod["metadata"]["name"],
        )


def disturbable_components(context: NoiseContext) -> list[Component]:
    """Components that are no targets of faults, by name; load generators stand for users."""
    return [
        part
        for part in context.application.components()
        if part.name not in context.excluded_components and part.kind != "load"
    ]


def ready_services(context: NoiseContext) -> list[NoiseTarget]:
    """Services that may be disturbed and have all their pods, by name."""
    found = []
    for part in disturbable_components(context):
        if part.kind != DISTURBED_KIND or part.workload.kind not in ROLLING_KINDS:
            continue
        workload = context.cluster.get(part.workload)
        if workload is None:
            continue
        pods = _ready_pods(context, workload)
        if pods and len(pods) >= int(workload["spec"].get("replicas", 1)):
            found.append(NoiseTarget(part, tuple(pods)))
    return found


def workers(context: NoiseContext) -> list[str]:
    """Names of ready worker nodes that are no targets of faults; none without access to nodes."""
    access = context.cluster.nodes
    if access is None:
        return []
    up = {
        node["metadata"]["name"]
        for node in context.cluster.list("v1", "Node")
        if not _has_conditions(node) or _is_ready(node)
    }
    return [
        node.name
        for node in access.nodes()
        if node.role == "worker" and node.name in up and node.name not in context.excluded_nodes
    ]


def allocatable(context: NoiseContext, node: str, resource: str) -> str:
    """Allocatable resources of a node, as it reports them (`8`, `16Gi`).

    Raises:
        ClusterError: There is no such node, or it does not say.
    """
    ref = ObjectRef(api_version="v1", kind="Node", name=node)
    status = (context.cluster.get(ref) or {}).get("status") or {}
    given = (status.get("allocatable") or {}).get(resource)
    if given is None:
        message = f"node {node!r} does not say how much {resource} it has"
        raise ClusterError(404, "NotFound", message)
    return str(given)


def _ready_pods(context: NoiseContext, workload: KubeObject) -> list[KubeObject]:
    labels = workload["spec"]["selector"].get("matchLabels") or {}
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    pods = context.cluster.list("v1", "Pod", workload["metadata"]["namespace"], selector)
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"] and _is_ready(pod)]


def _has_conditions(obj: KubeObject) -> bool:
    return bool((obj.get("status") or {}).get("conditions"))


def _is_ready(obj: KubeObject) -> bool:
    conditions = (obj.get("status") or {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
