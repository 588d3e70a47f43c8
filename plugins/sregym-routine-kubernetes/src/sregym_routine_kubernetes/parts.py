"""What may be done to a part of a running application at any time, and changes nothing that users feel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError
from sregym_core.model import ROLLING_KINDS

from sregym_kubernetes import changes

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component, ObjectRef

# Whose pods may restart at any time: what others registered with them does not have to come back.
RESTARTABLE = ("service", "cache", "tracing", "datastore")
_OWNERS = ("platform", "payments", "growth", "core", "search", "web", "data")


def changeable(application: Application) -> list[Component]:
    """The parts that may be changed and restarted at any time."""
    return [
        part
        for part in application.components()
        # A datastore without a volume loses what it holds.
        if part.kind in RESTARTABLE
        and part.workload.kind in ROLLING_KINDS
        and (part.kind != "datastore" or part.volumes)
    ]


def replaced_one_by_one(cluster: Cluster, part: Component) -> bool:
    """Whether new pods of a part come before the old ones go."""
    live = cluster.get(part.workload) if part.workload.kind == "Deployment" else None
    return live is not None and "Recreate" not in (live["spec"].get("strategy") or {}).values()


def change(
    cluster: Cluster,
    part: Component,
    kind: str,
    chance: Random,
    save: Callable[[ObjectRef, KubeObject], None],
) -> None:
    """Make one change of a component: of its workload, its Service or its configuration."""
    ref = subject(part, kind, chance)
    current = cluster.get(ref)
    if current is None:
        return
    save(ref, current)
    try:
        if kind == "restart":
            changes.restart(cluster, ref)
            return
        patch = mark(chance)
        actor = changes.marker_for(current, patch, chance)
        if kind == "setting":
            patch = _setting_patch(current, chance)
            actor = changes.actor_for(current, chance)
        elif ref == part.workload and kind == "template":
            patch = _template_patch(part, current, chance)
            actor = changes.actor_for(current, chance)
        changes.apply_edit(cluster, ref, patch, "strategic", actor, current)
    except ClusterError:
        return  # another writer was faster, or something broken refuses writes


def subject(part: Component, kind: str, chance: Random) -> ObjectRef:
    """Which object of a part a change of this kind is about: its workload where it has no other."""
    if kind == "service" and part.service is not None:
        return part.service
    if kind == "config":
        own = [use.source for use in part.config if use.source.kind == "ConfigMap"]
        if own:
            return chance.choice(own)
    return part.workload


def mark(chance: Random) -> dict[str, Any]:
    """A patch of metadata that tells people something and no program anything."""
    if chance.random() < 0.5:
        return {"metadata": {"labels": {"team": chance.choice(_OWNERS)}}}
    return {"metadata": {"annotations": {"owner": chance.choice(_OWNERS)}}}


def look_into(cluster: Cluster, part: Component, chance: Random) -> None:
    """A person opens a session in a pod and reads something."""
    labels = ",".join(f"{key}={value}" for key, value in sorted(part.pod_labels.items()))
    pods = cluster.list("v1", "Pod", part.namespace, labels)
    names = sorted(pod["metadata"]["name"] for pod in pods)
    if not names:
        return
    try:
        words = chance.choice(part.sessions)
        cluster.exec(part.namespace, chance.choice(names), words, container=part.container)
    except ClusterError:
        return  # it starts or ends just now


def _setting_patch(workload: KubeObject, chance: Random) -> dict[str, Any]:
    """A patch of a workload's specification that leaves its pods as they are."""
    kept = int(workload["spec"].get("revisionHistoryLimit", 10))
    return {
        "spec": {
            "revisionHistoryLimit": chance.choice([n for n in (2, 3, 5, 8, 10, 12) if n != kept])
        }
    }


def _template_patch(part: Component, workload: KubeObject, chance: Random) -> dict[str, Any]:
    """A patch of a pod template with which the same processes run as before."""
    spec = workload["spec"]["template"]["spec"]
    container = next((c for c in spec["containers"] if c["name"] == part.container), None)
    probe = (container or {}).get("readinessProbe")
    if probe and chance.random() < 0.5:
        change = {"failureThreshold": int(probe.get("failureThreshold", 3)) + chance.randint(1, 3)}
        entry = {"name": part.container, "readinessProbe": change}
        return {"spec": {"template": {"spec": {"containers": [entry]}}}}
    grace = int(spec.get("terminationGracePeriodSeconds", 30)) + 5 * chance.randint(1, 4)
    return {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": grace}}}}
