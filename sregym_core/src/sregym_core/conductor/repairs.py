"""What a repair cost: how much it changed, what it restarted, and how users fared meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.conductor.objects import desired
from sregym_core.interfaces import ClusterError
from sregym_core.model import RepairRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sregym_core.interfaces import Application, Cluster, OracleContext, SystemStates
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

# Users are relieved in the first round in which as many are served as in the baseline, less this.
MARGIN = 0.01


@dataclass(frozen=True)
class RepairWatch:
    """Looks at a system when an agent begins, and again when it has ended.

    Attributes:
        began: The cluster's time when the agent began.
        restarts: How often each container had been started anew by then, by uid of pod and name.
    """

    began: float
    restarts: Mapping[tuple[str, str], int]

    @classmethod
    def begin(cls, cluster: Cluster, application: Application) -> RepairWatch:
        """The look at the beginning."""
        found = {key: count for _, key, count in _containers(cluster, application)}
        return cls(cluster.clock.now(), found)

    def end(self, facts: OracleContext, ended: float) -> RepairRecord | None:
        """What there is to tell; None where the cluster does not answer.

        Args:
            facts: What the repair was judged by.
            ended: The cluster's time when the agent had ended.
        """
        try:
            return self._told(facts, ended)
        except ClusterError:
            return None

    def _told(self, facts: OracleContext, ended: float) -> RepairRecord:
        cluster, application, baseline = facts.cluster, facts.application, facts.baseline
        rounds = [
            (at, seen)
            for at, seen in application.rounds(cluster, cluster.clock.now() - self.began)
            if at > self.began
        ]
        meanwhile = [seen for at, seen in rounds if at <= ended]
        least = baseline.traffic.success_rate - MARGIN
        served = (at for at, seen in rounds if seen.requests and seen.success_rate >= least)
        relief = next(served, None)
        broken = _workloads(application, frozenset(truth.component for truth in facts.truths))
        return RepairRecord(
            blast_radius=len(_changed(facts.states, baseline.objects)),
            restarts=self._restarts(cluster, application, broken),
            requests=sum(seen.requests for seen in meanwhile),
            failed_requests=sum(seen.requests - seen.ok for seen in meanwhile),
            relief_s=None if relief is None else round(relief - self.began, 3),
        )

    def _restarts(self, cluster: Cluster, application: Application, broken: frozenset[str]) -> int:
        """Containers started since, of what was not broken: in new pods, or anew."""
        return sum(
            count - self.restarts.get(key, -1)
            for owner, key, count in _containers(cluster, application)
            if owner not in broken and count > self.restarts.get(key, -1)
        )


def _containers(
    cluster: Cluster, application: Application
) -> Iterator[tuple[str, tuple[str, str], int]]:
    """(name of the workload, key, restarts) of each container of the application."""
    for namespace in application.namespaces:
        for pod in cluster.list("v1", "Pod", namespace):
            owner = _owner(pod)
            for status in (pod.get("status") or {}).get("containerStatuses") or ():
                key = (pod["metadata"].get("uid", ""), status["name"])
                yield owner, key, int(status.get("restartCount", 0))


def _owner(pod: KubeObject) -> str:
    owners = pod["metadata"].get("ownerReferences") or ()
    owner = next((one for one in owners if one.get("controller")), None)
    if owner is None:
        return str(pod["metadata"]["name"])
    name = str(owner["name"])
    template = (pod["metadata"].get("labels") or {}).get("pod-template-hash", "")
    return name.removesuffix(f"-{template}") if template else name


def _changed(states: SystemStates | None, baseline: Mapping[str, KubeObject]) -> list[str]:
    """Objects that are neither as they were when all was well nor as the agent found them."""
    if states is None:
        return []
    now = {name: obj for name, obj in states.now().objects.items() if obj["kind"] != "Namespace"}
    changed = [
        name
        for name in sorted(now.keys() | baseline.keys())
        if now.get(name) is not baseline.get(name)
        and _decided(now.get(name)) != _decided(baseline.get(name))
    ]
    begun = states.begun() if changed else None
    found = {} if begun is None else begun.objects
    return [name for name in changed if _decided(now.get(name)) != _decided(found.get(name))]


def _decided(obj: KubeObject | None) -> KubeObject | None:
    return None if obj is None else desired(obj)


def _workloads(application: Application, names: frozenset[str]) -> frozenset[str]:
    """Names of the workloads of these components."""
    refs: list[ObjectRef] = []
    for component in application.components():
        if component.name in names:
            refs += [component.workload, *component.workloads]
    return frozenset(ref.name for ref in refs)
