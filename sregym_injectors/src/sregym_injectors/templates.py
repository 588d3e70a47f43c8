"""Changes of the template of a workload's pods, whatever kind of workload it is.

The pods of a Deployment, StatefulSet or DaemonSet follow a change of the template; the next run of
a CronJob does. The template of a Job or Pod cannot be changed: it is deleted and recreated, as
`kubectl replace --force` does.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import ROLLING_KINDS, ContainerKind, ObjectRef, pod_spec, template_patch
from sregym_kubernetes.copying import copied
from typing_extensions import override

from sregym_injectors import commands
from sregym_injectors.component_fault import ComponentFault, article
from sregym_injectors.manifests import manifest_of
from sregym_injectors.pods import label_selector
from sregym_injectors.rollouts import Rollout, chosen_rollout, outstanding, truth_of_stuck
from sregym_injectors.workloads import roll_out

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Command, FaultContext
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, GroundTruth

    from sregym_injectors.edits import Edits

_KEPT_METADATA = ("name", "namespace", "labels", "annotations")
# What the control plane writes into a Job, and refuses of others.
_JOB_LABELS = ("controller-uid", "job-name")
_BOUND = ("nodeName", "serviceAccount")


class TemplateFault(ComponentFault):
    """Base of faults that break the template of a component's pods.

    Its parameters derive from `RolloutParameters`, which say how the rollout ends. `inject` makes
    the change by `change_container` or `roll_out` with `chosen_rollout(context)`; the rest follows:
    the episode waits until the rollout has ended so, and the ground truth names a stuck one.
    """

    @override
    def outstanding(self, context: FaultContext) -> str:
        return outstanding(context.cluster, context.component.workload, chosen_rollout(context))

    @override
    def ground_truth(self, context: FaultContext) -> GroundTruth:
        truth = self.broken_template(context)
        if chosen_rollout(context) is Rollout.REPLACED:
            return truth
        return truth_of_stuck(truth, context.component.workload)

    @abstractmethod
    def broken_template(self, context: FaultContext) -> GroundTruth:
        """The root cause in fixed fields, with what users see once no old pod is left."""


def change_container(
    edits: Edits,
    component: Component,
    changes: dict[str, Any],
    rollout: Rollout = Rollout.REPLACED,
) -> None:
    """Change a component's container; its pods follow as far as the workload's kind lets them.

    Args:
        edits: Of the injection.
        component: The component whose `container` is meant.
        changes: Fields of the container, nested ones merged, None for those that go.
        rollout: How the rollout ends, for kinds that have one.

    Raises:
        WorldError: A rollout was to be stuck where there is none, or where it cannot be.
    """
    ref = component.workload
    if ref.kind in ROLLING_KINDS:
        roll_out(edits, ref, container_patch(component, changes), rollout)
        return
    if rollout is Rollout.STUCK:
        raise WorldError(
            f"the rollout of {ref} cannot be stuck: {article(ref.kind)} has none; choose a "
            "Deployment, StatefulSet or DaemonSet, or the parameter rollout: replaced"
        )
    if ref.kind == "CronJob":
        edits.patch(ref, container_patch(component, changes), "strategic")
    else:
        obj = without_server_fields(edits.read(ref))
        for entry in _list_of(component, pod_spec(obj)):
            if entry["name"] == component.container:
                _merge(entry, changes)
        edits.delete(ref)
        edits.cluster.clock.wait_until(lambda: edits.cluster.get(ref) is None, _GONE_S, 1.0)
        edits.create(obj)


# Pods that ignore SIGTERM keep what owns them for their grace period.
_GONE_S = 120.0


def container_patch(component: Component, changes: dict[str, Any]) -> dict[str, Any]:
    """A strategic patch of a workload that changes fields of the component's container."""
    entry = {"name": component.container, **changes}
    template = {"spec": {_field_of(component): [entry]}}
    return template_patch(component.workload.kind, template)


def repair_commands(
    application: Application,
    component: Component,
    repair: Command,
    rollout: Rollout = Rollout.REPLACED,
) -> tuple[Command, ...]:
    """The commands of an SRE who gives the component its template back.

    Args:
        application: The application; its manifests are right.
        component: The component.
        repair: What suffices where pods follow the template.
        rollout: How the rollout of the wrong template has ended.
    """
    ref = component.workload
    if ref.kind in ROLLING_KINDS:
        unblocking = _unblocking(manifest_of(application, ref), ref, rollout)
        return (repair, *unblocking, commands.rollout_status(ref))
    # What a run has begun with the wrong template would stand in the way of the next: it goes too.
    return (commands.delete(ref), commands.apply(manifest_of(application, ref)))


def _unblocking(manifest: KubeObject, ref: ObjectRef, rollout: Rollout) -> tuple[Command, ...]:
    """Deletes the broken pods of a StatefulSet in order: it waits for them to become ready first."""
    spec = manifest["spec"]
    if ref.kind != "StatefulSet" or spec.get("podManagementPolicy") == "Parallel":
        return ()
    if rollout is Rollout.REPLACED:
        return (commands.delete_pods(ref.namespace, label_selector(spec["selector"])),)
    first = (spec.get("ordinals") or {}).get("start", 0)
    # An update begins with the highest, and goes no further than the first that fails.
    broken = f"{ref.name}-{first + spec.get('replicas', 1) - 1}"
    pod = ObjectRef(api_version="v1", kind="Pod", namespace=ref.namespace, name=broken)
    return (commands.delete(pod),)


def without_server_fields(obj: KubeObject) -> KubeObject:
    """A Job or Pod as a user would create it again: without what the cluster filled in."""
    fresh = copied(obj)
    fresh.pop("status", None)
    metadata = fresh["metadata"]
    fresh["metadata"] = {key: metadata[key] for key in _KEPT_METADATA if key in metadata}
    if fresh["kind"] == "Job" and not fresh["spec"].get("manualSelector"):
        fresh["spec"].pop("selector", None)
        for labels in (fresh["metadata"], fresh["spec"]["template"].get("metadata") or {}):
            _drop_labels(labels)
    if fresh["kind"] == "Pod":
        for field in _BOUND:
            fresh["spec"].pop(field, None)
        _drop_token(fresh["spec"])
    return fresh


def _drop_labels(metadata: dict[str, Any]) -> None:
    labels = metadata.get("labels") or {}
    for name in list(labels):
        if name.rpartition("/")[2] in _JOB_LABELS:
            del labels[name]


def _drop_token(spec: dict[str, Any]) -> None:
    """Take the volume with the ServiceAccount's token away, which admission adds to each pod."""
    volumes = spec.get("volumes") or []
    added = {v["name"] for v in volumes if v["name"].startswith("kube-api-access-")}
    spec["volumes"] = [v for v in volumes if v["name"] not in added]
    for entry in (*(spec.get("initContainers") or ()), *spec["containers"]):
        mounts = entry.get("volumeMounts") or ()
        entry["volumeMounts"] = [mount for mount in mounts if mount["name"] not in added]


def _field_of(component: Component) -> str:
    kind = component.own_container.kind
    return "containers" if kind is ContainerKind.CONTAINER else "initContainers"


def _list_of(component: Component, spec: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = spec[_field_of(component)]
    return found


def _merge(into: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        if value is None:
            into.pop(key, None)
        elif isinstance(value, dict):
            _merge(into.setdefault(key, {}), value)
        else:
            into[key] = value
