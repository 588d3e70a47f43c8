"""Faults that let no node, or too few, take a workload's pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, field_validator
from sregym_injectors.quantities import memory_bytes
from sregym_injectors.restarts import TemplateParameters
from sregym_injectors.template_change import (
    PodTemplateFault,
    Template,
    TemplateChange,
    right_container,
    right_pod,
)
from typing_extensions import override

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ComponentPart

KEEPS_OFF = ("NoSchedule", "NoExecute")
# What controllers put on nodes and take away again: cordoned, not ready, short of something.
_PASSING = "node.kubernetes.io/"
_HOSTNAME = "kubernetes.io/hostname"
# What follows wherever a pod finds no place; it does not tell why.
UNSCHEDULABLE = (
    "pods are Pending",
    "pods cannot be scheduled",
    "pod is unschedulable",
    "FailedScheduling",
    "no node is available",
)


class NodeSelector(PodTemplateFault):
    """Wants a label that no node has."""

    name: ClassVar[str] = "node-selector"
    title: ClassVar[str] = "Node selector that no node matches"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "node-affinity-unmet"
    phrases: ClassVar[tuple[str, ...]] = (
        "node selector matches no node",
        "nodeSelector does not match any node",
        "wrong node selector",
        "assigned to a node that does not exist",
        "non-existent node",
        "no node has the label",
        "didn't match Pod's node affinity/selector",
    )
    symptoms: ClassVar[tuple[str, ...]] = (*UNSCHEDULABLE, "no endpoints")
    expected: ClassVar[str] = "some node has the labels of the node selector"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            key: Of the label.
            value: A value that no node has.
        """

        key: str = _HOSTNAME
        value: str = "extra-node"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        wanted = {context.parameters.key: context.parameters.value}
        before = _labels(right_pod(context).get("nodeSelector") or {})
        return TemplateChange("nodeSelector", _labels(wanted), before, pod={"nodeSelector": wanted})

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        wanted = live.spec.get("nodeSelector") or {}
        fitting = any(
            wanted.items() <= (node["metadata"].get("labels") or {}).items()
            for node in open_nodes(live.cluster)
        )
        return [] if fitting or not wanted else [f"has the node selector {_labels(wanted)}"]

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"node {context.parameters.value}", f"label {context.parameters.key}")


