"""Mishaps: what goes wrong in every running system and is right again by itself, or never mattered.

Without them the first alert, the only restart counter above zero and the only pod that is not ready
would be those of the fault. None of them is a cause, and all follow from the seed alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import ClusterError
from sregym_core.model import Capability

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import Component

ALERTMANAGER = "alertmanager"
# How many alerts are ignored, and since when they fire. They go on for longer than any episode.
STANDING = (3, 5)
SINCE_S = (7200.0, 400_000.0)
LAST_S = 30 * 86400.0
# Ends of a container, in seconds before a moment at which the kubelet then still waits with its next
# start: the waits double from 10 s on.
LOOP_S = (128.0, 116.0, 94.0, 52.0, 1.0)
# How many parts restart again and again while something is not ready.
LOOPING = (1, 2)
# What counts as users being served: of their requests within so many seconds at least this share.
LOOK_S, SERVED = 20.0, 0.98
# A kubelet waits at most five minutes before it starts a container again, which then gets ready.
RECOVERY_S = 360.0


@dataclass(frozen=True)
class _Alert:
    """An alert that some team set up once.

    Attributes:
        name: Label `alertname`.
        severity: Its severity.
        summary: With `{}` for whom it is about.
        source: Who sends it.
    """

    name: str
    severity: str
    summary: str
    source: str


_GRAFANA = "https://grafana.example.com/alerting/grafana"
_PIPELINE = "https://ci.example.com/pipelines"
ALERTS = (
    _Alert("SloBudgetLow", "warning", "{} has used 80 percent of its budget of 30 days", _GRAFANA),
    _Alert("TailLatencyAboveWeek", "warning", "p99 of {} is above that of last week", _GRAFANA),
    _Alert("ErrorRatioAboveWeek", "warning", "{} answers more errors than last week", _GRAFANA),
    _Alert("MemoryTrend", "warning", "{} may need more memory in 9 days", _GRAFANA),
    _Alert("ImageFindings", "warning", "The image of {} has 2 findings of severity high", _PIPELINE),
    _Alert("DependencyOutdated", "info", "{} is built with a library that is out of date", _PIPELINE),
)  # fmt: skip


def standing_alerts(cluster: Cluster, parts: Sequence[Component], chance: Random) -> None:
    """Let alerts fire that have done so for hours or days, and that are ignored.

    They are about any part, whatever will break: to blame by the oldest alert is to draw by lot.
    """
    if ALERTMANAGER not in cluster.services or not parts:
        return
    now = cluster.clock.now()
    posted = []
    for part in chance.choices(parts, k=chance.randint(*STANDING)):
        alert = chance.choice(ALERTS)
        labels = {"alertname": alert.name, "severity": alert.severity, "service": part.name}
        posted.append(
            {
                "labels": {**labels, "namespace": part.namespace},
                "annotations": {"summary": alert.summary.format(part.name)},
                "startsAt": _time(now - chance.uniform(*SINCE_S)),
                "endsAt": _time(now + LAST_S),
                "generatorURL": alert.source,
            }
        )
    cluster.observe(ALERTMANAGER, "/api/v2/alerts", method="POST", body=json.dumps(posted).encode())


def crash(cluster: Cluster, part: Component, chance: Random) -> None:
    """End a running container of a part on its node; the kubelet starts it again."""
    access = cluster.nodes
    if access is None or Capability.COMMANDS not in access.capabilities:
        return
    running = [found for pod in _pods(cluster, part) if (found := _container(pod, part))]
    if not running:
        return  # it starts, or waits to be started
    node, container = chance.choice(running)
    try:
        access.run(node, ("crictl", "stop", "--timeout", "0", container))
    except (ClusterError, NodeError):
        return  # the node is not there just now


def something_is_not_ready(cluster: Cluster, namespaces: Sequence[str]) -> bool:
    """Whether a pod of these namespaces is not ready that has not ended."""
    return any(
        not _is_ready(pod) and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        for namespace in namespaces
        for pod in cluster.list("v1", "Pod", namespace)
    )


def pods_are_missing(cluster: Cluster, parts: Sequence[Component]) -> bool:
    """Whether a workload has fewer pods that are ready than it wants, or none at all."""
    for part in parts:
        live = cluster.get(part.workload)
        wanted = ((live or {}).get("spec") or {}).get("replicas", 0)
        if wanted > (((live or {}).get("status") or {}).get("readyReplicas") or 0):
            return True
    return False


def redundant_components(cluster: Cluster, parts: Sequence[Component]) -> list[Component]:
    """Parts of which one pod may be away: no request of users passes there, or there is another."""
    return [
        part
        for part in crashable(parts)
        if not part.operations or sum(map(_is_ready, _pods(cluster, part))) > 1
    ]


def needed(cluster: Cluster, application: Application, suffering: Sequence[str]) -> list[Component]:
    """Parts that users cannot do without, and whose pods are ready.

    Args:
        cluster: Where.
        application: The application of the parts.
        suffering: Names of those that count only while users are served: nothing hurts them then.
    """
    parts = application.components()
    if application.traffic(cluster, LOOK_S).success_rate < SERVED:
        parts = tuple(part for part in parts if part.name not in suffering)
    spare = {part.name for part in redundant_components(cluster, parts)}
    return [
        part for part in parts if part.name not in spare and not pods_are_missing(cluster, [part])
    ]


def await_pods(cluster: Cluster, parts: Sequence[Component], calm_s: float) -> None:
    """Where pods of these parts are not ready let time pass until they are, and users have been served.

    Args:
        cluster: Where.
        parts: They are waited for as long as a kubelet holds a container back.
        calm_s: What passes after that.
    """
    if pods_are_missing(cluster, parts):
        cluster.clock.wait_until(lambda: not pods_are_missing(cluster, parts), RECOVERY_S, 5.0)
        cluster.clock.advance(calm_s)


def crashable(parts: Sequence[Component]) -> list[Component]:
    """Parts whose containers may end: tracing, and stores without a volume, would take along what they know."""
    return [
        part
        for part in parts
        if part.kind != "tracing" and (part.kind != "datastore" or part.volumes)
    ]


def _pods(cluster: Cluster, part: Component) -> list[KubeObject]:
    labels = ",".join(f"{key}={value}" for key, value in sorted(part.pod_labels.items()))
    found = cluster.list("v1", "Pod", part.namespace, labels)
    return sorted(found, key=lambda pod: str(pod["metadata"]["name"]))


def _container(pod: KubeObject, part: Component) -> tuple[str, str] | None:
    """Node and id of a part's container that runs in a pod."""
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if status["name"] == part.container and "running" in (status.get("state") or {}):
            return pod["spec"]["nodeName"], status["containerID"].rpartition("//")[2]
    return None


def _is_ready(pod: KubeObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
