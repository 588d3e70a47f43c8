"""Faults in replica sets: users feel them, the reference fix heals them, undo restores what was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_app_deathstarbench.social_network.replicated import SocialNetworkReplicated
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.objects import capture, differences
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, Fault, FaultContext
from sregym_core.model import Outcome
from sregym_injector_datastore.replica_sets import FailoverStuck, ReplicaLag, ReplicaLost

APPLICATION = SocialNetworkReplicated()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
CASES: list[tuple[Fault, str]] = [
    (ReplicaLost(), "user-timeline-mongodb"),
    (ReplicaLag(), "post-storage-mongodb"),
    (FailoverStuck(), "post-storage-mongodb"),
]


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
    cluster = Embedded().provision(SPEC)
    APPLICATION.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 900.0, 2.0)
    cluster.clock.advance(60.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


@pytest.fixture
def live(healthy: Checkpoint) -> Iterator[Cluster]:
    cluster = healthy.fork(SPEC)
    yield cluster
    cluster.close()


def posted(cluster: Cluster) -> float:
    """The share of posts that users got rid of lately."""
    cluster.clock.advance(30.0)
    found = APPLICATION.traffic(cluster, 30.0).operations["compose-post"]
    return found.ok / found.requests


@pytest.mark.parametrize(("fault", "target"), CASES, ids=[fault.name for fault, _ in CASES])
def test_nobody_can_post_until_it_is_repaired(fault: Fault, target: str, live: Cluster) -> None:
    component = APPLICATION.component(target)
    assert component is not None
    assert fault.fits(component)
    journal = UndoJournal()
    context = FaultContext(live, APPLICATION, component, fault.Parameters(), journal, 7)
    objects, stored = capture(live, APPLICATION.namespaces), live.stored()
    assert posted(live) > 0.99
    assert fault.present(context).outcome is Outcome.PASS

    fault.inject(context)
    assert live.clock.wait_until(lambda: posted(live) < 0.05, 300.0)
    assert fault.present(context).outcome is Outcome.FAIL

    for command in fault.reference_fix(context):
        done = live.kubectl(command)
        assert done.ok, done
    assert live.clock.wait_until(lambda: posted(live) > 0.99, 300.0)
    assert fault.present(context).outcome is Outcome.PASS

    journal.undo_objects(live)
    journal.undo_commands(live)
    live.clock.advance(60.0)
    assert list(differences(objects, capture(live, APPLICATION.namespaces))) == []
    assert live.stored() == stored
    assert posted(live) > 0.99


def test_only_sets_that_bear_a_loss_can_be_broken() -> None:
    alone = SocialNetwork().component("post-storage-mongodb")
    several = APPLICATION.component("post-storage-mongodb")
    cache = SocialNetwork().component("user-memcached")
    assert alone is not None
    assert several is not None
    assert cache is not None
    two = several.model_copy(update={"replicas": 2})
    for fault, _ in CASES:
        assert fault.misfit(alone) == "its pods are no members of a replica set"
        assert fault.misfit(two) == "its replica set has fewer than 3 members"
    assert ReplicaLag().misfit(cache) == "it is no MongoDB server"
    daemon = several.workload.model_copy(update={"kind": "DaemonSet"})
    fixed = several.model_copy(update={"workload": daemon, "workloads": (daemon,)})
    assert ReplicaLost().misfit(fixed) == "its DaemonSet cannot be scaled"
