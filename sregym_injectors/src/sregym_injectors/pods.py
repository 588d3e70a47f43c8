"""Pods of workloads: which they are, and whether they are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject


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
    Pods that are being deleted are among them; see `not_terminating`.
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


def not_terminating(pods: Sequence[KubeObject]) -> list[KubeObject]:
    """Pods without a deletion timestamp."""
    return [pod for pod in pods if "deletionTimestamp" not in pod["metadata"]]


def is_ready(pod: KubeObject) -> bool:
    """Whether the pod's Ready condition is true."""
    conditions = pod.get("status", {}).get("conditions") or []
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
