"""Changes of the template of a workload's pods, whatever kind of workload it is.

The pods of a Deployment, StatefulSet or DaemonSet follow a change of the template; the next run of
a CronJob does. The template of a Job or Pod cannot be changed: it is deleted and made anew, as
`kubectl replace --force` does.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from sregym_core.model import ROLLING_KINDS, ContainerKind, pod_spec, template_patch

from sregym_injectors import commands
from sregym_injectors.manifests import manifest_of
from sregym_injectors.workloads import roll_out

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Command
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

    from sregym_injectors.edits import Edits

_KEPT_METADATA = ("name", "namespace", "labels", "annotations")
# What the control plane writes into a Job, and refuses of others.
_JOB_LABELS = ("controller-uid", "job-name")
_BOUND = ("nodeName", "serviceAccount")


def change_container(edits: Edits, component: Component, changes: dict[str, Any]) -> None:
    """Change a component's container; its pods follow as far as the workload's kind lets them.

    Args:
        edits: Of the injection.
        component: Whose `container` is meant.
        changes: Fields of the container, nested ones merged, None for those that go.
    """
    ref = component.workload
    if ref.kind in ROLLING_KINDS:
        roll_out(edits, ref, container_patch(component, changes))
    elif ref.kind == "CronJob":
        edits.patch(ref, container_patch(component, changes), "strategic")
    else:
        obj = made_anew(edits.read(ref))
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


def mending(application: Application, component: Component, repair: Command) -> tuple[Command, ...]:
    """The commands of an SRE who gives the component its template back.

    Args:
        application: Whose manifests are right.
        component: The component.
        repair: What suffices where pods follow the template.
    """
    ref = component.workload
    if ref.kind in ROLLING_KINDS:
        return (repair, commands.rollout_status(ref))
    # What a run has begun with the wrong template would stand in the way of the next: it goes too.
    return (commands.delete(ref), commands.apply(manifest_of(application, ref)))


def made_anew(obj: KubeObject) -> KubeObject:
    """A Job or Pod as somebody would create it again: without what the cluster filled in."""
    fresh = deepcopy(obj)
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
