"""Nodes whose network plugin has no addresses left for pods."""

from __future__ import annotations

import json
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.interfaces import Command, node_access
from sregym_core.model import Capability, Change, Check, GroundTruth, ObjectRef
from sregym_injectors.cluster_fault import ClusterFault, cluster_truth
from sregym_injectors.component_fault import not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.nodes import NodeEdits, host_command, read_from_node
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_core.interfaces import FaultContext

CONFIGURATION = "/etc/cni/net.d/10-cluster.conflist"
# What takes every end of a range out of the file.
WIDEN = ("sed", "-i", 's|, "rangeEnd": "[^"]*"||', CONFIGURATION)
_USUAL_PODS = 110


class AddressesExhausted(ClusterFault):
    """Leaves the network plugins of all workers next to no addresses, and restarts services."""

    name: ClassVar[str] = "addresses-exhausted"
    title: ClassVar[str] = "No addresses are left for pods"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.COMMANDS,)

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            addresses: How many a node may give out, those that pods have already among them.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        addresses: int = Field(default=2, ge=1)

    @override
    def inject(self, context: FaultContext) -> None:
        host = NodeEdits(context)
        for node, subnet in _subnets(context):
            last = ip_network(subnet)[1 + context.parameters.addresses]
            narrow = f's|"subnet": "{subnet}"|&, "rangeEnd": "{last}"|'
            host.run(node, ("sed", "-i", narrow, CONFIGURATION), WIDEN)
        edits = Edits(context)
        edits.pause()
        restart_rollout(edits, _services(context))

    @override
    def present(self, context: FaultContext) -> Check:
        found = []
        for node, _ in _subnets(context):
            text = read_from_node(context, node, ("cat", CONFIGURATION)).stdout
            usable, wanted = addresses_in(text), _most_pods(context, node)
            if usable < wanted:
                found.append(f"node {node} has {usable} addresses for up to {wanted} pods")
        return defect_check("addresses for as many pods as nodes may run", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        change = Change(
            what=f"rangeEnd in {CONFIGURATION} of all workers",
            before="",
            after=f"{context.parameters.addresses} addresses",
        )
        phrases = (
            "no IP addresses available",
            "pod addresses are exhausted",
            "pod CIDR is exhausted",
            "IP pool is exhausted",
            "IPAM has no addresses left",
            "range of pod addresses is too small",
            "rangeEnd in the CNI configuration",
            "pods get no IP address",
            "CNI configuration is wrong",
        )
        broken = ObjectRef(
            api_version="apps/v1", kind="DaemonSet", namespace="kube-system", name="kube-router"
        )
        symptoms = ("pods stay in ContainerCreating", "FailedCreatePodSandBox")
        return cluster_truth(
            context, broken, broken.name, "pod-addresses-exhausted", phrases, change, symptoms
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        widen = (host_command(context, node, WIDEN) for node, _ in _subnets(context))
        return (*widen, *(commands.rollout_status(ref) for ref in _services(context)))


def addresses_in(text: str) -> int:
    """How many addresses the ranges of a network configuration have for pods."""
    try:
        plugins = json.loads(text).get("plugins") or ()
    except (ValueError, AttributeError):
        return 0
    return sum(
        _size(entry)
        for plugin in plugins
        for ranges in (plugin.get("ipam") or {}).get("ranges") or ()
        for entry in ranges
    )


def _size(entry: dict[str, Any]) -> int:
    subnet = ip_network(entry["subnet"])
    first = ip_address(entry.get("rangeStart") or str(subnet[2]))
    last = ip_address(entry.get("rangeEnd") or str(subnet[-2]))
    return max(int(last) - max(int(first), int(subnet[2])) + 1, 0)


def _subnets(context: FaultContext) -> Iterator[tuple[str, str]]:
    """The workers, each with its range."""
    workers = {
        one.name for one in node_access(context.cluster).nodes() if one.role != "control-plane"
    }
    for node in context.cluster.list("v1", "Node"):
        name, subnet = node["metadata"]["name"], (node.get("spec") or {}).get("podCIDR", "")
        if name in workers and subnet:
            yield name, subnet


def _most_pods(context: FaultContext, node: str) -> int:
    found = context.cluster.get(ObjectRef(api_version="v1", kind="Node", name=node)) or {}
    return int((found.get("status") or {}).get("allocatable", {}).get("pods", _USUAL_PODS))


def _services(context: FaultContext) -> list[ObjectRef]:
    """Workloads that serve users, keep nothing themselves and can be restarted."""
    return [
        part.workload
        for part in context.application.components()
        if part.kind == "service" and part.operations and not not_rolling(part)
    ]
