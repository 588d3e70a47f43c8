"""A workload wants no pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.model import Change, Check, Component, GroundTruth
from sregym_injectors.component_fault import ComponentFault, article, not_custom, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.workloads import SCALABLE_KINDS, restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext


class ReplicasZero(ComponentFault):
    """Scales the component's workload to zero."""

    name: ClassVar[str] = "replicas-zero"
    title: ClassVar[str] = "Workload scaled to zero"
    layer: ClassVar[str] = "kubernetes"
    Parameters: ClassVar[type[ClientParameters]] = ClientParameters

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component):
            return reason
        kind = component.workload.kind
        if kind not in SCALABLE_KINDS:
            return f"{article(kind)} has no replicas"
        return "" if component.replicas > 0 else "it has no replicas to begin with"

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edits.patch(context.component.workload, {"spec": {"replicas": 0}}, "merge")
        restart_rollout(edits, clients_of(context))

    @override
    def present(self, context: FaultContext) -> Check:
        component = context.component
        workload = context.cluster.get(component.workload)
        if workload is None:
            defects = [f"{component.workload} does not exist"]
        else:
            wanted = workload["spec"].get("replicas", 1)
            enough = wanted >= component.replicas
            defects = [] if enough else [f"{component.workload} has spec.replicas {wanted}"]
        return defect_check(f"spec.replicas of at least {component.replicas}", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        component = context.component
        return truth_of(
            context,
            component.workload,
            "scaled-to-zero",
            (
                "scaled to zero",
                "scaled down to zero",
                "scaled to 0",
                "scaled down to 0",
                "scale to zero",
                "zero replicas",
                "0 replicas",
                "no replicas",
                "replicas is 0",
                "replicas set to 0",
                "replica count is zero",
                "desired replicas is zero",
                "0 desired pods",
                "0/0 pods",
                "no pods are running because of the replica count",
            ),
            Change(what="spec.replicas", before=str(component.replicas), after="0"),
            "connection refused",
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component = context.component
        return (
            commands.scale(component.workload, component.replicas),
            commands.rollout_status(component.workload),
            *commands.restart_and_wait(clients_of(context)),
        )
