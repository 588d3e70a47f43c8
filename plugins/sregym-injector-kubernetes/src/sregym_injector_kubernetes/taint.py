"""Nodes carry a taint that a component's pods do not tolerate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sregym_core.model import ComponentPart, ObjectRef
from sregym_injectors.edits import Edits
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injector_kubernetes.placement import KEEPS_OFF, UNSCHEDULABLE, kept_taints
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject


class Taint(PodTemplateFault):
    """Taints every node for others; the component's pods, restarted, find no place."""

    name: ClassVar[str] = "taint"
    title: ClassVar[str] = "Nodes are tainted and nothing tolerates it"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "taint-not-tolerated"
    phrases: ClassVar[tuple[str, ...]] = (
        "taint without toleration",
        "missing toleration",
        "nodes are tainted",
        "all nodes carry a taint that is not tolerated",
        "node taint blocks scheduling",
        "untolerated taint",
        "had untolerated taint",
    )
    symptoms: ClassVar[tuple[str, ...]] = (*UNSCHEDULABLE, "no endpoints")
    expected: ClassVar[str] = "a node without taints that the pods do not tolerate"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            key: Of the taint.
            value: Of the taint.
            effect: `NoSchedule`, or `NoExecute`, which drives every other pod away too.
        """

        key: str = "dedicated"
        value: str = "batch"
        effect: Literal["NoSchedule", "NoExecute"] = "NoSchedule"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        return TemplateChange(
            "spec.taints of all nodes", f"{given.key}={given.value}:{given.effect}"
        )

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        for node in self._open_nodes(context):
            taints = [*_taints(node), self._taint(context)]
            edits.patch(ObjectRef.of(node), {"spec": {"taints": taints}}, "merge")
        restart_rollout(edits, (context.component.workload, *clients_of(context)))

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        tolerations = live.spec.get("tolerations") or []
        nodes = live.cluster.list("v1", "Node")
        if any(not _kept_off(node, tolerations) for node in nodes) or not nodes:
            return []
        return ["tolerates the taints of no node"]

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        return context.component.workload

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        given = context.parameters
        return (f"taint {given.key}={given.value}", f"taint {given.key}")

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        repairs = []
        for node in self._open_nodes(context):
            others = [taint for taint in _taints(node) if taint != self._taint(context)]
            patch = {"spec": {"taints": others or None}}
            repairs.append(commands.patch(ObjectRef.of(node), patch, "merge"))
        return tuple(repairs)

    def _taint(self, context: FaultContext) -> dict[str, Any]:
        given = context.parameters
        return {"key": given.key, "value": given.value, "effect": given.effect}

    def _open_nodes(self, context: FaultContext) -> list[KubeObject]:
        """Nodes that took pods before the taint."""
        own = self._taint(context)
        return [
            node
            for node in _nodes(context.cluster)
            if all(taint == own for taint in kept_taints(node))
        ]


def _nodes(cluster: Cluster) -> list[KubeObject]:
    return cluster.list("v1", "Node")


def _taints(node: KubeObject) -> list[dict[str, Any]]:
    return list((node.get("spec") or {}).get("taints") or ())


def _kept_off(node: KubeObject, tolerations: list[dict[str, Any]]) -> bool:
    return any(
        taint["effect"] in KEEPS_OFF and not any(_tolerates(one, taint) for one in tolerations)
        for taint in _taints(node)
    )


def _tolerates(toleration: dict[str, Any], taint: dict[str, Any]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    key = toleration.get("key") or ""
    if toleration.get("operator") == "Exists":
        return key in ("", taint["key"])
    return bool(key == taint["key"] and toleration.get("value", "") == taint.get("value", ""))
