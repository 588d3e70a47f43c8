"""What happens to packets on their way to the pods of a component, or back: late, lost, held back, cut off."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import (
    Capability,
    Change,
    Check,
    FailureMode,
    GroundTruth,
)
from sregym_injectors.component_fault import ComponentFault, not_custom, not_load
from sregym_injectors.defects import defect_check
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.nodes import NodeEdits, current, host_command
from sregym_injectors.pods import not_terminating, pods_of
from sregym_kubernetes.node_settings import LinkState, Peer
from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.model import Component

# Takes every discipline away that disturbs packets, from whatever interface of the node.
_UNSHAPED = "tc qdisc show | awk '/netem/ {print $5}' | while read -r card; do tc qdisc del dev $card root; done"
_UNFILTERED = "iptables -F FORWARD"
_SHAPED, _PLAIN = "queueing discipline of the network interface", "noqueue"


@dataclass(frozen=True)
class _Way:
    """One of these faults.

    Attributes:
        title: One line for people.
        field: What of the link is set.
        amount: To what, unless a parameter says otherwise.
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        what: The thing that is changed.
        after: How it is then.
        modes: As in `Fault.modes`.
        repair: What is run on the nodes of the pods.
        before: How it was.
    """

    title: str
    field: str
    amount: float | str
    mechanism: str
    phrases: tuple[str, ...]
    what: str
    after: str
    modes: tuple[FailureMode, ...]
    repair: str = _UNSHAPED
    before: str = _PLAIN


_WAYS: Mapping[str, _Way] = MappingProxyType(
    {
        "link-delay": _Way(
            "Packets to a component come late",
            "delay_ms",
            2000.0,
            "network-delay",
            (
                "network latency",
                "packets are delayed",
                "netem delay",
                "high latency of the network to the pods",
                "slow network link",
                "tc qdisc adds latency",
            ),
            _SHAPED,
            "netem delay",
            (FailureMode.SLOW,),
        ),
        "link-loss": _Way(
            "Packets to a component are lost",
            "loss",
            0.5,
            "packet-loss",
            (
                "packet loss",
                "packet loss of the deployment",
                "packets are dropped",
                "packets are lost",
                "netem loss",
                "lossy network link",
            ),
            _SHAPED,
            "netem loss",
            (FailureMode.GRAY, FailureMode.SLOW),
        ),
        "link-narrow": _Way(
            "Bandwidth to a component is too small",
            "rate_mbit",
            0.01,
            "bandwidth-limited",
            (
                "bandwidth is limited",
                "rate limit on the interface",
                "netem rate",
                "traffic shaping is too strict",
                "bandwidth too small",
            ),
            _SHAPED,
            "netem rate",
            (FailureMode.SLOW,),
        ),
        "partition": _Way(
            "A component is cut off from the network",
            "blocked",
            "drop",
            "network-partition",
            (
                "network partition",
                "packets are dropped by a firewall rule",
                "iptables rule",
                "iptables DROP rule",
                "cut off from the network",
                "packets to the pods are dropped",
                "firewall rule blocks the pods",
            ),
            "chain FORWARD of iptables",
            "a rule that says",
            (),
            _UNFILTERED,
            "accepts all",
        ),
    }
)


class PathFault(ComponentFault):
    """Base of faults on the way to, or from, the pods of a component."""

    layer: ClassVar[str] = "network"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.LINKS,)

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            direction: Of the packets: `to` the pods, or `from` them.
        """

        model_config = ConfigDict(extra="forbid")

        direction: Literal["to", "from"] = "to"

    def amount(self, context: FaultContext) -> float | str:
        """What the link is set to."""
        given = getattr(context.parameters, _WAYS[self.name].field, None)
        return _WAYS[self.name].amount if given is None else given

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := not_load(component) or not_custom(component):
            return reason
        if not component.operations:
            return "no request of users passes through it"
        return "" if component.pod_labels else "its pods have no labels to be known by"

    @override
    def inject(self, context: FaultContext) -> None:
        wanted = _link(context).model_copy(update={_WAYS[self.name].field: self.amount(context)})
        NodeEdits(context).apply(wanted)

    @override
    def present(self, context: FaultContext) -> Check:
        way, link = _WAYS[self.name], current(context, _link(context))
        found = [] if link.is_neutral else [f"{way.what} of {context.component.name}: {way.after}"]
        return defect_check(f"packets of {context.component.name} pass undisturbed", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        way = _WAYS[self.name]
        said = f"{way.after} {self.amount(context)}"
        change = Change(what=way.what, before=way.before, after=said)
        ref = context.component.workload
        return truth_of(context, ref, way.mechanism, way.phrases, change, "requests time out")

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        workload = context.cluster.get(context.component.workload)
        pods = [] if workload is None else not_terminating(pods_of(context.cluster, workload))
        nodes = sorted({pod["spec"].get("nodeName", "") for pod in pods} - {""})
        repair = ("sh", "-c", _WAYS[self.name].repair)
        return tuple(host_command(context, node, repair) for node in nodes)


class LinkDelay(PathFault):
    """Lets packets come late."""

    name: ClassVar[str] = "link-delay"
    title: ClassVar[str] = _WAYS[name].title
    modes: ClassVar[tuple[FailureMode, ...]] = _WAYS[name].modes

    class Parameters(PathFault.Parameters):
        """Parameters.

        Attributes:
            delay_ms: By how much.
        """

        delay_ms: float = Field(default=2000.0, gt=0)


class LinkLoss(PathFault):
    """Loses packets."""

    name: ClassVar[str] = "link-loss"
    title: ClassVar[str] = _WAYS[name].title
    modes: ClassVar[tuple[FailureMode, ...]] = _WAYS[name].modes

    class Parameters(PathFault.Parameters):
        """Parameters.

        Attributes:
            loss: Share of the packets.
        """

        loss: float = Field(default=0.5, gt=0, lt=1)


class LinkNarrow(PathFault):
    """Leaves packets hardly any bandwidth."""

    name: ClassVar[str] = "link-narrow"
    title: ClassVar[str] = _WAYS[name].title
    modes: ClassVar[tuple[FailureMode, ...]] = _WAYS[name].modes

    class Parameters(PathFault.Parameters):
        """Parameters.

        Attributes:
            rate_mbit: Megabits a second that are left.
        """

        rate_mbit: float = Field(default=0.01, gt=0)


class Partition(PathFault):
    """Holds all packets up."""

    name: ClassVar[str] = "partition"
    title: ClassVar[str] = _WAYS[name].title

    class Parameters(PathFault.Parameters):
        """Parameters.

        Attributes:
            blocked: What becomes of them: nothing, a closed port, a reset, no way.
        """

        blocked: Literal["drop", "reject", "reset", "no-route"] = "drop"


def _link(context: FaultContext) -> LinkState:
    """The way, without what is set on it."""
    component = context.component
    pods = Peer(namespace=component.namespace, labels=component.pod_labels)
    return (
        LinkState(target=pods) if context.parameters.direction == "to" else LinkState(source=pods)
    )
