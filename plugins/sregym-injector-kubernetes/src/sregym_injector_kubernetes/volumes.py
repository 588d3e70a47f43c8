"""Claims that pods cannot have where they are to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.errors import WorldError
from sregym_core.model import ComponentPart, FailureMode, ObjectRef
from sregym_injectors.component_fault import article
from sregym_injectors.restarts import ClientParameters, TemplateParameters
from sregym_injectors.template_change import PodTemplateFault, Template, TemplateChange
from typing_extensions import override

from sregym_injector_kubernetes.placement import UNSCHEDULABLE, open_nodes
from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Cluster, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

HOSTNAME = "kubernetes.io/hostname"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class ClaimShared(PodTemplateFault):
    """Lets pods that must stay apart share a claim which one node alone can have."""

    name: ClassVar[str] = "claim-shared"
    title: ClassVar[str] = "Replicas on different nodes share one claim"
    # The pods that were enough before go on serving.
    modes: ClassVar[tuple[FailureMode, ...]] = (FailureMode.LATENT,)
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "claim-shared-between-nodes"
    phrases: ClassVar[tuple[str, ...]] = (
        "ReadWriteOnce claim shared by replicas",
        "ReadWriteOnce volume mounted by several replicas on different nodes",
        "replicas share one PersistentVolumeClaim",
        "duplicate PVC mounts",
        "PVC is mounted by more than one pod",
        "volume node affinity conflict",
        "Multi-Attach error",
        "claim cannot be shared between nodes",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("pods are Pending", "replicas are missing")
    expected: ClassVar[str] = "no claim of one node for pods that must stay apart"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            more: How many replicas there are to be besides those of the manifest.
            size: Of the claim.
        """

        more: int = Field(default=1, ge=1)
        size: str = "1Gi"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        kind = component.workload.kind
        if kind != "Deployment":
            return f"{article(kind)} does not share claims among replicas that can be added"
        return "its data are of one process alone" if component.volumes else ""

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, given = context.component, context.parameters
        name = f"{component.name}-cache"
        rule = {
            "labelSelector": {"matchLabels": dict(component.pod_labels)},
            "topologyKey": HOSTNAME,
        }
        replicas = component.replicas + given.more
        return TemplateChange(
            f"volumes[name=cache].persistentVolumeClaim.claimName, {replicas} replicas",
            f"{name}, ReadWriteOnce, one pod on each node",
            f"{component.replicas} replicas",
            container={"volumeMounts": [{"name": "cache", "mountPath": "/var/cache/shared"}]},
            pod={
                "volumes": [{"name": "cache", "persistentVolumeClaim": {"claimName": name}}],
                "affinity": {"podAntiAffinity": {_REQUIRED: [rule]}},
            },
            workload={"replicas": replicas},
            objects=(_claim(component, name, given.size),),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        own = dict(context.component.pod_labels)
        rules = ((live.spec.get("affinity") or {}).get("podAntiAffinity") or {}).get(_REQUIRED)
        apart = any(
            ((rule.get("labelSelector") or {}).get("matchLabels") or {}).items() <= own.items()
            for rule in rules or ()
        )
        replicas = live.workload.get("replicas", 1)
        if not apart or replicas < 2:
            return []
        return [
            f"shares the claim {claim['metadata']['name']} of one node among {replicas} pods"
            for claim in _claims(live, context.component.namespace)
            if "ReadWriteMany" not in (claim["spec"].get("accessModes") or ())
        ]

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        return tuple(commands.delete(ObjectRef.of(obj)) for obj in self.change(context).objects)


class VolumeElsewhere(PodTemplateFault):
    """Gives the pods a volume on one node and pins them to another."""

    name: ClassVar[str] = "volume-elsewhere"
    title: ClassVar[str] = "Volume is on another node than the pod"
    # What is wrong is the pod's, not one container's.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()
    mechanism: ClassVar[str] = "volume-node-affinity-violated"
    phrases: ClassVar[tuple[str, ...]] = (
        "volume node affinity conflict",
        "PersistentVolume is bound to another node",
        "volume on a different node than the pod",
        "PV affinity violation",
        "persistent volume node affinity does not match the node selector",
        "pod is pinned to a node without its volume",
        "had volume node affinity conflict",
    )
    symptoms: ClassVar[tuple[str, ...]] = (*UNSCHEDULABLE, "no endpoints")
    expected: ClassVar[str] = "some node has the volumes and the labels that the pods want"

    class Parameters(TemplateParameters):
        """Parameters.

        Attributes:
            size: Of the volume.
        """

        size: str = "1Gi"

    @override
    def mismatch_reason(self, component: Component) -> str:
        if reason := super().mismatch_reason(component):
            return reason
        return "its pods are where their volumes are" if component.volumes else ""

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        component, size = context.component, context.parameters.size
        home, away = _two_nodes(context.cluster)
        claim = f"{component.name}-scratch"
        volume = f"{component.namespace}-{claim}"
        term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [home]}]}
        holder: KubeObject = {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": volume},
            "spec": {
                "capacity": {"storage": size},
                "accessModes": ["ReadWriteOnce"],
                "persistentVolumeReclaimPolicy": "Retain",
                "storageClassName": "",
                "hostPath": {
                    "path": f"/var/lib/scratch/{component.name}",
                    "type": "DirectoryOrCreate",
                },
                "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
                "claimRef": {"namespace": component.namespace, "name": claim},
            },
        }
        wanted = _claim(component, claim, size)
        wanted["spec"] |= {"storageClassName": "", "volumeName": volume}
        return TemplateChange(
            "nodeSelector",
            f"{HOSTNAME}={away}, with the claim {claim} on {home}",
            container={"volumeMounts": [{"name": "scratch", "mountPath": "/var/lib/scratch"}]},
            pod={
                "volumes": [{"name": "scratch", "persistentVolumeClaim": {"claimName": claim}}],
                "nodeSelector": {HOSTNAME: away},
            },
            objects=(holder, wanted),
        )

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        wanted = live.spec.get("nodeSelector") or {}
        nodes = [
            node
            for node in live.cluster.list("v1", "Node")
            if wanted.items() <= (node["metadata"].get("labels") or {}).items()
        ]
        found = []
        for claim in _claims(live, context.component.namespace):
            volume = _volume_of(live.cluster, claim)
            if volume is not None and nodes and not any(_has(node, volume) for node in nodes):
                place = ",".join(f"{key}={value}" for key, value in sorted(wanted.items()))
                name = claim["metadata"]["name"]
                found.append(f"wants {place} and the claim {name}, which is elsewhere")
        return found

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        return (f"claim {context.component.name}-scratch",)


