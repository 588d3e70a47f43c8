"""A parameter of a node's kernel is too small for what runs there."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict
from sregym_core.interfaces import Command, Fault, FaultContext
from sregym_core.model import (
    Capability,
    Change,
    Check,
    GroundTruth,
    Node,
    TargetKind,
)
from sregym_injectors.defects import defect_check
from sregym_injectors.node_fitting import runs_nothing_that_matters
from sregym_injectors.nodes import NodeEdits, current, on_host, truth_on_node
from sregym_kubernetes.node_settings import Sysctl
from typing_extensions import override

_CONNTRACK = "net.netfilter.nf_conntrack_max"
_PORTS = "net.ipv4.ip_local_port_range"
_PIDS = "kernel.pid_max"
# What is too small, what nodes usually have, and how much is enough for a repair.
_SMALL = {_CONNTRACK: "96", _PORTS: "32768 32772", _PIDS: "64"}
_USUAL = {_CONNTRACK: "262144", _PORTS: "32768 60999", _PIDS: "4194304"}
_ENOUGH = {_CONNTRACK: 32768, _PORTS: 4096, _PIDS: 32768}
_PHRASES = {
    _CONNTRACK: (
        "conntrack table is full",
        "connection tracking table is full",
        "connection tracking limit is too small",
        "nf_conntrack_max is too low",
        "conntrack limit lowered",
    ),
    _PORTS: (
        "ephemeral ports are exhausted",
        "local port range is too small",
        "no ephemeral port left",
        "port range narrowed",
    ),
    _PIDS: (
        "process ids are exhausted",
        "pid limit is too small",
        "pid_max is too low",
        "no process can be created",
    ),
}


class SysctlParameters(BaseModel):
    """Which parameter, and what it becomes; empty for a value that is too small."""

    model_config = ConfigDict(extra="forbid")

    parameter: Literal[
        "net.netfilter.nf_conntrack_max", "net.ipv4.ip_local_port_range", "kernel.pid_max"
    ] = "net.netfilter.nf_conntrack_max"
    value: str = ""


class NodeSysctl(Fault):
    """Lowers a parameter of the kernel of the node that runs a component."""

    name: ClassVar[str] = "node-sysctl"
    title: ClassVar[str] = "Kernel parameter of a node too small"
    layer: ClassVar[str] = "os"
    Parameters: ClassVar[type[SysctlParameters]] = SysctlParameters
    takes: ClassVar[tuple[TargetKind, ...]] = (TargetKind.NODE,)
    needs: ClassVar[tuple[Capability, ...]] = (Capability.SYSCTLS,)

    @override
    def fits(self, target: Node) -> bool:
        return not self.mismatch_reason(target)

    @override
    def mismatch_reason(self, target: Node, /) -> str:
        return runs_nothing_that_matters(target)

    @override
    def inject(self, context: FaultContext) -> None:
        name, value = _wanted(context)
        NodeEdits(context).apply(Sysctl(node=context.node.name, name=name, value=value))

    @override
    def present(self, context: FaultContext) -> Check:
        name = context.parameters.parameter
        value = current(context, Sysctl(node=context.node.name, name=name)).value
        enough = _ENOUGH[name]
        # A value that was not changed reads as empty where the cluster knows what it was.
        small = bool(value) and _size(value) < enough
        defects = [f"{name} of node {context.node.name} is {value}"] if small else []
        return defect_check(f"{name} of at least {enough}", defects)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        name, value = _wanted(context)
        change = Change(what=name, before=_USUAL[name], after=value)
        mechanism = "kernel-parameter-too-small"
        phrases = ("kernel parameter is too small", "sysctl is too low", *_PHRASES[name])
        return truth_on_node(context, mechanism, phrases, change, "connections time out")

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        name, _ = _wanted(context)
        return (on_host(context, ("sysctl", "-w", f"{name}={_USUAL[name]}")),)


def _wanted(context: FaultContext) -> tuple[str, str]:
    name = context.parameters.parameter
    return name, context.parameters.value or _SMALL[name]


def _size(value: str) -> int:
    """How much a parameter allows: a number, or the width of a range."""
    numbers = [int(word) for word in value.split()]
    return numbers[0] if len(numbers) == 1 else numbers[1] - numbers[0] + 1
