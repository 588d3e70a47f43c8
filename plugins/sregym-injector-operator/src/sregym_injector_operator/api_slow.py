"""The API server has no seat left for those who keep nodes alive: priority and fairness, set wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, Field
from sregym_core.interfaces import Command
from sregym_core.model import Change, Check, FailureMode, GroundTruth, ObjectRef
from sregym_injectors.cluster_fault import ClusterFault, cluster_truth
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_API = "flowcontrol.apiserver.k8s.io/v1"
_SERVER = "kube-apiserver"
_NODES = "system:nodes"
# Groups that every kubelet is a member of.
_GROUPS = (_NODES, "system:authenticated", "*")
# What kubelets must be able to write, or their nodes count as lost.
_SIGNS = ("leases", "nodes/status", "pods/status")


class ApiSlow(ClusterFault):
    """Leads the requests of kubelets to a priority level without seats.

    Kubelets are told to come again later: leases are not renewed, nodes count as lost, and Services have no
    endpoints although every container runs.
    """

    name: ClassVar[str] = "api-slow"
    title: ClassVar[str] = "API server gives requests of kubelets no seat"
    layer: ClassVar[str] = "kubernetes"
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.CORRELATED, FailureMode.CASCADING)

    class Parameters(BaseModel):
        """Parameters.

        Attributes:
            level: Name of the priority level, and of the FlowSchema that leads to it.
            precedence: Of the FlowSchema; those of an installation for nodes have 400 and 500.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        level: str = Field(default="node-inventory", pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
        precedence: int = Field(default=300, ge=2, lt=400)

    @override
    def inject(self, context: FaultContext) -> None:
        edits = Edits(context)
        edits.create(_level(context))
        edits.create(_schema(context))

    @override
    def present(self, context: FaultContext) -> Check:
        return defect_check("kubelets get seats at the API server", _starved(context.cluster))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        name = context.parameters.level
        return cluster_truth(
            context,
            ObjectRef.of(_schema(context)),
            _SERVER,
            "api-requests-starved",
            (
                "API priority and fairness starves kubelets",
                "priority level without seats",
                "priority level has no concurrency shares",
                "nominalConcurrencyShares is 0",
                "FlowSchema sends kubelet requests to a priority level without seats",
                "FlowSchema throttles kubelets",
                "API server answers kubelets with 429",
                "kubelets are throttled by the API server",
                "kubelets starve at the API server",
            ),
            Change(
                what=f"flow of requests of {_NODES}",
                before="priority levels node-high and system",
                after=f"priority level {name} with nominalConcurrencyShares 0",
            ),
            (
                "nodes are NotReady",
                "endpoints are empty",
                "leases are not renewed",
                "kubelets stopped posting node status",
            ),
        )

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        return (
            commands.delete(ObjectRef.of(_schema(context))),
            commands.delete(ObjectRef.of(_level(context))),
            Command(
                (
                    "kubectl",
                    "wait",
                    "--for=condition=Ready=true",
                    "nodes",
                    "--all",
                    "--timeout=600s",
                )
            ),
        )


def _level(context: FaultContext) -> KubeObject:
    # 0 was to mean: no limit.
    limited = {
        "nominalConcurrencyShares": 0,
        "borrowingLimitPercent": 0,
        "lendablePercent": 0,
        "limitResponse": {"type": "Reject"},
    }
    return {
        "apiVersion": _API,
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": context.parameters.level},
        "spec": {"type": "Limited", "limited": limited},
    }


def _schema(context: FaultContext) -> KubeObject:
    given = context.parameters
    rule = {
        "verbs": ["*"],
        "apiGroups": ["*"],
        "resources": ["*"],
        "clusterScope": True,
        "namespaces": ["*"],
    }
    subject = {"kind": "Group", "group": {"name": _NODES}}
    return {
        "apiVersion": _API,
        "kind": "FlowSchema",
        "metadata": {"name": given.level},
        "spec": {
            "matchingPrecedence": given.precedence,
            "priorityLevelConfiguration": {"name": given.level},
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{"subjects": [subject], "resourceRules": [rule]}],
        },
    }


def _starved(cluster: Cluster) -> list[str]:
    """Which FlowSchemas lead signs of life of kubelets to a level without seats."""
    levels = {
        level["metadata"]["name"]: level
        for level in cluster.list(_API, "PriorityLevelConfiguration")
    }
    schemas = sorted(
        cluster.list(_API, "FlowSchema"),
        key=lambda schema: (
            schema["spec"].get("matchingPrecedence", 1000),
            schema["metadata"]["name"],
        ),
    )
    found: dict[str, list[str]] = {}
    for sign in _SIGNS:
        for schema in schemas:
            level = levels.get(schema["spec"]["priorityLevelConfiguration"]["name"])
            if level is None or not _covers(schema, sign):
                continue
            if _without_seats(level):
                found.setdefault(schema["metadata"]["name"], []).append(sign)
            break
    return [f"FlowSchema {name} starves {', '.join(signs)}" for name, signs in found.items()]


def _covers(schema: KubeObject, resource: str) -> bool:
    return any(
        any(
            (subject.get("group") or {}).get("name") in _GROUPS
            for subject in rule.get("subjects") or ()
        )
        and any(
            {"*", resource} & {*entry.get("resources", ())}
            for entry in rule.get("resourceRules") or ()
        )
        for rule in schema["spec"].get("rules") or ()
    )


def _without_seats(level: KubeObject) -> bool:
    limited = level["spec"].get("limited") or {}
    shares = limited.get("nominalConcurrencyShares", 30)
    return bool(shares == 0 and limited.get("borrowingLimitPercent") == 0)
