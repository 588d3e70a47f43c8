"""Worlds: clusters with an application deployed, ready and warm.

The first world of a kind is built step by step; where the cluster can be forked, later ones start
from a checkpoint of it, so a reset costs what the fork costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.conductor.objects import capture
from sregym_core.errors import WorldError
from sregym_core.interfaces import Baseline, ClusterSpec

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sregym_core.interfaces import Application, Checkpoint, Cluster, ClusterProvider

READY_TIMEOUT_S = 900.0
BASELINE_WINDOW_S = 30.0
HEALTHY_SUCCESS_RATE = 0.95


@dataclass(frozen=True)
class World:
    """A cluster with a warm application and its recorded baseline."""

    cluster: Cluster
    baseline: Baseline
    forked: bool


@dataclass(frozen=True)
class _Prepared:
    checkpoint: Checkpoint
    baseline: Baseline


class Worlds:
    """Makes worlds; keeps one checkpoint for each application and warm-up.

    Args:
        provider: Where clusters come from.
        options: What the user gave for the cluster.
    """

    def __init__(self, provider: ClusterProvider, options: Mapping[str, str]) -> None:
        self.provider = provider
        self.options = options
        self._prepared: dict[tuple[str, float], _Prepared] = {}
        self._standing: dict[str, Application] = {}

    def make(
        self,
        application: Application,
        warm_up_s: float,
        seed: int,
        served: bool,
        folder: Path | None = None,
    ) -> World:
        """A world for one episode.

        Raises:
            WorldError: The application does not get ready or does not serve its users.
        """
        spec = ClusterSpec(
            seed=seed,
            applications=(application,),
            options=self.options,
            served=served,
            folder=folder,
        )
        key = (application.name, warm_up_s)
        prepared = self._prepared.get(key)
        if prepared is not None:
            return World(prepared.checkpoint.fork(spec), prepared.baseline, forked=True)
        cluster = self.provider.provision(spec)
        try:
            baseline = self._prepare(cluster, application, warm_up_s)
        except BaseException:
            cluster.close()
            raise
        checkpoint = None if served else cluster.checkpoint()
        if checkpoint is None:
            if not self.provider.simulated:
                self._standing[application.name] = application
            return World(cluster, baseline, forked=False)
        # The first episode forks too: what an episode sees must not depend on its place in a run.
        self._prepared[key] = _Prepared(checkpoint, baseline)
        cluster.close()
        return World(checkpoint.fork(spec), baseline, forked=True)

    def close(self) -> None:
        """Remove from a real cluster what was deployed there; a simulated one simply ends.

        Between the episodes of a run applications stay: recovery has restored them.
        """
        for application in self._standing.values():
            cluster = self.provider.provision(
                ClusterSpec(applications=(application,), options=self.options)
            )
            try:
                application.remove(cluster)
            finally:
                cluster.close()
        self._standing.clear()

    def _prepare(self, cluster: Cluster, application: Application, warm_up_s: float) -> Baseline:
        application.deploy(cluster)
        wait_ready(cluster, application, READY_TIMEOUT_S)
        cluster.clock.advance(max(warm_up_s, BASELINE_WINDOW_S))
        return take_baseline(cluster, application)


def wait_ready(cluster: Cluster, application: Application, timeout_s: float) -> None:
    """Wait until all parts of the application are ready.

    Raises:
        WorldError: They are not, and which.
    """
    if not cluster.clock.wait_until(lambda: not application.ready(cluster), timeout_s, 5.0):
        waiting = "; ".join(application.ready(cluster))
        msg = f"application {application.name!r} was not ready after {timeout_s:g} s: {waiting}"
        raise WorldError(msg)


def take_baseline(cluster: Cluster, application: Application) -> Baseline:
    """Record the healthy system.

    Raises:
        WorldError: Its users are not served well enough to call it healthy.
    """
    traffic = application.traffic(cluster, BASELINE_WINDOW_S)
    if traffic.success_rate < HEALTHY_SUCCESS_RATE:
        msg = (
            f"application {application.name!r} is not healthy before any fault: "
            f"{traffic.ok} of {traffic.requests} requests succeeded"
        )
        raise WorldError(msg)
    objects = capture(cluster, application.namespaces)
    return Baseline(objects=objects, hidden=cluster.hidden_state(), traffic=traffic)
