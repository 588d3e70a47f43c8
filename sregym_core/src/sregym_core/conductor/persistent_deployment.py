"""An application on a cluster that cannot be forked: it stays from episode to episode.

Recovery gives it back as it was, so the next episode goes on with it; where recovery fell short it
is removed and deployed anew. What this process deployed it removes at the end, and nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sregym_core.conductor.progress import Progress
from sregym_core.conductor.readiness import (
    BASELINE_WINDOW_S,
    READY_TIMEOUT_S,
    STEADY_WINDOW_S,
    settle,
    take_baseline,
    wait_ready,
)
from sregym_core.errors import WorldError
from sregym_core.model import ObjectRef

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Baseline, Cluster

REMOVAL_TIMEOUT_S = 600.0


class StandingApplication:
    """One application on one such cluster.

    Args:
        application: Which.
        suffix: With which the names of its namespaces end.

    Attributes:
        deployed: Whether what stands in the cluster is this process's, to be removed by it.
        baseline: The healthy system in it; None where none was seen, or none is left.
    """

    def __init__(self, application: Application, suffix: str = "") -> None:
        self.application = application
        self.suffix = suffix
        self.deployed = False
        self.baseline: Baseline | None = None

    def ready(
        self, cluster: Cluster, warm_up_s: float, progress: Progress | None = None
    ) -> Baseline:
        """The healthy baseline for the next episode; deploys where that is needed.

        Raises:
            WorldError: It does not get ready, does not serve its users, or another's stands
                in its place.
        """
        if self.baseline is not None:
            try:
                return self._again(cluster, self.baseline, progress)
            except WorldError:
                # Objects can be as they were and processes not: a registry that lost its entries.
                self.baseline = None
        self.remove(cluster, progress)
        self._deploy(cluster, progress)
        self.baseline = settle(cluster, self.application, warm_up_s, progress)
        return self.baseline

    def release(self, cluster: Cluster, progress: Progress | None = None) -> None:
        """The run is over: remove it."""
        self.remove(cluster, progress)

    def remove(self, cluster: Cluster, progress: Progress | None = None) -> None:
        """Delete it, if it is ours, and wait until it is gone.

        Raises:
            WorldError: The cluster does not let go of it, and of what.
        """
        if not self.deployed:
            return
        self.baseline = None
        self.application.remove(cluster)
        cluster.operations.revoke(self.application.namespaces, self.suffix)
        name = f"removing {self.application.name}"
        with (progress or Progress()).phase(cluster.clock, name, REMOVAL_TIMEOUT_S) as phase:

            def gone() -> bool:
                left = self._left(cluster)
                if left:
                    phase.look(left)
                return not left

            is_gone = cluster.clock.wait_until(gone, REMOVAL_TIMEOUT_S, 2.0)
        if not is_gone:
            left = ", ".join(self._left(cluster))
            msg = (
                f"application {self.application.name!r} was deleted, but {left} did not go within "
                f"{REMOVAL_TIMEOUT_S:g} s; look at its finalizers"
            )
            raise WorldError(msg)
        self.deployed = False

    def _again(self, cluster: Cluster, before: Baseline, progress: Progress | None) -> Baseline:
        """The baseline of what stands there already, if it is still the healthy system."""
        application = self.application
        cluster.operations.grant(application.namespaces, self.suffix)
        objects = cluster.operations.capture(application.namespaces)
        found = "; ".join(cluster.operations.differences(before.objects, objects))
        if found:
            raise WorldError(found)
        wait_ready(cluster, application, READY_TIMEOUT_S, progress=progress)
        if cluster.clock.real_time:
            # What users see of a healthy system is known; that they are served again is enough.
            now = take_baseline(cluster, application, progress, STEADY_WINDOW_S)
            return replace(now, traffic=before.traffic)
        cluster.clock.advance(BASELINE_WINDOW_S)
        return take_baseline(cluster, application)

    def _deploy(self, cluster: Cluster, progress: Progress | None) -> None:
        left = self._left(cluster)
        if left:
            msg = (
                f"application {self.application.name!r} cannot be deployed: the cluster has "
                f"{', '.join(left)} already; delete what is there, or use another cluster"
            )
            raise WorldError(msg)
        self.deployed = True  # before the first object: an interrupted deployment is ours as well
        name = f"deploying {self.application.name}"
        with (progress or Progress()).phase(cluster.clock, name) as phase:
            phase.look()
            self.application.deploy(cluster)
        cluster.operations.grant(self.application.namespaces, self.suffix)

    def _left(self, cluster: Cluster) -> list[str]:
        """Names of what stands outside namespaces, the namespaces themselves among it."""
        return [
            f"{ref.kind} {ref.name}"
            for ref in map(ObjectRef.of, self.application.manifests())
            if not ref.namespace and cluster.get(ref) is not None
        ]
