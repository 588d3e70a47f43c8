"""What stands in the way of maintenance, or is left of it: budgets that allow no eviction, cordons."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Fault
from sregym_core.model import Change, Check, FailureMode, GroundTruth, Node, ObjectRef, TargetKind
from sregym_injectors.added_object import AddedObjectFault
from sregym_injectors.component_fault import not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.node_fitting import runs_nothing_that_matters
from sregym_injectors.nodes import truth_on_node
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_POLICY = "policy/v1"
_BUDGET = "PodDisruptionBudget"


class DisruptionBudget(AddedObjectFault):
    """Adds a budget that allows no pod of a component to be evicted: nodes cannot be drained."""

    name: ClassVar[str] = "disruption-budget"
    title: ClassVar[str] = "Disruption budget forbids every eviction"
    layer: ClassVar[str] = "kubernetes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    mechanism: ClassVar[str] = "disruption-budget-too-strict"
    phrases: ClassVar[tuple[str, ...]] = (
        "PodDisruptionBudget allows no disruptions",
        "disruption budget is too strict",
        "PodDisruptionBudget forbids every eviction",
        "PodDisruptionBudget blocks the drain",
        "disruptionsAllowed is 0",
        "ALLOWED DISRUPTIONS 0",
        "minAvailable equals the replicas",
        "nodes cannot be drained",
        "evictions are refused",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("users are not affected yet", "drains do not end")

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component) or not_rolling(component):
            return reason
        return "" if component.pod_labels else "its pods have no labels to be selected by"

    @override
    def added(self, context: FaultContext) -> KubeObject:
        component = context.component
        return {
            "apiVersion": _POLICY,
            "kind": _BUDGET,
            "metadata": {"name": component.name, "namespace": component.namespace},
            "spec": {
                "minAvailable": component.replicas,
                "selector": {"matchLabels": dict(component.pod_labels)},
            },
        }

    @override
    def describe(self, context: FaultContext) -> str:
        return f"minAvailable {context.component.replicas}, as many as there are replicas"

    @override
    def restarted(self, context: FaultContext) -> Sequence[ObjectRef]:
        return ()

    @override
    def present(self, context: FaultContext) -> Check:
        component, cluster = context.component, context.cluster
        workload = cluster.get(component.workload) or {}
        replicas = int((workload.get("spec") or {}).get("replicas", component.replicas))
        found = [
            f"{_BUDGET} {budget['metadata']['name']} allows no pod of {component.name} to be evicted"
            for budget in cluster.list(_POLICY, _BUDGET, component.namespace)
            if _selects(budget, component.pod_labels) and not _allowed(budget["spec"], replicas)
        ]
        return defect_check("a pod may be evicted", found)


def _selects(budget: KubeObject, labels: dict[str, str]) -> bool:
    wanted = (budget["spec"].get("selector") or {}).get("matchLabels") or {}
    return bool(wanted) and wanted.items() <= labels.items()


def _allowed(spec: KubeObject, replicas: int) -> int:
    """How many of so many pods may be missing, as the budget says."""
    if "maxUnavailable" in spec:
        return _number(spec["maxUnavailable"], replicas)
    return replicas - _number(spec.get("minAvailable", 0), replicas)


def _number(value: int | str, replicas: int) -> int:
    """A number of pods, or percent of them, rounded up as controllers do."""
    text = str(value)
    return -(-int(text[:-1]) * replicas // 100) if text.endswith("%") else int(text)


class MaintenanceStuck(Fault):
    """Leaves a node cordoned: nothing new is scheduled to it, and the maintenance is over."""

    name: ClassVar[str] = "maintenance-stuck"
    title: ClassVar[str] = "Node was cordoned and forgotten"
    layer: ClassVar[str] = "kubernetes"
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.NODE,)
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)

    class Parameters(BaseModel):
        """None."""

        model_config = ConfigDict(extra="forbid")

    @override
    def fits(self, target: Node) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        return runs_nothing_that_matters(target)

    @override
    def inject(self, context: FaultContext) -> None:
        Edits(context).patch(_node(context), {"spec": {"unschedulable": True}}, "merge")

    @override
    def present(self, context: FaultContext) -> Check:
        obj = context.cluster.get(_node(context)) or {}
        name = context.node.name
        cordoned = (obj.get("spec") or {}).get("unschedulable")
        found = [f"node {name} is unschedulable"] if cordoned else []
        return defect_check(f"pods may come to node {name}", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        phrases = (
            "node is cordoned",
            "node was cordoned and forgotten",
            "node is unschedulable",
            "SchedulingDisabled",
            "maintenance was not finished",
            "node was not uncordoned",
            "forgotten cordon",
        )
        change = Change(what="spec.unschedulable", before="false", after="true")
        truth = truth_on_node(context, "node-cordoned", phrases, change)
        unharmed = ("users are not affected yet", "no user-visible impact")
        impact = "Users notice nothing yet: pods that have to move find less room."
        return truth.model_copy(
            update={"affected": (), "impact": impact, "impact_phrases": unharmed}
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (commands.patch(_node(context), {"spec": {"unschedulable": None}}, "merge"),)


def _node(context: FaultContext) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Node", name=context.node.name)
