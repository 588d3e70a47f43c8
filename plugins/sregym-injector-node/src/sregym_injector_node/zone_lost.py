"""All machines of a zone are dark: power, cooling or the way to it has failed for the whole place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.errors import NodeError
from sregym_core.interfaces import Command, Fault, FaultContext, node_access
from sregym_core.model import (
    Capability,
    Change,
    Check,
    FailureMode,
    GroundTruth,
    Node,
    TargetKind,
    Zone,
)
from sregym_injectors.defects import defect_check
from sregym_injectors.node_faults import NoParameters
from sregym_injectors.node_fitting import runs_no_store
from sregym_injectors.nodes import NodeEdits, current, host_command
from sregym_injectors.pressure import after_pressure
from sregym_kubernetes.node_settings import Power
from typing_extensions import override

from sregym_injector_node.machines import BOARD
from sregym_injectors import scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

_PHRASES = (
    "zone is down",
    "zone outage",
    "zonal outage",
    "availability zone is lost",
    "availability zone failure",
    "all nodes of the zone are down",
    "all machines of the zone are off",
    "all nodes of the zone are powered off",
    "whole zone lost its power",
    "power failure in the zone",
    "data centre lost its power",
    "every node in the zone is dark",
)


class ZoneLost(Fault):
    """Switches all machines of one zone off at the same moment.

    Stores keep their files on machines there and come up nowhere else; of everything else the rest of
    the cluster takes what it has room for.
    """

    name: ClassVar[str] = "zone-lost"
    title: ClassVar[str] = "All machines of a zone are off"
    layer: ClassVar[str] = "hardware"
    Parameters: ClassVar[type[BaseModel]] = NoParameters
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.ZONE,)
    needs: ClassVar[tuple[Capability, ...]] = (Capability.POWER,)
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.CORRELATED,)

    @override
    def fits(self, target: Zone) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Zone, /) -> str:
        if any(node.role == "control-plane" for node in target.nodes):
            return "the control plane stands there: nobody could look at the cluster any more"
        return runs_no_store(Node(component=target.component))

    @override
    def inject(self, context: FaultContext) -> None:
        _beside(context)
        edits = NodeEdits(context)
        for setting in _dark(context):
            edits.apply(setting)

    @override
    def present(self, context: FaultContext) -> Check:
        off = [one.node for one in _dark(context) if not current(context, one).on]
        defects = [f"off in zone {context.zone.name}: {', '.join(off)}"] if off else []
        return defect_check("all machines of the zone are on", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        zone = context.zone
        component = zone.component
        name = zone.name or str(zone)
        machines = ", ".join(node.name for node in zone.nodes) or "all machines"
        truth = GroundTruth(
            component=name,
            kind="Zone",
            object_name=name,
            namespace="",
            mechanism="zone-power-lost",
            mechanism_phrases=(*_PHRASES, *(f"zone {name} {word}" for word in ("is down", "lost"))),
            changed=Change(what=f"power of {machines}", before="on", after="off"),
            impact_phrases=("nodes are NotReady", "pods are Pending", "volumes cannot be reached"),
        )
        if component is None:
            return truth
        sufferers = (component.name, *scope.affected(context.application, component))
        impact = (*scope.impact_phrases(component), *truth.impact_phrases)
        return truth.model_copy(
            update={
                "affected": sufferers,
                "impact": scope.impact(component),
                "impact_phrases": impact,
            }
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        beside, nodes = _beside(context), context.zone.nodes
        return (
            *(host_command(context, beside, argv) for argv in _switched_on(nodes)),
            *(
                Command(
                    (
                        "kubectl",
                        "wait",
                        "--for=condition=Ready=true",
                        f"node/{node.name}",
                        "--timeout=600s",
                    )
                )
                for node in nodes[:-1]
            ),
            *after_pressure(context, "Ready", nodes[-1].name),
        )


def _dark(context: FaultContext) -> Iterator[Power]:
    for node in context.zone.nodes:
        yield Power(node=node.name, on=False)


def _switched_on(nodes: tuple[Node, ...]) -> Iterator[tuple[str, ...]]:
    for node in nodes:
        board = (word.replace("{node}", node.name) for word in BOARD)
        yield (*board, "chassis", "power", "on")


def _beside(context: FaultContext) -> str:
    """A machine that stands elsewhere.

    Raises:
        NodeError: There is none.
    """
    inside = {node.name for node in context.zone.nodes}
    others = [node.name for node in node_access(context.cluster).nodes() if node.name not in inside]
    if not others:
        msg = f"zone {context.zone.name!r} is all of the cluster: it has no node elsewhere"
        raise NodeError(msg)
    return others[0]