def _claim(component: Component, name: str, size: str) -> KubeObject:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": component.namespace},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}},
    }


def _claims(live: Template, namespace: str) -> list[KubeObject]:
    """The claims that a pod mounts, as far as they exist."""
    refs = [
        ObjectRef(
            api_version="v1",
            kind="PersistentVolumeClaim",
            namespace=namespace,
            name=volume["persistentVolumeClaim"]["claimName"],
        )
        for volume in live.spec.get("volumes") or ()
        if volume.get("persistentVolumeClaim")
    ]
    return [claim for ref in refs if (claim := live.cluster.get(ref)) is not None]


def _volume_of(cluster: Cluster, claim: KubeObject) -> KubeObject | None:
    name = claim["spec"].get("volumeName", "")
    return (
        cluster.get(ObjectRef(api_version="v1", kind="PersistentVolume", name=name))
        if name
        else None
    )


def _has(node: KubeObject, volume: KubeObject) -> bool:
    """Whether a volume can be had on a node, as far as names of nodes decide."""
    required = (volume["spec"].get("nodeAffinity") or {}).get("required") or {}
    terms = required.get("nodeSelectorTerms") or ()
    labels = node["metadata"].get("labels") or {}
    return not terms or any(
        all(
            labels.get(expression["key"]) in (expression.get("values") or ())
            for expression in term.get("matchExpressions") or ()
            if expression["operator"] == "In"
        )
        for term in terms
    )


def _two_nodes(cluster: Cluster) -> tuple[str, str]:
    nodes: list[dict[str, Any]] = open_nodes(cluster)
    if len(nodes) < 2:
        raise WorldError(
            f"a volume on another node needs two nodes that take pods, but the cluster has "
            f"{len(nodes)}; add a node"
        )
    names = [
        (node["metadata"].get("labels") or {}).get(HOSTNAME, node["metadata"]["name"])
        for node in nodes
    ]
    return str(names[0]), str(names[1])
