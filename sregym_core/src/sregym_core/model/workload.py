"""Kinds of workloads, and where the template of their pods stands in each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Those whose pods are replaced when the template changes.
ROLLING_KINDS = ("Deployment", "StatefulSet", "DaemonSet")
# Those whose pods run to an end.
BATCH_KINDS = ("Job", "CronJob")
WORKLOAD_KINDS = (*ROLLING_KINDS, *BATCH_KINDS, "Pod")

_TEMPLATE = ("spec", "template")
_PATHS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*ROLLING_KINDS, "Job"), _TEMPLATE),
    "CronJob": ("spec", "jobTemplate", *_TEMPLATE),
    "Pod": (),
}


def pod_template(workload: Mapping[str, Any]) -> dict[str, Any]:
    """The template of a workload's pods, with `metadata` and `spec`; a Pod is its own.

    Empty for a custom resource: only its operator knows.
    """
    path = _PATHS.get(workload["kind"])
    if path is None:
        return {}
    found: Any = workload
    for step in path:
        found = found.get(step) or {}
    return dict(found)


def pod_spec(workload: Mapping[str, Any]) -> dict[str, Any]:
    """The specification of a workload's pods; empty for a custom resource."""
    return dict(pod_template(workload).get("spec") or {})


def containers_of(workload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All containers of a workload's pods, init containers first."""
    spec = pod_spec(workload)
    return [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]


def template_patch(kind: str, template: Mapping[str, Any]) -> dict[str, Any]:
    """A patch of a workload that changes the template of its pods.

    Args:
        kind: Of the workload, one of `WORKLOAD_KINDS`.
        template: What changes there: `{"spec": {"containers": [...]}}`.
    """
    patch = dict(template)
    for step in reversed(_PATHS[kind]):
        patch = {step: patch}
    return patch
