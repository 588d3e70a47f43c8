"""A deployed, ready application on a cluster, and how contracts compare its state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_core.conductor.worlds import COMPONENTS_KEPT
from sregym_core.interfaces import ClusterSpec
from sregym_kubernetes.copying import copied
from sregym_kubernetes.operations.objects import capture, differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, Checkpoint, Cluster, ClusterProvider
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_core.model import NodeSetting

    from sregym_testing.clusters import Provision

READY_TIMEOUT_S = 600.0
SETTLE_TIMEOUT_S = 300.0


@dataclass(frozen=True)
class World:
    """A cluster with an application that is ready, and its state at that moment."""

    cluster: Cluster
    application: Application
    objects: Mapping[str, KubeObject]
    hidden: Mapping[str, str]
    nodes: tuple[NodeSetting, ...] = ()

    def changes(self) -> list[str]:
        """What differs from the healthy state now."""
        now = capture(self.cluster, self.application.namespaces)
        found = list(differences(self.objects, now))
        if self.cluster.hidden_state() != self.hidden:
            found.append("state outside the API differs")
        if settings_of(self.cluster) != self.nodes:
            found.append("state of nodes differs")
        return found

    def lasting_changes(self) -> list[str]:
        """What still differs after the cluster had time to settle."""
        self.cluster.clock.wait_until(lambda: not self.changes(), SETTLE_TIMEOUT_S, 5.0)
        return self.changes()

    def is_ready(self) -> bool:
        """Whether all parts get ready in time."""
        application, cluster = self.application, self.cluster
        return cluster.clock.wait_until(
            lambda: not application.ready(cluster), READY_TIMEOUT_S, 2.0
        )


def ready_world(application: Application, provision: Provision, seed: int = 7) -> World:
    """Deploy an application, unless it is ready in what was provided, and wait until it is.

    Of `ReadyWorlds` it is a fork of one that was made before.
    """
    if isinstance(provision, ReadyWorlds):
        return provision.world(application, seed)
    cluster = provision(ClusterSpec(seed=seed, applications=(application,)))
    if application.ready(cluster):
        application.deploy(cluster)
    before = World(cluster, application, {}, {})
    assert before.is_ready(), f"not ready in time: {application.ready(cluster)}"
    objects = capture(cluster, application.namespaces)
    return World(cluster, application, objects, cluster.hidden_state(), settings_of(cluster))


@dataclass(frozen=True)
class _Kept:
    """A ready world to fork from, and of which application and seed it is."""

    made_of: tuple[Any, ...]
    checkpoint: Checkpoint
    world: World


class ReadyWorlds:
    """Clusters for a test, as a `Provision`; ready worlds are made once and forked for each test.

    No test sees what another did: each goes on from the moment at which the application was ready.
    Where a cluster has no checkpoints, and once `COMPONENTS_KEPT` are exceeded, worlds are made anew.

    Args:
        provider: Where clusters come from.
    """

    def __init__(self, provider: ClusterProvider) -> None:
        self._provider = provider
        self._kept: list[_Kept] = []
        self._open: list[Cluster] = []

    def __call__(self, spec: ClusterSpec) -> Cluster:
        """A new cluster."""
        return self._opened(self._provider.provision(spec))

    def world(self, application: Application, seed: int) -> World:
        """A world of its own for who asks."""
        made_of = (
            *(type(application), application.name, seed),
            *(copied(application.manifests()), application.service_models()),
        )
        kept = next((one for one in self._kept if one.made_of == made_of), None)
        if kept is None:
            world = ready_world(application, self.__call__, seed)
            checkpoint = world.cluster.checkpoint()
            if checkpoint is None:
                return world
            kept = _Kept(made_of, checkpoint, world)
            self._keep(kept)
        spec = ClusterSpec(seed=seed, applications=(application,))
        cluster = self._opened(kept.checkpoint.fork(spec))
        return replace(
            kept.world,
            cluster=cluster,
            application=application,
            objects=copied({**kept.world.objects}),
            hidden={**kept.world.hidden},
        )

    def close(self) -> None:
        """Close all clusters that were given; worlds are kept for the next test."""
        while self._open:
            self._open.pop().close()

    def _opened(self, cluster: Cluster) -> Cluster:
        self._open.append(cluster)
        return cluster

    def _keep(self, kept: _Kept) -> None:
        """Keep one more, and of all no more than fit, those that were made last."""
        self._kept.append(kept)
        while len(self._kept) > 1 and sum(map(_components, self._kept)) > COMPONENTS_KEPT:
            del self._kept[0]


def _components(kept: _Kept) -> int:
    return len(kept.world.application.components())


def advance(cluster: Cluster, seconds: float) -> None:
    """Let time pass on any cluster's clock."""
    cluster.clock.wait_until(lambda: False, seconds)


def settings_of(cluster: Cluster) -> tuple[NodeSetting, ...]:
    """What is set on nodes; nothing where there is no access to them."""
    return () if cluster.nodes is None else cluster.nodes.settings()
