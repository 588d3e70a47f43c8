"""A deployed, ready application on a cluster, and how contracts compare its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sregym_core.interfaces import ClusterSpec
from sregym_kubernetes.operations.objects import capture, differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Application, Cluster
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
    """Deploy an application, unless it is ready in what was provided, and wait until it is."""
    cluster = provision(ClusterSpec(seed=seed, applications=(application,)))
    if application.ready(cluster):
        application.deploy(cluster)
    before = World(cluster, application, {}, {})
    assert before.is_ready(), f"not ready in time: {application.ready(cluster)}"
    objects = capture(cluster, application.namespaces)
    return World(cluster, application, objects, cluster.hidden_state(), settings_of(cluster))


def advance(cluster: Cluster, seconds: float) -> None:
    """Let time pass on any cluster's clock."""
    cluster.clock.wait_until(lambda: False, seconds)


def settings_of(cluster: Cluster) -> tuple[NodeSetting, ...]:
    """What is set on nodes; nothing where there is no access to them."""
    return () if cluster.nodes is None else cluster.nodes.settings()
