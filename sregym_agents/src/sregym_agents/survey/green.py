"""Whether Kubernetes itself looks healthy while a fault is active."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_agents.survey.shortcuts import is_ready
from sregym_agents.survey.signals import names_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sregym_agents.survey.listed import KubeObject, Listing


def is_green(seen: Listing, broken: Collection[str]) -> bool:
    """Whether all pods are ready and no warning is about what is broken, or names it.

    A workload that wants no pods, or has fewer than it wants, is not green. Warnings about others
    do not count: they do not say where the cause is.

    Args:
        seen: What was listed.
        broken: Names of the components, nodes and other things in which the root causes are.
    """
    for obj in seen.objects:
        if obj["kind"] == "Pod" and not is_ready(obj):
            return False
        if obj["kind"] in _PODS and not _complete(obj):
            return False
        if obj["kind"] == "Event" and obj["type"] == "Warning" and _about(seen, obj, broken):
            return False
    return True


_PODS = ("Deployment", "StatefulSet", "DaemonSet")


def _complete(workload: KubeObject) -> bool:
    status: Mapping[str, Any] = workload.get("status") or {}
    if workload["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        return bool(status.get("numberReady", 0) >= wanted)
    wanted = workload["spec"].get("replicas", 1)
    return bool(0 < wanted <= status.get("readyReplicas", 0))


def _about(seen: Listing, event: KubeObject, broken: Collection[str]) -> bool:
    about = (event.get("involvedObject") or {}).get("name", "")
    names = {about, seen.of_pod(about), seen.owner(_involved(event))}
    if not names.isdisjoint(broken):
        return True
    return any(
        about.startswith(f"{name}-") or names_whole(event.get("message") or "", name)
        for name in broken
    )


def _involved(event: KubeObject) -> dict[str, Any]:
    ref = event.get("involvedObject") or {}
    return {"kind": ref.get("kind", ""), "metadata": {"name": ref.get("name", "")}}
