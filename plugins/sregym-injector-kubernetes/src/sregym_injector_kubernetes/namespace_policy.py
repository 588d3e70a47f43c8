"""A namespace allows less than its pods need: a quota, a range of limits, a security standard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from sregym_core.model import ROLLING_KINDS, ObjectRef, TargetKind, pod_spec
from sregym_injectors.edits import Edits
from sregym_injectors.quantities import memory_bytes
from sregym_injectors.restarts import ClientParameters, clients_of
from sregym_injectors.template_change import (
    AddedObjectFault,
    Template,
    TemplateChange,
    right_container,
)
from sregym_injectors.workloads import restart_rollout
from typing_extensions import override

from sregym_injectors import commands

if TYPE_CHECKING:
    from sregym_core.interfaces import Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_ENFORCE = "pod-security.kubernetes.io/enforce"
_MEMORY = ("requests.memory", "memory", "limits.memory")
# What a container without a limit may be expected to need.
_USUAL_MIB = 64
_RANGE_MIB = 8


class NamespacePolicy(AddedObjectFault):
    """Puts a policy on the namespace; the component's pods, restarted, are refused."""

    name: ClassVar[str] = "namespace-policy"
    title: ClassVar[str] = "Namespace policy refuses pods"
    mechanism: ClassVar[str] = "namespace-policy-too-strict"
    phrases: ClassVar[tuple[str, ...]] = (
        "namespace policy refuses pods",
        "pods are forbidden by a policy of the namespace",
        "pod creation is forbidden",
        "FailedCreate",
    )
    symptoms: ClassVar[tuple[str, ...]] = ("no pods", "no endpoints", "FailedCreate")
    breaks: ClassVar[TargetKind | None] = TargetKind.NAMESPACE
    expected: ClassVar[str] = "the namespace lets all pods of its workloads be created"

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            by: A quota of `memory` or of `pods`, a `limit-range`, or the standard `restricted` of
                `pod-security`; empty: a quota of memory where the container requests memory, else
                one of pods.
            policy: Name of the added object.
        """

        by: Literal["", "memory", "pods", "limit-range", "pod-security"] = ""
        policy: str = "team-limits"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        by, name = _by(context), context.parameters.policy
        if by == "pod-security":
            return TemplateChange(f"metadata.labels[{_ENFORCE}]", "restricted")
        metadata = {"name": name, "namespace": context.component.namespace}
        if by == "limit-range":
            most = f"{_RANGE_MIB}Mi"
            limit = {"type": "Container", "max": {"memory": most}}
            obj = {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata}
            added: KubeObject = {**obj, "spec": {"limits": [limit]}}
            return TemplateChange("spec.limits[0].max.memory", most, objects=(added,))
        key, amount = _one_short(context, by)
        obj = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
        added = {**obj, "spec": {"hard": {key: amount}}}
        return TemplateChange(f"spec.hard.{key}", amount, objects=(added,))

    @override
    def inject(self, context: FaultContext) -> None:
        if _by(context) != "pod-security":
            super().inject(context)
            return
        edits = Edits(context)
        edits.patch(
            _namespace(context), {"metadata": {"labels": {_ENFORCE: "restricted"}}}, "merge"
        )
        restart_rollout(edits, (context.component.workload, *clients_of(context)))

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        namespace, found = context.component.namespace, []
        for quota in live.cluster.list("v1", "ResourceQuota", namespace):
            hard = (quota.get("spec") or {}).get("hard") or {}
            found += [
                f"is held back by ResourceQuota {quota['metadata']['name']} with {key} {hard[key]}"
                for key in (*_MEMORY, "pods")
                if key in hard and _amount(key, hard[key]) < _needed(context, key)
            ]
        for limits in live.cluster.list("v1", "LimitRange", namespace):
            for limit in (limits.get("spec") or {}).get("limits") or ():
                most = (limit.get("max") or {}).get("memory")
                if most and memory_bytes(most) < _own_memory(context):
                    name = limits["metadata"]["name"]
                    found.append(f"is held back by LimitRange {name} with max.memory {most}")
        labels = (live.cluster.get(_namespace(context)) or {"metadata": {}})["metadata"].get(
            "labels"
        )
        if (labels or {}).get(_ENFORCE) == "restricted" and not _is_restricted(live.spec):
            found.append(f"does not meet the standard restricted, which {namespace} enforces")
        return found

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        added = self.change(context).objects
        return ObjectRef.of(added[0]) if added else _namespace(context)

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        if self.change(context).objects:
            return super().cleaning(context)
        without = {"metadata": {"labels": {_ENFORCE: None}}}
        return (commands.patch(_namespace(context), without, "merge"),)

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        by = _by(context)
        if by == "pod-security":
            return (
                "pod security standard restricted",
                "pod security admission",
                "violates PodSecurity restricted",
                "namespace enforces the restricted pod security standard",
                "pod-security.kubernetes.io/enforce",
            )
        if by == "limit-range":
            return ("LimitRange too small", "LimitRange maximum below the limit", "limit range")
        return (
            "ResourceQuota exceeded",
            "resource quota too small",
            "exceeded quota",
            "namespace quota exhausted",
            f"quota of {by}",
        )


def _by(context: FaultContext) -> str:
    given = str(context.parameters.by)
    requests = (right_container(context).get("resources") or {}).get("requests") or {}
    return given or ("memory" if "memory" in requests else "pods")


def _namespace(context: FaultContext) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Namespace", name=context.component.namespace)


def _one_short(context: FaultContext, by: str) -> tuple[str, str]:
    """Key and amount of a quota under which everything has room but one pod of the component."""
    if by == "pods":
        return "pods", str(_needed(context, "pods") - 1)
    return "requests.memory", f"{_needed(context, 'requests.memory') // 2**20 - 1}Mi"


def _amount(key: str, quantity: str | int) -> int:
    return int(quantity) if key == "pods" else memory_bytes(quantity)


def _needed(context: FaultContext, key: str) -> int:
    """What the workloads of the component's namespace need by the manifests."""
    return sum(
        (1 if key == "pods" else _memory_of(pod_spec(obj), key)) * obj["spec"].get("replicas", 1)
        for obj in context.application.manifests()
        if obj["kind"] in ROLLING_KINDS
        and obj["metadata"].get("namespace") == context.component.namespace
    )


def _memory_of(spec: dict[str, Any], key: str) -> int:
    field = "limits" if key.startswith("limits") else "requests"
    given = [((one.get("resources") or {}).get(field) or {}) for one in spec["containers"]]
    return sum(memory_bytes(one.get("memory", "0")) for one in given)


def _own_memory(context: FaultContext) -> int:
    resources = right_container(context).get("resources") or {}
    given = (resources.get("limits") or {}).get("memory", f"{_USUAL_MIB}Mi")
    return memory_bytes(given)


def _is_restricted(spec: dict[str, Any]) -> bool:
    """Whether a pod says what the standard wants to be said by each: that it is not root."""
    of_pod = (spec.get("securityContext") or {}).get("runAsNonRoot")
    return all(
        (entry.get("securityContext") or {}).get("runAsNonRoot", of_pod)
        for entry in (*(spec.get("initContainers") or ()), *spec["containers"])
    )
