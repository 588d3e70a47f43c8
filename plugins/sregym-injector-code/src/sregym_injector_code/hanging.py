"""Processes that are there and do nothing: of all replicas of a service, or of one."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import (
    Capability,
    Change,
    Check,
    FailureMode,
    GroundTruth,
)
from sregym_injectors.component_fault import ComponentFault, not_custom, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.nodes import NodeEdits, current
from sregym_injectors.pods import is_ready, not_terminating, pods_of
from sregym_injectors.workloads import SCALABLE_KINDS, rolled_out
from sregym_kubernetes.node_settings import ProcessStop
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

_STARTED_S = 300.0


class _Stopped(ComponentFault):
    """Base: main processes of some of a component's pods stand still."""

    layer: ClassVar[str] = "application"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.PROCESS_STOPS,)
    mechanism: ClassVar[str]
    phrases: ClassVar[tuple[str, ...]]
    told: ClassVar[str]
    # Probes by which the kubelet or a load balancer would repair it, or keep it from users.
    unseen_by: ClassVar[tuple[str, ...]]

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_custom(component) or not_rolling(component):
            return reason
        if component.kind != "service" or not component.operations:
            return "it is no service through which requests of users pass"
        seen = [name for name in self.unseen_by if name in component.own_container.probes]
        return f"its {seen[0]} notices" if seen else ""

    def meant(self, context: FaultContext, pods: list[KubeObject]) -> list[KubeObject]:
        """Those of the ready pods whose processes are stopped."""
        return pods

    @override
    def inject(self, context: FaultContext) -> None:
        for pod in self.meant(context, [pod for pod in _pods(context) if is_ready(pod)]):
            wanted = _setting(context, pod).model_copy(update={"stopped": True})
            NodeEdits(context).apply(wanted)

    @override
    def present(self, context: FaultContext) -> Check:
        found = [
            f"process of container {context.component.container} of Pod {pod['metadata']['name']} is "
            "stopped"
            for pod in _pods(context)
            if pod["spec"].get("nodeName") and current(context, _setting(context, pod)).stopped
        ]
        return defect_check(f"no process of {context.component.name} is stopped", found)

    @override
    def restart_recovers(self, target: Component) -> bool:
        return True

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        ref = context.component.workload
        change = Change(what=self.told, before="running", after="stopped")
        return truth_of(context, ref, self.mechanism, self.phrases, change, "requests time out")

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return commands.restart_and_wait((context.component.workload,))


class Hang(_Stopped):
    """Lets all processes of a service stand still."""

    name: ClassVar[str] = "hang"
    title: ClassVar[str] = "Processes of a service are there and do not answer"
    mechanism: ClassVar[str] = "process-hangs"
    phrases: ClassVar[tuple[str, ...]] = (
        "process hangs",
        "process is stuck",
        "process is frozen",
        "process is stopped",
        "service hangs",
        "threads are stuck",
        "accepts connections and gives no answer",
        "stopped by SIGSTOP",
        "unresponsive process",
    )
    told: ClassVar[str] = "state of the processes"
    unseen_by: ClassVar[tuple[str, ...]] = ("livenessProbe",)

    class Parameters(BaseModel):
        """None."""

        model_config = ConfigDict(extra="forbid")


class GrayReplica(_Stopped):
    """Lets the process of one of several replicas of a service stand still."""

    name: ClassVar[str] = "gray-replica"
    title: ClassVar[str] = "One of several replicas of a service does not answer"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.GRAY,)
    mechanism: ClassVar[str] = "one-replica-hangs"
    phrases: ClassVar[tuple[str, ...]] = (
        "one replica hangs",
        "one replica is stuck",
        "one pod hangs",
        "one pod does not answer",
        "one of the replicas does not answer",
        "one bad replica",
        "process is stopped",
        "process hangs",
        "stopped by SIGSTOP",
        "unresponsive replica",
    )
    told: ClassVar[str] = "state of the process of one replica"
    unseen_by: ClassVar[tuple[str, ...]] = ("livenessProbe", "readinessProbe")

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            replicas: To how many pods the component is scaled out where it has fewer.
        """

        model_config = ConfigDict(extra="forbid")

        replicas: int = Field(default=3, ge=2)

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        kind = component.workload.kind
        return "" if kind in SCALABLE_KINDS else f"a {kind} has no replicas"

    @override
    def inject(self, context: FaultContext) -> None:
        edits, ref, wanted = Edits(context), context.component.workload, context.parameters.replicas
        if int(edits.read(ref)["spec"].get("replicas", 1)) < wanted:
            edits.patch(ref, {"spec": {"replicas": wanted}}, "merge")
        edits.cluster.clock.wait_until(lambda: rolled_out(edits.read(ref)), _STARTED_S, 1.0)
        super().inject(context)

    @override
    def meant(self, context: FaultContext, pods: list[KubeObject]) -> list[KubeObject]:
        chance = Random(f"replica of {context.component.name}, seed {context.seed}")  # noqa: S311 - a game, no secret
        return [chance.choice(sorted(pods, key=lambda pod: str(pod["metadata"]["name"])))]


def _pods(context: FaultContext) -> list[KubeObject]:
    """The pods of the component that are not being deleted."""
    workload = context.cluster.get(context.component.workload)
    return [] if workload is None else not_terminating(pods_of(context.cluster, workload))


def _setting(context: FaultContext, pod: KubeObject) -> ProcessStop:
    return ProcessStop(
        node=pod["spec"]["nodeName"],
        namespace=pod["metadata"]["namespace"],
        pod=pod["metadata"]["name"],
        container=context.component.container,
    )
