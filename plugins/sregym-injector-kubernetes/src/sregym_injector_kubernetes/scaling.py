"""Autoscalers that cannot work out what they scale by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import FailureMode, ObjectRef
from sregym_injectors.component_fault import article
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.template_change import (
    AddedObjectFault,
    Template,
    TemplateChange,
    right_container,
)
from sregym_injectors.templates import container_patch
from sregym_injectors.workloads import SCALABLE_KINDS
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_GROUP = "autoscaling/v2"
_USUAL_CPU = "100m"


class AutoscalerWrong(AddedObjectFault):
    """Scales by a share of requests that the containers do not make."""

    name: ClassVar[str] = "autoscaler-wrong"
    title: ClassVar[str] = "Autoscaler by utilisation without requests"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    mechanism: ClassVar[str] = "autoscaler-without-cpu-request"
    phrases: ClassVar[tuple[str, ...]] = (
        "HorizontalPodAutoscaler without CPU requests",
        "autoscaler cannot compute utilization",
        "HPA cannot compute CPU utilization",
        "missing request for cpu",
        "missing CPU request",
        "container has no CPU request",
        "FailedGetResourceMetric",
        "HPA target is unknown",
        "autoscaler does not scale",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("users are not affected yet", "cpu: <unknown>")
    expected: ClassVar[str] = "an autoscaler whose containers request what it scales by"
    restarts: ClassVar[bool] = False

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            most: Replicas at most.
            utilization: Wanted share of the requested CPU, in percent.
        """

        most: int = Field(default=4, ge=2)
        utilization: int = Field(default=70, ge=1)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        kind = component.workload.kind
        if kind not in SCALABLE_KINDS:
            return f"{article(kind)} has no replicas"
        return "" if component.kind == "service" else f"a {component.kind} does not become more"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, given = context.component, context.parameters
        ref = component.workload
        target = {"type": "Utilization", "averageUtilization": given.utilization}
        autoscaler: KubeObject = {
            "apiVersion": _GROUP,
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": ref.name, "namespace": component.namespace},
            "spec": {
                "scaleTargetRef": {
                    "apiVersion": ref.api_version,
                    "kind": ref.kind,
                    "name": ref.name,
                },
                "minReplicas": component.replicas,
                "maxReplicas": max(given.most, component.replicas),
                "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": target}}],
            },
        }
        right = right_container(context).get("resources") or {}
        given_cpu = _cpu(right)
        # A request that is not there follows from the limit: both go.
        without = {
            kind: {"cpu": None}
            for kind in ("requests", "limits")
            if "cpu" in (right.get(kind) or {})
        }
        return TemplateChange(
            f"HorizontalPodAutoscaler {ref.name} by cpu utilization, "
            f"containers[name={component.container}].resources.requests.cpu",
            "no request",
            given_cpu or "no autoscaler",
            container={"resources": without} if without else {},
            objects=(autoscaler,),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        own = context.component.workload.name
        scalers = [
            one
            for one in live.cluster.list(
                _GROUP, "HorizontalPodAutoscaler", context.component.namespace
            )
            if one["spec"]["scaleTargetRef"]["name"] == own
        ]
        if not scalers:
            lost = _cpu(right_container(context).get("resources") or {}) and not _cpu(
                live.container.get("resources") or {}
            )
            return ["requests no CPU any more"] if lost else []
        missing = [
            entry["name"]
            for entry in live.spec.get("containers") or ()
            if not _cpu(entry.get("resources") or {})
        ]
        return [
            f"is scaled by HorizontalPodAutoscaler {one['metadata']['name']} by cpu, which "
            f"container {name} does not request"
            for one in scalers
            for name in missing
            if _by_utilization(one)
        ]

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        ref = context.component.workload
        return ObjectRef(
            api_version=_GROUP,
            kind="HorizontalPodAutoscaler",
            namespace=ref.namespace,
            name=ref.name,
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        right = right_container(context).get("resources") or {}
        given = {kind: dict(right[kind]) for kind in ("requests", "limits") if right.get(kind)}
        if not _cpu(right):
            given = {**given, "requests": {**given.get("requests", {}), "cpu": _USUAL_CPU}}
        patch = container_patch(component, {"resources": given})
        return (
            commands.patch(component.workload, patch),
            commands.rollout_status(component.workload),
        )


def _cpu(resources: dict[str, Any]) -> str:
    """The CPU that a container requests; what it is limited to where it says nothing."""
    for kind in ("requests", "limits"):
        if cpu := (resources.get(kind) or {}).get("cpu"):
            return str(cpu)
    return ""


def _by_utilization(scaler: KubeObject) -> bool:
    metrics = [one.get("resource") or {} for one in scaler["spec"].get("metrics") or ()]
    return any(
        one.get("name") == "cpu" and (one.get("target") or {}).get("type") == "Utilization"
        for one in metrics
    )
