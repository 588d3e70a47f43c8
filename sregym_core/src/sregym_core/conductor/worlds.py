"""Worlds: clusters with an application deployed, ready and warm.

The first world of a kind is built step by step; where the cluster can be forked, later ones start
from a checkpoint of it, so a reset costs what the fork costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sregym_core.conductor.readiness import settle
from sregym_core.conductor.standing import StandingApplication
from sregym_core.errors import SregymError
from sregym_core.interfaces import ClusterError, ClusterSpec
from sregym_core.policy.role import grant

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sregym_core.interfaces import (
        Application,
        Baseline,
        Checkpoint,
        Cluster,
        ClusterProvider,
    )


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
        self._standing: dict[str, StandingApplication] = {}

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
        # Built with one seed, whatever the episode's: what an episode sees must not depend on which
        # episode of a run came first. The episode's own seed rules from the fork on.
        origin = replace(spec, seed=0) if self.provider.simulated else spec
        cluster = self.provider.provision(origin)
        try:
            if not self.provider.simulated:
                standing = self._standing.setdefault(
                    application.name, StandingApplication(application)
                )
                return World(cluster, standing.ready(cluster, warm_up_s), forked=False)
            application.deploy(cluster)
            grant(cluster, application.namespaces)
            baseline = settle(cluster, application, warm_up_s)
        except BaseException:
            cluster.close()
            raise
        checkpoint = cluster.checkpoint()
        if checkpoint is None:
            return World(cluster, baseline, forked=False)
        if not served:  # a served world is anchored to the wall clock: the next one cannot use it
            self._prepared[key] = _Prepared(checkpoint, baseline)
        cluster.close()
        return World(checkpoint.fork(spec), baseline, forked=True)

    def copy_of(self, world: World, application: Application, seed: int) -> World | None:
        """A world that goes on from the same moment by itself; None where that cannot be had."""
        checkpoint = world.cluster.checkpoint()
        if checkpoint is None:
            return None
        spec = ClusterSpec(seed=seed, applications=(application,), options=self.options)
        return World(checkpoint.fork(spec), world.baseline, forked=True)

    def prepare(self, application: Application, warm_up_s: float) -> None:
        """Take the checkpoint now that episodes will start from, where the cluster has them.

        An application that does not come up is left to the episodes: each reports it.
        """
        try:
            self.make(application, warm_up_s, seed=0, served=False).cluster.close()
        except (SregymError, ClusterError):
            return

    def close(self) -> None:
        """Remove from a real cluster what was deployed there; a simulated one simply ends.

        Between the episodes of a run applications stay: recovery has restored them.
        """
        for standing in self._standing.values():
            cluster = self.provider.provision(ClusterSpec(options=self.options))
            try:
                standing.remove(cluster)
            finally:
                cluster.close()
        self._standing.clear()
