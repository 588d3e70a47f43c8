"""Which pods of an application are not ready, why, and whether waiting will ever help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError, Startup

from sregym_kubernetes.pod_trouble import PULLING, REFUSED, PodTrouble, pod_trouble

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Application, Cluster
    from sregym_core.interfaces.cluster import KubeObject

# What registries and kubelets refuse for so long they refuse for good.
REFUSED_S = 60.0
# A container that ended so often, and so often since nothing else makes progress, goes on ending.
CRASHES = 3
CRASHES_ALONE = 2
_STARTING = ("ContainerCreating", "Pending", "PodInitializing")
_TOLD = ("Pulling", "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox")


def troubles(cluster: Cluster, application: Application) -> list[PodTrouble]:
    """Why pods of the application are not ready; what is being pulled or mounted from events."""
    found = []
    for namespace in application.namespaces:
        pods = [pod for pod in cluster.list("v1", "Pod", namespace) if _lives(pod)]
        mine = [trouble for pod in pods if (trouble := pod_trouble(pod)) is not None]
        if any(trouble.reason in _STARTING for trouble in mine):
            said = _last_events(cluster, namespace)
            mine = [_with_event(trouble, said) for trouble in mine]
        found += mine
    return found


def _lives(pod: KubeObject) -> bool:
    return (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")


def _last_events(cluster: Cluster, namespace: str) -> dict[str, str]:
    """The last event of each pod, where it says what is being done."""
    try:
        events = cluster.list("v1", "Event", namespace)
    except ClusterError:
        return {}
    said: dict[str, str] = {}
    for event in sorted(events, key=_moment):
        involved = event.get("involvedObject") or {}
        if involved.get("kind") == "Pod":
            told = event.get("reason") in _TOLD
            said[involved.get("name", "")] = event.get("message", "") if told else ""
    return said


def _moment(event: KubeObject) -> str:
    series = (event.get("series") or {}).get("lastObservedTime")
    return str(series or event.get("lastTimestamp") or event.get("eventTime") or "")


def _with_event(trouble: PodTrouble, said: dict[str, str]) -> PodTrouble:
    detail = said.get(trouble.pod, "")
    if trouble.reason not in _STARTING or trouble.detail or not detail:
        return trouble
    return PodTrouble(trouble.pod, trouble.reason, detail, trouble.restarts)


class Prospect:
    """Whether an application that starts will ever get ready, from look to look.

    A pod may crash until what it needs is there: crashes count once everything else is. What a
    registry or a kubelet refuses is refused for good after a while.
    """

    def __init__(self) -> None:
        self._refused_since: dict[str, float] = {}
        self._alone: tuple[frozenset[str], dict[str, int]] | None = None

    def stuck(self, found: Sequence[PodTrouble], now: float) -> list[PodTrouble]:
        """The pods that will not get ready however long one waits; none while there is hope."""
        refused = {one.pod: one for one in found if one.reason in (*PULLING, *REFUSED)}
        since = self._refused_since
        self._refused_since = {pod: since.get(pod, now) for pod in refused}
        lasting = [refused[pod] for pod, at in self._refused_since.items() if now - at >= REFUSED_S]
        return lasting or self._crashing(found)

    def _crashing(self, found: Sequence[PodTrouble]) -> list[PodTrouble]:
        pods = frozenset(one.pod for one in found)
        # Between two ends a container runs for a moment: what has restarted before still crashes.
        if not found or any(not one.crashing and not one.restarts for one in found):
            self._alone = None
            return []
        if self._alone is None or not pods <= self._alone[0]:
            self._alone = (pods, {one.pod: one.restarts for one in found})
            return []
        before = self._alone[1]
        return [
            one
            for one in found
            if one.restarts >= CRASHES and one.restarts - before[one.pod] >= CRASHES_ALONE
        ]


class StartingPods(Startup):
    """The pods of one application while it starts.

    Args:
        cluster: Where.
        application: The application that the pods belong to.
    """

    def __init__(self, cluster: Cluster, application: Application) -> None:
        self._cluster, self._application = cluster, application
        self._prospect = Prospect()
        self._found: list[PodTrouble] = []

    def not_ready(self) -> list[str]:
        """Why pods are not ready."""
        self._found = troubles(self._cluster, self._application)
        return [str(one) for one in self._found]

    def stuck(self) -> list[str]:
        """Pods that are refused for good, or crash while all others are ready."""
        return [str(one) for one in self._prospect.stuck(self._found, self._cluster.clock.now())]
