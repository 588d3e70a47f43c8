"""Workloads and their pods: who they are, whether a rollout is done, how to restart them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import BATCH_KINDS, ObjectRef, containers_of

from sregym_injectors.pods import is_ready, not_terminating, pods_of
from sregym_injectors.rollouts import Rollout, replaces_all_pods

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, CommandResult
    from sregym_core.interfaces.cluster import KubeObject

    from sregym_injectors.edits import Edits

SCALABLE_KINDS = ("Deployment", "StatefulSet")
# Longer than any controller needs to look at a changed object.
LOOKED_AT_S = 60.0
_RECREATE = {"type": "Recreate", "rollingUpdate": None}


def container_of(workload: KubeObject, name: str) -> dict[str, Any] | None:
    """A container of a workload's pod template, init containers included, or None."""
    return next((c for c in containers_of(workload) if c["name"] == name), None)


def workload_defects(cluster: Cluster, ref: ObjectRef) -> list[str]:
    """Why nothing of a workload can run, whatever its template is; empty when it can.

    A look at the configuration, not at pods: whether they are ready is for oracles to judge.
    """
    workload = cluster.get(ref)
    if workload is None:
        return [f"{ref} does not exist"]
    if ref.kind in SCALABLE_KINDS and workload["spec"].get("replicas", 1) == 0:
        return [f"{ref} has spec.replicas 0"]
    if ref.kind in BATCH_KINDS and workload["spec"].get("suspend"):
        return [f"{ref} is suspended"]
    return []


def examined_container(
    cluster: Cluster, ref: ObjectRef, name: str
) -> tuple[dict[str, Any], list[str]]:
    """A container of a workload that wants pods; else an empty one, and why."""
    workload, defects = cluster.get(ref), workload_defects(cluster, ref)
    if workload is None or defects:
        return {}, defects
    container = container_of(workload, name)
    return (container, []) if container else ({}, [f"{ref} has no container {name}"])


