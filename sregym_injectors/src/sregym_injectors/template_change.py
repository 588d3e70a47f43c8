"""Faults that are one change of a pod template: what each of them defines, and what all have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.model import (
    Change,
    Check,
    Component,
    ComponentPart,
    GroundTruth,
    ObjectRef,
    pod_spec,
)
from typing_extensions import override

from sregym_injectors import commands
from sregym_injectors.component_fault import not_custom, not_load, not_rolling
from sregym_injectors.defects import defect_check
from sregym_injectors.edits import Edits
from sregym_injectors.ground_truth import truth_of
from sregym_injectors.manifests import manifest_of
from sregym_injectors.restarts import ClientParameters, TemplateParameters, clients_of
from sregym_injectors.rollouts import chosen_rollout
from sregym_injectors.templates import TemplateFault, container_patch, repair_commands
from sregym_injectors.workloads import container_of, restart_rollout, roll_out, workload_defects

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cluster, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject


# What a workload has where its manifest says nothing.
_DEFAULTS: Mapping[str, Any] = MappingProxyType(
    {
        "replicas": 1,
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
        },
    }
)


@dataclass(frozen=True)
class TemplateChange:
    """A wrong change of the template of a component's pods, and of what stands around them.

    Attributes:
        what: Path of what changes, for people: `nodeSelector`.
        after: What it is then, for people; what it was follows from the manifest.
        before: What it was; empty for nothing.
        container: Fields of the component's container, for a strategic patch.
        pod: Fields of the pod's specification, likewise.
        workload: Fields of the workload's specification, likewise.
        objects: What is created before, in this order.
        whole: Whether lists in `pod` replace those that are there instead of being merged.
    """

    what: str
    after: str
    before: str = ""
    container: dict[str, Any] = field(default_factory=dict)
    pod: dict[str, Any] = field(default_factory=dict)
    workload: dict[str, Any] = field(default_factory=dict)
    objects: tuple[KubeObject, ...] = ()
    whole: bool = False

    @property
    def touches_workload(self) -> bool:
        """Whether anything of the workload itself changes."""
        return bool(self.container or self.pod or self.workload)


@dataclass(frozen=True)
class Template:
    """The template of a workload as it is in the cluster.

    Attributes:
        cluster: For what it refers to.
        spec: The pod's specification.
        container: The component's container; empty where there is none of the name.
        workload: The workload's specification.
    """

    cluster: Cluster
    spec: dict[str, Any]
    container: dict[str, Any]
    workload: dict[str, Any]


class PodTemplateFault(TemplateFault):
    """Base of faults that are one change of the pod template of a workload with a rollout.

    Attributes:
        mechanism: `mechanism` of the ground truth.
        phrases: Synonyms of the mechanism in diagnoses.
        symptoms: What is seen of the pods.
        expected: What holds again once it is repaired.
        restarts: Whether the pods are restarted where nothing of their workload changes.
    """

    layer: ClassVar[str] = "kubernetes"
    parts: ClassVar[tuple[ComponentPart, ...]] = (ComponentPart.CONTAINER,)
    mechanism: ClassVar[str]
    phrases: ClassVar[tuple[str, ...]]
    symptoms: ClassVar[tuple[str, ...]]
    expected: ClassVar[str]
    restarts: ClassVar[bool] = True

    class Parameters(TemplateParameters):
        """What all have."""

    @abstractmethod
    def change(self, context: FaultContext) -> TemplateChange:
        """The change; from manifests, parameters and the nodes of the cluster alone."""

    @abstractmethod
    def defects(self, context: FaultContext, live: Template) -> list[str]:
        """What is still wrong with the live template, however it was repaired."""

    @override
    def mismatch_reason(self, component: Component) -> str:
        return not_load(component) or not_custom(component) or not_rolling(component)

    @override
    def inject(self, context: FaultContext) -> None:
        edits, component, change = Edits(context), context.component, self.change(context)
        for obj in change.objects:
            edits.create(obj)
        if change.touches_workload:
            kind = "merge" if change.whole else "strategic"
            roll_out(
                edits, component.workload, _patch(component, change), chosen_rollout(context), kind
            )
        elif self.restarts:
            restart_rollout(edits, (component.workload,))
        restart_rollout(edits, clients_of(context))

    @override
    def present(self, context: FaultContext) -> Check:
        ref = context.component.workload
        found = workload_defects(context.cluster, ref)
        workload = context.cluster.get(ref)
        if workload is not None and not found:
            live = Template(
                context.cluster,
                pod_spec(workload),
                container_of(workload, context.component.container) or {},
                workload["spec"],
            )
            found = [f"{ref} {defect}" for defect in self.defects(context, live)]
        return defect_check(self.expected, found)

    @override
    def broken_template(self, context: FaultContext) -> GroundTruth:
        change = self.change(context)
        return truth_of(
            context,
            self.broken(context),
            self.mechanism,
            (*self.phrases, *self.more_phrases(context)),
            Change(what=change.what, before=change.before, after=change.after),
            *self.symptoms,
        )

    def broken(self, context: FaultContext) -> ObjectRef:
        """The object with the defect."""
        return context.component.workload

    def more_phrases(self, context: FaultContext) -> tuple[str, ...]:
        """Phrases that depend on parameters."""
        return ()

    @override
    def reference_fix(self, context: FaultContext) -> tuple[Command, ...]:
        component, change = context.component, self.change(context)
        if not change.touches_workload:
            # Controllers that were refused try again ever more seldom: a restart does not wait.
            own = commands.restart_and_wait((component.workload,))
            return (*self.cleaning(context), *own, *commands.restart_and_wait(clients_of(context)))
        manifest = manifest_of(context.application, component.workload)
        operations = [
            *_restoring(pod_spec(manifest), component, change),
            *(
                {
                    "op": "replace",
                    "path": f"/spec/{name}",
                    "value": manifest["spec"].get(name, _DEFAULTS[name]),
                }
                for name in change.workload
            ),
        ]
        repair = commands.patch(component.workload, operations, "json")
        return (
            *repair_commands(context.application, component, repair, chosen_rollout(context)),
            *self.cleaning(context),
            *commands.restart_and_wait(clients_of(context)),
        )

    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        """What of the reference fix takes added objects away; those that do no harm may stay."""
        return ()


def _restoring(
    spec: Mapping[str, Any], component: Component, change: TemplateChange
) -> list[dict[str, Any]]:
    """The operations that give pods back what the manifest has in each field that was changed.

    Other fields stay as they are: another fault of the same pods has a repair of its own, and whoever
    may not make privileged containers can still mend those beside one.
    """
    pod = "/spec/template/spec"
    place = next(
        (n for n, c in enumerate(spec["containers"]) if c["name"] == component.container), -1
    )
    restored = [_given_back(pod, spec, name, value) for name, value in change.pod.items()]
    if place < 0 and change.container:
        restored = [{"op": "replace", "path": pod, "value": spec}]
    elif "containers" not in change.pod:
        path, right = f"{pod}/containers/{place}", spec["containers"][place]
        restored += [_given_back(path, right, n, value) for n, value in change.container.items()]
    return [operation for operation in restored if operation]


def _given_back(path: str, right: Mapping[str, Any], name: str, given: Any) -> dict[str, Any]:
    """The operation that gives a field its right value; nothing where it is gone and has none."""
    if name in right:
        return {"op": "add", "path": f"{path}/{name}", "value": right[name]}
    return {} if given is None else {"op": "remove", "path": f"{path}/{name}"}


class AddedObjectFault(PodTemplateFault):
    """Base of faults that add objects which keep a component's pods from coming back.

    The template stays right. The pods are restarted, as the next update would do, and the
    objects are found by what they do, under whatever name: see `defects`.
    """

    # They are about the pod, whichever container is named.
    parts: ClassVar[tuple[ComponentPart, ...]] = ()

    class Parameters(ClientParameters):
        """What all have: there is no broken template whose rollout could be stuck."""

    @override
    def broken(self, context: FaultContext) -> ObjectRef:
        return ObjectRef.of(self.change(context).objects[0])

    @override
    def cleaning(self, context: FaultContext) -> tuple[Command, ...]:
        added = self.change(context).objects
        return tuple(commands.delete(ObjectRef.of(obj)) for obj in reversed(added))


def _patch(component: Component, change: TemplateChange) -> dict[str, Any]:
    patch = container_patch(component, change.container)
    patch["spec"]["template"]["spec"].update(change.pod)
    if not change.container:
        patch = {"spec": {"template": {"spec": change.pod}}} if change.pod else {"spec": {}}
    patch["spec"].update(change.workload)
    return patch


def right_container(context: FaultContext) -> dict[str, Any]:
    """The component's container by the manifests."""
    component = context.component
    manifest = manifest_of(context.application, component.workload)
    return container_of(manifest, component.container) or {}


def right_pod(context: FaultContext) -> dict[str, Any]:
    """The specification of the component's pods by the manifests."""
    return pod_spec(manifest_of(context.application, context.component.workload))
