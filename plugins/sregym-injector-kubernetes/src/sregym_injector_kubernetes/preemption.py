"""Work that got a higher priority by mistake preempts a component."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field
from sregym_core.model import ObjectRef
from sregym_injectors.restarts import ClientParameters
from sregym_injectors.template_change import AddedObjectFault, Template, TemplateChange
from typing_extensions import override

from sregym_injector_kubernetes.placement import UNSCHEDULABLE, open_nodes
from sregym_injector_kubernetes.volumes import HOSTNAME

if TYPE_CHECKING:
    from sregym_core.interfaces import FaultContext
    from sregym_core.interfaces.cluster import KubeObject

_GROUP = "scheduling.k8s.io/v1"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


class Preemption(AddedObjectFault):
    """Gives batch work that wants nodes for itself a priority above that of everything else."""

    name: ClassVar[str] = "preemption"
    title: ClassVar[str] = "Priority of batch work evicts pods"
    mechanism: ClassVar[str] = "priority-class-preempts"
    phrases: ClassVar[tuple[str, ...]] = (
        "priority preemption",
        "preempted by pods of a higher priority",
        "PriorityClass of batch work is too high",
        "higher priority lets batch work preempt",
        "batch work preempts production pods",
        "preemption by higher priority batch pods",
        "PriorityClass misconfigured",
        "wrong priority class",
        "preemption cascade",
        "Preempted",
    )
    symptoms: ClassVar[tuple[str, ...]] = UNSCHEDULABLE
    expected: ClassVar[str] = "no work of a higher priority that keeps the component's pods off"
    restarts: ClassVar[bool] = False

    class Parameters(ClientParameters):
        """Parameters.

        Attributes:
            priority_class: Name of the class.
            value: Its priority; pods without a class have 0.
            batch: Name of the Deployment that has it.
            image: Image of the batch work, which has `sleep`.
        """

        priority_class: str = "batch-critical"
        value: int = Field(default=1_000_000, ge=1, le=1_000_000_000)
        batch: str = "nightly-report"
        image: str = "busybox:1.36"

    @override
    def change(self, context: FaultContext) -> TemplateChange:
        given = context.parameters
        priority: KubeObject = {
            "apiVersion": _GROUP,
            "kind": "PriorityClass",
            "metadata": {"name": given.priority_class},
            "value": given.value,
            "preemptionPolicy": "PreemptLowerPriority",
        }
        what, after = f"value, of Deployment {given.batch}", str(given.value)
        return TemplateChange(what, after, objects=(priority, _batch(context)))

    @override
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        classes = live.cluster.list(_GROUP, "PriorityClass")
        values = {one["metadata"]["name"]: int(one["value"]) for one in classes}
        own = values.get(live.spec.get("priorityClassName", ""), 0)
        return [
            f"has priority {own} and is kept off by Deployment {other['metadata']['name']} with "
            f"{values[name]}"
            for other in live.cluster.list("apps/v1", "Deployment", context.component.namespace)
            if values.get(name := _spec(other).get("priorityClassName", ""), 0) > own
            and _keeps_off(_spec(other), dict(context.component.pod_labels))
        ]

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        name = context.parameters.priority_class
        return ObjectRef(api_version=_GROUP, kind="PriorityClass", name=name)

    @override
    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        given = context.parameters
        return (f"PriorityClass {given.priority_class}", f"preempted by {given.batch}")


def _spec(deployment: KubeObject) -> dict[str, Any]:
    spec: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return spec


def _keeps_off(spec: dict[str, Any], labels: dict[str, str]) -> bool:
    rules = ((spec.get("affinity") or {}).get("podAntiAffinity") or {}).get(_REQUIRED)
    matched = [(rule.get("labelSelector") or {}).get("matchLabels") or {} for rule in rules or ()]
    return any(wanted and wanted.items() <= labels.items() for wanted in matched)


def _batch(context: FaultContext) -> KubeObject:
    """Work on every node that shares it neither with itself nor with the component."""
    given, component = context.parameters, context.component
    own = {"app": given.batch}
    rules: list[dict[str, Any]] = [
        {"labelSelector": {"matchLabels": labels}, "topologyKey": HOSTNAME}
        for labels in (own, dict(component.pod_labels))
    ]
    entry = {"name": "report", "image": given.image, "command": ["sleep", "infinity"]}
    spec = {
        "priorityClassName": given.priority_class,
        "affinity": {"podAntiAffinity": {_REQUIRED: rules}},
        "containers": [entry],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": given.batch, "namespace": component.namespace, "labels": own},
        "spec": {
            "replicas": max(1, len(open_nodes(context.cluster))),
            "selector": {"matchLabels": own},
            "template": {"metadata": {"labels": own}, "spec": spec},
        },
    }
