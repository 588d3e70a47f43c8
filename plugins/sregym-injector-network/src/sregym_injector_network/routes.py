"""Nodes that do not tell each other any more where their pods are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.model import Change, Check, GroundTruth, ObjectRef
from sregym_injectors.cluster_fault import ClusterFault, cluster_truth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.workloads import restart_rollout, rolled_out
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_SYSTEM = "kube-system"
ROUTERS = ObjectRef(api_version="apps/v1", kind="DaemonSet", namespace=_SYSTEM, name="kube-router")
LABELS = "k8s-app=kube-router"
SERVER, CLIENT = "kube-router.io/rr.server", "kube-router.io/rr.client"
_ROLE = "node-role.kubernetes.io/control-plane"


class RoutesLost(ClusterFault):
    """Makes all workers clients of a route reflector that no node is any more."""

    name: ClassVar[str] = "routes-lost"
    title: ClassVar[str] = "Nodes have no routes to each other's pods"

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            cluster_id: Identity of the reflectors' cluster, as the annotations say it.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        cluster_id: int = Field(default=42, ge=1, lt=2**32)

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edits.save(ROUTERS)  # so that recovery restarts them after it has restored the Nodes
        client = {CLIENT: str(context.parameters.cluster_id), SERVER: None}
        for node in _workers(context.cluster):
            edits.patch(ObjectRef.of(node), {"metadata": {"annotations": client}}, "merge")
        for node in context.cluster.list("v1", "Node"):
            if SERVER in _annotations(node):
                gone = {"metadata": {"annotations": {SERVER: None}}}
                edits.patch(ObjectRef.of(node), gone, "merge")
        restart_rollout(edits, (ROUTERS,))

    @override
    def outstanding(self, context: FaultContext) -> str:
        routers = context.cluster.get(ROUTERS)
        done = routers is None or rolled_out(routers)
        return "" if done else f"{ROUTERS} still has pods that read the annotations before"

    @override
    def present(self, context: FaultContext) -> Check:
        nodes = context.cluster.list("v1", "Node")
        found = [
            f"Node {name} is a client of route reflectors, and no other node is one"
            for node in nodes
            if CLIENT in _annotations(node) and not _reflectors(nodes, name := _name(node))
        ]
        return defect_check("every client of route reflectors has one", found)

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        identity = context.parameters.cluster_id
        change = Change(
            what="annotations of Nodes", before="", after=f"{CLIENT}={identity}, nowhere {SERVER}"
        )
        phrases = (
            "no node is a route reflector",
            "route reflector is missing",
            "route reflector annotation is missing",
            "BGP peers select no route reflector",
            "BGP sessions between the nodes are gone",
            "routes between nodes are lost",
            "nodes have no routes to each other's pods",
            "nodes are clients of a route reflector that does not exist",
            "pod network between nodes is broken",
            "kube-router has no BGP peers",
        )
        symptoms = (
            "network is unreachable",
            "connections between nodes fail",
            "name resolution fails",
        )
        return cluster_truth(
            context, ROUTERS, ROUTERS.name, "routes-lost", phrases, change, symptoms
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        nodes = sorted(
            context.cluster.list("v1", "Node"), key=lambda one: (not _leads(one), _name(one))
        )
        role: dict[str, Any] = {SERVER: str(context.parameters.cluster_id), CLIENT: None}
        chosen = ObjectRef.of(nodes[0])
        return (
            commands.patch(chosen, {"metadata": {"annotations": role}}, "merge"),
            commands.delete_pods(_SYSTEM, LABELS),
            commands.rollout_status(ROUTERS),
        )


def _name(node: KubeObject) -> str:
    return str(node["metadata"]["name"])


def _annotations(node: KubeObject) -> dict[str, str]:
    return node["metadata"].get("annotations") or {}


def _leads(node: KubeObject) -> bool:
    return _ROLE in (node["metadata"].get("labels") or {})


def _workers(cluster: Cluster) -> list[KubeObject]:
    return [node for node in cluster.list("v1", "Node") if not _leads(node)]


def _reflectors(nodes: Sequence[KubeObject], client: str) -> list[str]:
    """The nodes that reflect routes for a client."""
    return [_name(node) for node in nodes if SERVER in _annotations(node) and _name(node) != client]
