"""Workloads and their pods: who they are, whether a rollout is done, how to start them anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.model import BATCH_KINDS, containers_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster, CommandResult
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

    from sregym_injectors.edits import Edits

SCALABLE_KINDS = ("Deployment", "StatefulSet")
_RECREATE = {"type": "Recreate", "rollingUpdate": None}


def label_selector(selector: dict[str, Any]) -> str:
    """A LabelSelector object in kubectl's syntax: `app=geo,tier in (a,b)`."""
    terms = [f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()]
    for expression in selector.get("matchExpressions") or []:
        key, operator = expression["key"], expression["operator"]
        values = ",".join(expression.get("values") or [])
        terms.append(
            {
                "In": f"{key} in ({values})",
                "NotIn": f"{key} notin ({values})",
                "Exists": key,
                "DoesNotExist": f"!{key}",
            }[operator]
        )
    return ",".join(terms)


def labels_selector(labels: dict[str, str]) -> str:
    """A plain map of labels, as a Service has it, in kubectl's syntax."""
    return ",".join(f"{key}={value}" for key, value in labels.items())


def pods_of(cluster: Cluster, workload: KubeObject) -> list[KubeObject]:
    """Pods of a workload that have not run to their end.

    Those that its selector matches; a Pod is its own, those of a CronJob are those of its Jobs.
    Pods that are being deleted are among them; see `live`.
    """
    namespace = workload["metadata"]["namespace"]
    if workload["kind"] == "Pod":
        pods = [workload]
    elif workload["kind"] == "CronJob":
        jobs = owned_jobs(cluster, workload)
        return [pod for job in jobs for pod in pods_of(cluster, job)]
    else:
        selector = label_selector(workload["spec"]["selector"])
        pods = cluster.list("v1", "Pod", namespace, selector)
    return [
        pod for pod in pods if pod.get("status", {}).get("phase") not in ("Succeeded", "Failed")
    ]


def owned_jobs(cluster: Cluster, cronjob: KubeObject) -> list[KubeObject]:
    """The Jobs of a CronJob."""
    jobs = cluster.list("batch/v1", "Job", cronjob["metadata"]["namespace"])
    uid = cronjob["metadata"]["uid"]
    return [
        job
        for job in jobs
        if any(owner["uid"] == uid for owner in job["metadata"].get("ownerReferences") or ())
    ]


def live(pods: Sequence[KubeObject]) -> list[KubeObject]:
    """Those that nobody has asked to go."""
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def is_ready(pod: KubeObject) -> bool:
    """Whether the pod's Ready condition is true."""
    conditions = pod.get("status", {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def container_of(workload: KubeObject, name: str) -> dict[str, Any] | None:
    """A container of a workload's pod template, init containers included, or None."""
    return next((c for c in containers_of(workload) if c["name"] == name), None)


def workload_defects(cluster: Cluster, ref: ObjectRef) -> list[str]:
    """Why nothing of a workload can run, whatever its template says; empty when it can.

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


def yields(workload: KubeObject) -> bool:
    """Whether an update takes all old pods away, also when no new one gets ready."""
    spec = workload["spec"]
    wanted = int(spec.get("replicas", 1))
    if workload["kind"] != "Deployment":  # one pod goes, and the next when its successor is ready
        return wanted <= 1
    strategy = spec.get("strategy") or {}
    if wanted == 0 or strategy.get("type") == "Recreate":
        return True
    unavailable = (strategy.get("rollingUpdate") or {}).get("maxUnavailable", "25%")
    if isinstance(unavailable, str):
        return int(unavailable.rstrip("%")) >= 100
    return int(unavailable) >= wanted


def roll_out(edits: Edits, ref: ObjectRef, patch: dict[str, Any]) -> None:
    """Change a workload's pod template; its pods follow by the workload's own strategy.

    A strategy that keeps old pods until new ones are ready would keep a broken change from the
    users. A Deployment with such a strategy is given `Recreate` in the same change, as teams do
    whose pods cannot run side by side.

    Args:
        edits: Of the injection.
        ref: The workload.
        patch: Strategic patch of the workload.
    """
    workload = edits.read(ref)
    if ref.kind == "Deployment" and not yields(workload):
        patch = {**patch, "spec": {**patch.get("spec", {}), "strategy": _RECREATE}}
    edits.patch(ref, patch, "strategic")


def restart_rollout(edits: Edits, refs: Sequence[ObjectRef]) -> None:
    """Start workloads anew, one after the other, as `kubectl rollout restart` does.

    Processes that load configuration, data or connections when they start get to know a change by
    this. Where new pods may fail and old ones would stay, `roll_out` says what happens.
    """
    for ref in dict.fromkeys(refs):
        if ref.kind == "Deployment" and not yields(edits.read(ref)):
            edits.patch(ref, {"spec": {"strategy": _RECREATE}}, "strategic")
        edits.restart(ref)


def ready_pod(cluster: Cluster, ref: ObjectRef) -> KubeObject | None:
    """The first ready pod of a workload by name, or None, also when there is no workload."""
    workload = cluster.get(ref)
    if workload is None:
        return None
    return next((pod for pod in live(pods_of(cluster, workload)) if is_ready(pod)), None)


def run_in_workload(
    cluster: Cluster, ref: ObjectRef, container: str, argv: Sequence[str], stdin: str = ""
) -> CommandResult:
    """Run a command in a ready pod of a workload.

    Raises:
        WorldError: When no pod is ready. What the command says is the caller's business.
    """
    pod = ready_pod(cluster, ref)
    if pod is None:
        raise WorldError(
            f"{ref} has no ready pod in which a command could run; wait until it is ready"
        )
    return cluster.exec(
        ref.namespace, pod["metadata"]["name"], tuple(argv), container=container, stdin=stdin
    )
