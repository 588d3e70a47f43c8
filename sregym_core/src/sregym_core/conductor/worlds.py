"""Worlds: clusters with an application deployed, ready and warm.

The first world of a kind is built step by step; where the cluster can be forked, later ones start
from a checkpoint of it, so a reset costs what the fork costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.collecting import nothing_collected
from sregym_core.conductor.past import deploy_in_time, lived_in
from sregym_core.conductor.persistent_deployment import StandingApplication
from sregym_core.conductor.readiness import settle
from sregym_core.conductor.starts import Starts
from sregym_core.errors import SregymError, UsageError
from sregym_core.interfaces import ClusterError, ClusterSpec
from sregym_core.salt import draw_salt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sregym_core.conductor.progress import Progress
    from sregym_core.conductor.starts import Start
    from sregym_core.interfaces import (
        Application,
        Baseline,
        Checkpoint,
        Cluster,
        ClusterProvider,
        Routine,
    )

# Warm worlds are kept to fork from, and their origins, as long as their applications have so many
# components together: those that were used last. Making one anew takes as long as many episodes, and
# keeping one 4 to 5 MB for each component.
COMPONENTS_KEPT = 320


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
    components: int


class Worlds:
    """Makes worlds; keeps checkpoints of the last ones, of their origins and with their routine changes.

    Args:
        provider: Where clusters come from.
        options: What the user gave for the cluster; on one that is shared `suffix`, with which the
            names of the applications' namespaces end.
        salt: As in `ClusterSpec`, for all clusters; drawn when not given.
        standing: Makes a `StandingApplication` of an application and the suffix.
        routines: The everyday life of simulated worlds.

    Attributes:
        routines: The everyday life of simulated worlds; empty on a real cluster.
        suffix: With which the names of the applications' namespaces end.
    """

    def __init__(
        self,
        provider: ClusterProvider,
        options: Mapping[str, str],
        salt: str | None = None,
        standing: Callable[[Application, str], StandingApplication] = StandingApplication,
        routines: Sequence[Routine] = (),
    ) -> None:
        self.routines = tuple(routines) if provider.simulated else ()
        self.suffix = "" if provider.simulated else options.get("suffix", "")
        self.standing = standing
        self._relocated: dict[str, Application] = {}
        self.provider = provider
        self.options = options
        self.salt = draw_salt() if salt is None else salt
        self.starts = Starts()
        self._prepared: dict[tuple[str, float, int], _Prepared] = {}
        self._lived_in: dict[tuple[str, float, int], _Prepared] = {}
        self._standing: dict[str, StandingApplication] = {}

    def share(self, number: int) -> None:
        """Others play on the same cluster: from now on in namespaces of this one's own."""
        self.suffix += f"-{number}"
        self._relocated.clear()

    def application(self, application: Application) -> Application:
        """An application as it stands here: in namespaces with the suffix.

        Raises:
            UsageError: It cannot stand in other namespaces than its own.
        """
        if not self.suffix:
            return application
        if application.name not in self._relocated:
            moved = application.with_namespace_suffix(self.suffix)
            if moved is None:
                msg = (
                    f"application {application.name!r} cannot stand in namespaces that end with "
                    f"{self.suffix!r}: it has objects outside namespaces, or says nothing of it; "
                    "leave out the suffix and --jobs, or give it a method `with_namespace_suffix`"
                )
                raise UsageError(msg)
            self._relocated[application.name] = moved
        return self._relocated[application.name]

    def make(
        self,
        application: Application,
        warm_up_s: float,
        seed: int,
        served: bool,
        folder: Path | None = None,
        progress: Progress | None = None,
    ) -> World:
        """A world for one episode; on a wall clock `progress` receives what is waited for.

        Raises:
            WorldError: The application does not get ready or does not serve its users.
        """
        spec = ClusterSpec(
            seed=seed,
            applications=(application,),
            options=self.options,
            served=served,
            folder=folder,
            salt=self.salt,
        )
        key = (application.name, warm_up_s)
        found = _kept(self._lived_in, (*key, seed))
        if found is not None:
            return World(found.checkpoint.fork(spec), found.baseline, forked=True)
        if not self.provider.simulated:
            return self._warm(application, warm_up_s, spec, progress)
        with nothing_collected():
            return self._new(application, warm_up_s, spec)

    def _new(self, application: Application, warm_up_s: float, spec: ClusterSpec) -> World:
        """A world of which nobody has had a copy, on virtual time."""
        key, seed, served = (application.name, warm_up_s), spec.seed, spec.served
        world = self._warm(application, warm_up_s, spec)
        try:
            baseline = lived_in(world.cluster, application, seed, self.routines)
        except BaseException:
            world.cluster.close()
            raise
        checkpoint = world.cluster.checkpoint()
        if checkpoint is not None and not served:
            size = len(application.components())
            _keep(self._lived_in, (*key, seed), _Prepared(checkpoint, baseline, size))
            world.cluster.close()
            return World(checkpoint.fork(spec), baseline, forked=True)
        return World(world.cluster, baseline, world.forked)

    def _warm(
        self,
        application: Application,
        warm_up_s: float,
        spec: ClusterSpec,
        progress: Progress | None = None,
    ) -> World:
        # What an episode sees must not depend on which episode of a run came first: a world is built
        # with a seed that follows from the episode's, which rules alone from the fork on.
        seed_of_origin = self.provider.origin(spec.seed, self.options)
        key = (application.name, warm_up_s, seed_of_origin)
        prepared = _kept(self._prepared, key)
        if prepared is not None:
            return World(prepared.checkpoint.fork(spec), prepared.baseline, forked=True)
        origin = replace(spec, seed=seed_of_origin) if self.provider.simulated else spec
        cluster = self.provider.provision(origin)
        try:
            if not self.provider.simulated:
                standing = self._standing.setdefault(
                    application.name, self.standing(application, self.suffix)
                )
                return World(cluster, standing.ready(cluster, warm_up_s, progress), forked=False)
            history = self.provider.history(origin)
            deploy_in_time(cluster, application, history, origin.seed, self.routines)
            baseline = settle(cluster, application, warm_up_s)
        except BaseException:
            cluster.close()
            raise
        checkpoint = cluster.checkpoint()
        if checkpoint is None:
            return World(cluster, baseline, forked=False)
        # A served world is anchored to the wall clock: the next one cannot use it.
        if not spec.served:
            size = len(application.components())
            _keep(self._prepared, key, _Prepared(checkpoint, baseline, size))
        cluster.close()
        return World(checkpoint.fork(spec), baseline, forked=True)

    def start_from(self, start: Start, application: Application, seed: int) -> World:
        """A fork of a world that was broken before."""
        spec = ClusterSpec(
            seed=seed, applications=(application,), options=self.options, salt=self.salt
        )
        return World(start.checkpoint.fork(spec), start.baseline, forked=True)

    def copy_of(self, world: World, application: Application, seed: int) -> World | None:
        """A world that goes on from the same moment by itself; None where that cannot be had."""
        checkpoint = world.cluster.checkpoint()
        if checkpoint is None:
            return None
        spec = ClusterSpec(
            seed=seed, applications=(application,), options=self.options, salt=self.salt
        )
        return World(checkpoint.fork(spec), world.baseline, forked=True)

    def prepare(self, application: Application, warm_up_s: float, seed: int) -> None:
        """Take the checkpoint now that episodes will start from, where the cluster has them.

        An application that does not come up is left to the episodes: each reports it.
        """
        try:
            self.make(application, warm_up_s, seed, served=False).cluster.close()
        except (SregymError, ClusterError):
            return

    def close(self, progress: Progress | None = None) -> None:
        """Remove from a real cluster what was deployed there; a simulated one simply ends.

        Between the episodes of a run applications stay: recovery has restored them.
        """
        for standing in self._standing.values():
            cluster = self.provider.provision(ClusterSpec(options=self.options))
            try:
                standing.release(cluster, progress)
            finally:
                cluster.close()
        self._standing.clear()


def _kept(kept: dict[tuple[str, float, int], _Prepared], key: Any) -> _Prepared | None:
    """What is kept under a key, which from now on is the one that was used last."""
    found = kept.pop(key, None)
    if found is not None:
        kept[key] = found
    return found


def _keep(kept: dict[tuple[str, float, int], _Prepared], key: Any, prepared: _Prepared) -> None:
    kept[key] = prepared
    while len(kept) > 1 and sum(one.components for one in kept.values()) > COMPONENTS_KEPT:
        del kept[next(iter(kept))]
