"""A Service that serves callers on the nodes of its own pods alone, and a caller on another node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import Check, Component, FailureMode, pod_spec
from sregym_injectors.component_fault import not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.manifests import manifest_of
from sregym_injectors.pods import is_ready, not_terminating, pods_of
from sregym_injectors.service_edit import ServiceChange, ServiceEditFault
from sregym_injectors.service_fault import service_of
from sregym_injectors.service_state import service_defects
from sregym_injectors.workloads import roll_out
from typing_extensions import override

from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, FaultContext
    from sregym_core.model import ObjectRef

_EXPECTED = "the Service serves its callers on whatever node they are"


class TrafficPolicy(ServiceEditFault):
    """Sets internalTrafficPolicy to Local, and keeps a caller off the nodes of the component."""

    name: ClassVar[str] = "traffic-policy"
    title: ClassVar[str] = "Service serves callers on the nodes of its own pods alone"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    layer: ClassVar[str] = "network"
    mechanism: ClassVar[str] = "internal-traffic-policy-local"
    phrases: ClassVar[tuple[str, ...]] = (
        "internalTrafficPolicy is Local",
        "internal traffic policy Local",
        "wrong internalTrafficPolicy",
        "traffic policy only allows node-local endpoints",
        "no local endpoints on the caller's node",
        "service only routes to endpoints on the same node",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("connections time out from other nodes",)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component) or not_rolling(component):
            return reason
        return "" if component.callers else "nobody calls it"

    @override
    def change(self, context: FaultContext) -> ServiceChange:
        field = "internalTrafficPolicy"
        before = manifest_of(context.application, service_of(context))["spec"].get(field)
        return ServiceChange(f"spec.{field}", before or "Cluster", "Local", {field: "Local"})

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        self.break_service(context, edits)
        # Which pods share a node is chance: teams keep them apart to survive the loss of one.
        for moved, other in _apart(context):
            roll_out(edits, moved.workload, _away_from(context, moved, other))

    @override
    def present(self, context: FaultContext) -> Check:
        found = service_defects(context)
        service = context.cluster.get(service_of(context))
        if service is not None and service["spec"].get("internalTrafficPolicy") == "Local":
            served = _nodes_with(context.cluster, context.component.workloads)
            left_out = [node for node in _workers(context.cluster) if node not in served]
            if left_out or not served:
                where = ", ".join(left_out) or "any node"
                found.append(f"{service_of(context)} has no endpoint for callers on {where}")
        return defect_check(_EXPECTED, found)


def _callers(context: FaultContext) -> list[Component]:
    parts = {part.name: part for part in context.application.components()}
    return [parts[name] for name in context.component.callers if name in parts]


def _apart(context: FaultContext) -> list[tuple[Component, Component]]:
    """Who moves, and from whom: its callers, or the component where only users call it."""
    callers = _callers(context)
    movable = [part for part in callers if part.kind != scope.LOAD and not not_rolling(part)]
    found = [(part, context.component) for part in movable]
    return found or [(context.component, part) for part in callers[:1]]


def _away_from(context: FaultContext, moved: Component, other: Component) -> dict[str, Any]:
    """A patch after which pods of one component share no node with those of the other."""
    right = pod_spec(manifest_of(context.application, moved.workload))
    kept = (right.get("affinity") or {}).get("podAntiAffinity") or {}
    field = "requiredDuringSchedulingIgnoredDuringExecution"
    term = {
        "labelSelector": {"matchLabels": other.pod_labels},
        "namespaces": [other.namespace],
        "topologyKey": "kubernetes.io/hostname",
    }
    affinity = {"podAntiAffinity": {field: [*kept.get(field, ()), term]}}
    return {"spec": {"template": {"spec": {"affinity": affinity}}}}


def _workers(cluster: Cluster) -> list[str]:
    """Names of the nodes on which any pod may run."""
    return [
        node["metadata"]["name"]
        for node in cluster.list("v1", "Node")
        if not any(
            t["effect"] != "PreferNoSchedule" for t in (node.get("spec") or {}).get("taints") or ()
        )
    ]


def _nodes_with(cluster: Cluster, refs: Sequence[ObjectRef]) -> list[str]:
    """Names of the nodes on which ready pods of workloads are."""
    return [
        pod["spec"].get("nodeName", "")
        for ref in refs
        if (workload := cluster.get(ref)) is not None
        for pod in not_terminating(pods_of(cluster, workload))
        if is_ready(pod)
    ]
