"""Is everything of some manifests there and ready? Reads a cluster; waits for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.model import WORKLOAD_KINDS, ObjectRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import Cluster

    from sregym_apps.manifests import KubeObject


def what_is_not_ready(cluster: Cluster, objects: Iterable[KubeObject]) -> list[str]:
    """One phrase for each workload of the manifests that is not there or not ready.

    Ready means that the newest specification is rolled out: all wanted replicas are updated and
    available, and no old one is left. A Job is ready when it is complete or all its pods are; one
    that is deleted after its end may be gone. A CronJob is ready when it exists.
    """
    wanted = [obj for obj in objects if obj["kind"] in WORKLOAD_KINDS]
    # One list for each kind and namespace: this is asked again and again while pods come up.
    places = dict.fromkeys(
        (obj["apiVersion"], obj["kind"], obj["metadata"].get("namespace", "")) for obj in wanted
    )
    live = {
        place: {obj["metadata"]["name"]: obj for obj in cluster.list(*place)} for place in places
    }
    phrases = []
    for obj in wanted:
        metadata = obj["metadata"]
        place = (obj["apiVersion"], obj["kind"], metadata.get("namespace", ""))
        found = live[place].get(metadata["name"])
        if found is None and "ttlSecondsAfterFinished" in obj["spec"]:
            continue
        phrase = "does not exist" if found is None else _shortfall(found)
        if phrase:
            phrases.append(f"{ObjectRef.of(obj)}: {phrase}")
    return phrases


def _shortfall(workload: KubeObject) -> str:
    status = workload.get("status") or {}
    if workload["kind"] == "CronJob":
        return ""
    if workload["kind"] == "Pod":
        return "" if "Ready" in _true_conditions(status) else "not ready"
    if workload["kind"] == "Job":
        return _shortfall_of_job(workload, status)
    if status.get("observedGeneration", 0) < workload["metadata"].get("generation", 1):
        return "its newest specification was not looked at yet"
    if workload["kind"] == "DaemonSet":
        wanted = status.get("desiredNumberScheduled", 0)
        counts = (status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0), wanted)
    else:
        wanted = workload["spec"].get("replicas", 1)
        available = status.get("availableReplicas", status.get("readyReplicas", 0))
        counts = (status.get("updatedReplicas", 0), available, status.get("replicas", 0))
    updated, available, total = counts
    if updated < wanted:
        return f"{updated} of {wanted} replicas updated"
    if available < wanted:
        return f"{available} of {wanted} replicas available"
    return f"{total - wanted} old replicas left" if total > wanted else ""


def _shortfall_of_job(job: KubeObject, status: KubeObject) -> str:
    holds = _true_conditions(status)
    if "Complete" in holds:
        return ""
    if "Failed" in holds:
        return "failed"
    wanted = job["spec"].get("parallelism", 1)
    ready = status.get("ready", 0)
    return "" if ready >= wanted else f"{ready} of {wanted} pods ready"


def _true_conditions(status: KubeObject) -> set[str]:
    return {one["type"] for one in status.get("conditions") or () if one["status"] == "True"}