def rolled_out(workload: KubeObject) -> bool:
    """Whether every desired pod of a workload runs the current template and is ready.

    A workload that wants no pods at all is not rolled out; a Job is when it is complete, and a
    CronJob when a run has succeeded after the last change of it.
    """
    spec, status = workload["spec"], workload.get("status") or {}
    if workload["kind"] in (*BATCH_KINDS, "Pod"):
        return _has_run(workload, status)
    if status.get("observedGeneration", 0) < workload["metadata"].get("generation", 0):
        return False
    if workload["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        updated, ready = status.get("updatedNumberScheduled", 0), status.get("numberReady", 0)
        return bool(wanted > 0 and updated >= wanted and ready >= wanted)
    wanted = spec.get("replicas", 1)
    updated, ready = status.get("updatedReplicas", 0), status.get("readyReplicas", 0)
    # Ready pods may be old ones: while any is left, the new ones have not taken over.
    old = status.get("replicas", 0) - updated
    return bool(wanted > 0 and updated >= wanted and ready >= wanted and old <= 0)


def _has_run(workload: KubeObject, status: dict[str, Any]) -> bool:
    if workload["kind"] == "CronJob":
        changed = max(
            (entry.get("time", "") for entry in workload["metadata"].get("managedFields") or ()
             if not entry.get("subresource")),
            default="",
        )  # fmt: skip
        return bool(status.get("lastSuccessfulTime", "") > changed)
    holds = {c["type"] for c in status.get("conditions") or () if c["status"] == "True"}
    return bool(holds & {"Complete", "Ready"})


def roll_out(
    edits: Edits,
    ref: ObjectRef,
    patch: dict[str, Any],
    rollout: Rollout = Rollout.REPLACED,
    kind: str = "strategic",
) -> None:
    """Change a workload's pod template; its pods follow by the workload's own strategy.

    A strategy that keeps old pods until new ones are ready would keep a broken change from the
    users. A Deployment with such a strategy is given `Recreate` in the same change, as teams do
    whose pods cannot run side by side; of a StatefulSet or DaemonSet the pods are deleted after it.

    Args:
        edits: Of the injection.
        ref: The workload.
        patch: Patch of the workload.
        rollout: `STUCK` changes the template alone, and relies on the workload's own strategy.
        kind: Of the patch: `strategic`, or `merge` where whole lists are replaced.

    Raises:
        WorldError: The rollout cannot be stuck, since the strategy takes all old pods.
    """
    workload = edits.read(ref)
    if rollout is Rollout.STUCK:
        _refuse_taking(workload, ref)
        edits.patch(ref, patch, kind)
        return
    taken = replaces_all_pods(workload)
    given = patch.get("spec", {}).get("strategy")
    if ref.kind == "Deployment" and not taken and not given:
        patch = {**patch, "spec": {**patch.get("spec", {}), **_all_at_once(workload)}}
    edits.patch(ref, patch, kind)
    if ref.kind != "Deployment" and not taken:
        _delete_pods(edits, ref)


def restart_rollout(edits: Edits, refs: Sequence[ObjectRef]) -> None:
    """Restart workloads, one after the other, as `kubectl rollout restart` does.

    Processes that load configuration, data or connections when they start get to know a change by
    this. Where new pods may fail and old ones would stay, `roll_out` says what happens.
    """
    for ref in dict.fromkeys(refs):
        workload = edits.read(ref)
        taken = replaces_all_pods(workload)
        if ref.kind == "Deployment" and not taken:
            edits.patch(ref, {"spec": _all_at_once(workload)}, "strategic")
        edits.restart(ref)
        if ref.kind != "Deployment" and not taken:
            _delete_pods(edits, ref)


def _all_at_once(deployment: KubeObject) -> dict[str, Any]:
    """What of a Deployment's specification makes a change take all old pods first."""
    paused = {"paused": None} if deployment["spec"].get("paused") else {}
    return {"strategy": _RECREATE, **paused}


def _refuse_taking(workload: KubeObject, ref: ObjectRef) -> None:
    if replaces_all_pods(workload):
        raise WorldError(
            f"the rollout of {ref} cannot be stuck: its strategy takes all old pods before new "
            "ones are ready; choose a workload that keeps some, or the parameter rollout: replaced"
        )


def _delete_pods(edits: Edits, ref: ObjectRef) -> None:
    """Delete the pods of a StatefulSet or DaemonSet, which makes them anew from its template."""
    cluster = edits.cluster
    cluster.clock.wait_until(lambda: _looked_at(edits.read(ref)), LOOKED_AT_S, 1.0)
    edits.pause()
    for pod in not_terminating(pods_of(cluster, edits.read(ref))):
        edits.end(pod)


def _looked_at(workload: KubeObject) -> bool:
    seen = (workload.get("status") or {}).get("observedGeneration", 0)
    return bool(seen >= workload["metadata"].get("generation", 0))


def ready_pod(cluster: Cluster, ref: ObjectRef) -> KubeObject | None:
    """The first ready pod of a workload by name, or None, also when there is no workload."""
    workload = cluster.get(ref)
    if workload is None:
        return None
    return next((pod for pod in not_terminating(pods_of(cluster, workload)) if is_ready(pod)), None)


def run_in_workload(
    cluster: Cluster, ref: ObjectRef, container: str, argv: Sequence[str], stdin: str = ""
) -> CommandResult:
    """Run a command in a ready pod of a workload.

    Raises:
        WorldError: When no pod is ready. Judging the command's output is up to the caller.
    """
    pod = ready_pod(cluster, ref)
    if pod is None:
        raise WorldError(
            f"{ref} has no ready pod in which a command could run; wait until it is ready"
        )
    return cluster.exec(
        ref.namespace, pod["metadata"]["name"], tuple(argv), container=container, stdin=stdin
    )
