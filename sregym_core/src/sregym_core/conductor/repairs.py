"""What a repair cost: how much it changed, what it restarted, and how users fared meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterError
from sregym_core.model import RepairRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import Application, Cluster, OracleContext, SystemStates, Traffic
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import ObjectRef

# Users are relieved in the first round in which as many are served as in the baseline, less this.
MARGIN = 0.01
# Whole rounds of any load generator lie in so many seconds.
LATEST_S = 30.0


@dataclass(frozen=True)
class RepairWatch:
    """Looks at a system when an agent begins, and again when it has ended.

    Attributes:
        began: The cluster's time when the agent began.
        restarts: How often each container had been restarted by then, by uid of pod and name.
    """

    began: float
    restarts: Mapping[tuple[str, str], int]

    @classmethod
    def begin(cls, cluster: Cluster, application: Application) -> RepairWatch:
        """The look at the beginning."""
        found = cluster.operations.containers(application.namespaces)
        return cls(cluster.clock.now(), {(one.pod, one.container): one.restarts for one in found})

    def end(self, facts: OracleContext) -> RepairEnd:
        """The look at the end of the agent's part, before the system is judged."""
        now = facts.cluster.clock.now()
        return RepairEnd(self, self.traffic_rounds(facts, now - self.began))

    def traffic_rounds(self, facts: OracleContext, seconds: float) -> list[tuple[float, Traffic]]:
        """What users saw since the agent began, round by round; empty where it is not known."""
        try:
            found = facts.application.traffic_rounds(facts.cluster, seconds)
        except ClusterError:
            return []
        return [(at, seen) for at, seen in found if at > self.began]

    def restarted(self, cluster: Cluster, application: Application, broken: frozenset[str]) -> int:
        """Containers started since, of what was not broken: in new pods, or anew."""
        return sum(
            one.restarts - before
            for one in cluster.operations.containers(application.namespaces)
            if one.workload not in broken
            and one.restarts > (before := self.restarts.get((one.pod, one.container), -1))
        )


@dataclass(frozen=True)
class RepairEnd:
    """What was seen when the agent ended.

    Attributes:
        watch: Since when.
        traffic_rounds: What users saw until then.
    """

    watch: RepairWatch
    traffic_rounds: list[tuple[float, Traffic]]

    def judged(self, facts: OracleContext) -> RepairRecord | None:
        """What is reported once the system was judged; None where it cannot be read."""
        cluster, application = facts.cluster, facts.application
        broken = _workloads(
            application, frozenset(truth.component for truth in facts.ground_truths)
        )
        seen = [one for _, one in self.traffic_rounds]
        try:
            relief = self._relief(facts)
            return RepairRecord(
                blast_radius=len(
                    _changed(facts.states, facts.baseline.objects, cluster.operations.desired)
                ),
                restarts=self.watch.restarted(cluster, application, broken),
                requests=sum(one.requests for one in seen),
                failed_requests=sum(one.requests - one.ok for one in seen),
                relief_s=None if relief is None else round(relief - self.watch.began, 3),
            )
        except ClusterError:
            return None

    def _relief(self, facts: OracleContext) -> float | None:
        """When users were first served as before: earlier, or since the agent has ended."""
        found = _first_good(self.traffic_rounds, facts)
        if found is not None:
            return found
        # Most that were not relieved by now never are: a short look at the end says so.
        latest = facts.application.traffic(facts.cluster, LATEST_S)
        if not _good(latest, facts):
            return None
        now = facts.cluster.clock.now()
        return _first_good(self.watch.traffic_rounds(facts, now - self.watch.began), facts)


def _good(seen: Traffic, facts: OracleContext) -> bool:
    return seen.requests > 0 and seen.success_rate >= facts.baseline.traffic.success_rate - MARGIN


def _first_good(rounds: list[tuple[float, Traffic]], facts: OracleContext) -> float | None:
    return next((at for at, seen in rounds if _good(seen, facts)), None)


def _changed(
    states: SystemStates | None,
    baseline: Mapping[str, KubeObject],
    desired: Callable[[KubeObject], KubeObject],
) -> list[str]:
    """Objects that are neither as they were when all was well nor as the agent found them."""
    if states is None:
        return []

    def decided(obj: KubeObject | None) -> KubeObject | None:
        return None if obj is None else desired(obj)

    now = {name: obj for name, obj in states.now().objects.items() if obj["kind"] != "Namespace"}
    changed = [
        name
        for name in sorted(now.keys() | baseline.keys())
        if now.get(name) is not baseline.get(name)
        and decided(now.get(name)) != decided(baseline.get(name))
    ]
    begun = states.at_start() if changed else None
    found = {} if begun is None else begun.objects
    return [name for name in changed if decided(now.get(name)) != decided(found.get(name))]


def _workloads(application: Application, names: frozenset[str]) -> frozenset[str]:
    """Names of the workloads of these components."""
    refs: list[ObjectRef] = []
    for component in application.components():
        if component.name in names:
            refs += [component.workload, *component.workloads]
    return frozenset(ref.name for ref in refs)