class SpreadImpossible(PodTemplateFault):
    """Wants pods further apart than the cluster is wide."""

    name: ClassVar[str] = "spread-impossible"
    title: ClassVar[str] = "Pods must be spread further than the cluster allows"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "spread-unsatisfiable"
    phrases: ClassVar[tuple[str, ...]] = (
        "topology spread constraint cannot be met",
        "topologySpreadConstraints cannot be satisfied",
        "anti-affinity cannot be satisfied",
        "required anti-affinity with more replicas than nodes",
        "pod anti-affinity deadlock",
        "didn't match pod topology spread constraints",
        "didn't match pod anti-affinity rules",
    )
    symptoms: ClassVar[tuple[str, ...]] = UNSCHEDULABLE
    expected: ClassVar[str] = "nodes have the topology over which pods are spread"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            by: `topology-spread` over a label that no node has: no pod finds a place.
                `anti-affinity` among the pods of the workload, of which there is to be one more than
                nodes: the last finds none, and users notice nothing.
            topology_key: Label of the nodes; for `anti-affinity` that of their names.
        """

        by: Literal["topology-spread", "anti-affinity"] = "topology-spread"
        topology_key: str = "topology.kubernetes.io/rack"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        selector = {"matchLabels": dict(context.component.pod_labels)}
        if context.parameters.by == "anti-affinity":
            rule = {"labelSelector": selector, "topologyKey": _HOSTNAME}
            required = {"requiredDuringSchedulingIgnoredDuringExecution": [rule]}
            replicas = len(open_nodes(context.cluster)) + 1
            return TemplateChange(
                "affinity.podAntiAffinity",
                f"required, one pod on each node, {replicas} replicas",
                f"{context.component.replicas} replicas",
                pod={"affinity": {"podAntiAffinity": required}},
                workload={"replicas": replicas},
            )
        key = context.parameters.topology_key
        constraint = {
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": selector,
        }
        pod = {"topologySpreadConstraints": [constraint]}
        return TemplateChange("topologySpreadConstraints", f"over {key}, required", pod=pod)

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        nodes = open_nodes(live.cluster)
        found = []
        for constraint in live.spec.get("topologySpreadConstraints") or ():
            key = constraint["topologyKey"]
            there = any(key in (node["metadata"].get("labels") or {}) for node in nodes)
            if constraint.get("whenUnsatisfiable") != "ScheduleAnyway" and not there:
                found.append(f"spreads its pods over {key}, which no node has")
        rules = ((live.spec.get("affinity") or {}).get("podAntiAffinity") or {}).get(
            "requiredDuringSchedulingIgnoredDuringExecution"
        )
        own = dict(context.component.pod_labels)
        for rule in rules or ():
            mine = ((rule.get("labelSelector") or {}).get("matchLabels") or {}).items()
            if mine <= own.items() and live.workload.get("replicas", 1) > len(nodes):
                found.append(f"keeps {live.workload['replicas']} pods apart on {len(nodes)} nodes")
        return found


class RequestTooLarge(PodTemplateFault):
    """Asks for more memory or processors than any node has."""

    name: ClassVar[str] = "request-too-large"
    title: ClassVar[str] = "Request that no node can satisfy"
    mechanism: ClassVar[str] = "resource-request-too-large"
    phrases: ClassVar[tuple[str, ...]] = (
        "resource request too large",
        "request exceeds the capacity of every node",
        "requests more memory than any node has",
        "requests more cpu than any node has",
        "memory request too high",
        "cpu request too high",
        "Insufficient memory",
        "Insufficient cpu",
    )
    symptoms: ClassVar[tuple[str, ...]] = (*UNSCHEDULABLE, "no endpoints")
    expected: ClassVar[str] = "a request that some node can satisfy"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            memory: Request of memory; empty: twice that of the largest node.
        """

        memory: str = Field(default="")

        @field_validator("memory")
        @classmethod
        def _is_quantity(cls, value: str) -> str:
            if value:
                memory_bytes(value)
            return value

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        memory = context.parameters.memory or f"{2 * _largest(context.cluster) // 2**20 + 200}Mi"
        resources: dict[str, Any] = {"requests": {"memory": memory}}
        right = right_container(context).get("resources") or {}
        if "memory" in (right.get("limits") or {}):
            resources["limits"] = {"memory": memory}  # never below the request
        return TemplateChange(
            f"containers[name={context.component.container}].resources.requests.memory",
            memory,
            str((right.get("requests") or {}).get("memory", "")),
            container={"resources": resources},
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        requests = (live.container.get("resources") or {}).get("requests") or {}
        memory = str(requests.get("memory", "0"))
        # Who may not look at nodes goes by the value alone.
        most = _largest(live.cluster) or memory_bytes(self.change(context).after) - 1
        too_large = memory_bytes(memory) > most
        return [f"requests {memory} of memory"] if too_large else []


def open_nodes(cluster: Cluster) -> list[KubeObject]:
    """Nodes that are for pods which tolerate nothing.

    One that is cordoned or unwell for a while is among them: what a fault changes, and how that is
    repaired, does not depend on who works on nodes meanwhile.
    """
    return [node for node in cluster.list("v1", "Node") if not kept_taints(node)]


def kept_taints(node: KubeObject) -> list[dict[str, Any]]:
    """The taints that keep pods off and that are meant to stay."""
    return [
        taint
        for taint in (node.get("spec") or {}).get("taints") or ()
        if taint["effect"] in KEEPS_OFF and not taint["key"].startswith(_PASSING)
    ]


def _largest(cluster: Cluster) -> int:
    """Bytes of memory of the largest node, as far as pods may have it."""
    found = [node.get("status", {}).get("allocatable", {}) for node in open_nodes(cluster)]
    return max((memory_bytes(str(one.get("memory", "0"))) for one in found), default=0)


def _labels(labels: dict[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
