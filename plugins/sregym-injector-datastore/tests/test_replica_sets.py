"""Faults in replica sets: users feel them, the reference fix heals them, undo restores what was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest
from sregym_app_astronomy_shop.replicated import AstronomyShopReplicated
from sregym_app_deathstarbench.social_network import SocialNetwork
from sregym_app_deathstarbench.social_network.replicated import SocialNetworkReplicated
from sregym_app_train_ticket.replicated import TrainTicketReplicated
from sregym_apps.application import ManifestApplication
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, Fault, FaultContext
from sregym_core.model import Outcome
from sregym_injector_datastore.replica_sets import FailoverStuck, ReplicaLag, ReplicaLost
from sregym_kubernetes.operations.objects import capture, differences


class Case(NamedTuple):
    """A fault, and which operation of users it breaks."""

    application: ManifestApplication
    operation: str
    fault: Fault
    target: str


NETWORK, SHOP, TICKETS = (
    SocialNetworkReplicated(),
    AstronomyShopReplicated(),
    TrainTicketReplicated(),
)
CASES = [
    Case(NETWORK, "compose-post", ReplicaLost(), "user-timeline-mongodb"),
    Case(NETWORK, "compose-post", ReplicaLag(), "post-storage-mongodb"),
    Case(NETWORK, "compose-post", FailoverStuck(), "post-storage-mongodb"),
    Case(SHOP, "checkout", ReplicaLost(), "postgresql"),
    Case(SHOP, "checkout", ReplicaLag(), "postgresql"),
    Case(SHOP, "checkout", FailoverStuck(), "postgresql"),
    Case(SHOP, "add_to_cart", ReplicaLost(), "valkey-cart"),
    Case(SHOP, "view_cart", FailoverStuck(), "valkey-cart"),
    Case(TICKETS, "contact-create", FailoverStuck(), "ts-contacts-mysql"),
]


def spec_of(application: ManifestApplication) -> ClusterSpec:
    return ClusterSpec(seed=7, applications=(application,))


@pytest.fixture(scope="module")
def healthy() -> Iterator[dict[str, Checkpoint]]:
    found, clusters = {}, []
    for application in dict.fromkeys(case.application for case in CASES):
        cluster = Embedded().provision(spec_of(application))
        clusters.append(cluster)
        application.deploy(cluster)
        ready = lambda app=application, on=cluster: not app.ready(on)  # noqa: E731
        assert cluster.clock.wait_until(ready, 900.0, 2.0)
        cluster.clock.advance(60.0)
        checkpoint = cluster.checkpoint()
        assert checkpoint is not None
        found[application.name] = checkpoint
    yield found
    for cluster in clusters:
        cluster.close()


def done(cluster: Cluster, case: Case) -> float:
    """The share of requests of users that were answered lately."""
    cluster.clock.advance(60.0)
    found = case.application.traffic(cluster, 30.0).operations[case.operation]
    return found.ok / found.requests


@pytest.mark.parametrize("case", CASES, ids=[f"{one.fault.name} {one.target}" for one in CASES])
def test_users_cannot_write_until_it_is_repaired(
    case: Case, healthy: dict[str, Checkpoint]
) -> None:
    application, fault = case.application, case.fault
    live = healthy[application.name].fork(spec_of(application))
    component = application.component(case.target)
    assert component is not None
    assert fault.fits(component)
    journal = UndoJournal()
    context = FaultContext(live, application, component, fault.Parameters(), journal, 7)
    objects, stored = capture(live, application.namespaces), live.stored()
    assert done(live, case) > 0.99
    assert fault.present(context).outcome is Outcome.PASS

    fault.inject(context)
    assert live.clock.wait_until(lambda: done(live, case) < 0.05, 300.0)
    assert fault.present(context).outcome is Outcome.FAIL

    for command in fault.reference_fix(context):
        answer = live.kubectl(command)
        assert answer.ok, answer
    assert live.clock.wait_until(lambda: done(live, case) > 0.99, 300.0)
    assert fault.present(context).outcome is Outcome.PASS

    journal.undo_objects(live)
    journal.undo_commands(live)
    live.clock.advance(60.0)
    assert list(differences(objects, capture(live, application.namespaces))) == []
    assert live.stored() == stored
    assert done(live, case) > 0.99
    live.close()


def test_only_sets_that_bear_a_loss_can_be_broken() -> None:
    alone = SocialNetwork().component("post-storage-mongodb")
    several = NETWORK.component("post-storage-mongodb")
    cache = SocialNetwork().component("user-memcached")
    assert alone is not None
    assert several is not None
    assert cache is not None
    two = several.model_copy(update={"replicas": 2})
    for fault in (case.fault for case in CASES):
        assert fault.mismatch_reason(alone) == "its pods are no members of a replica set"
        assert fault.mismatch_reason(two) == "its replica set has fewer than 3 members"
    assert ReplicaLag().mismatch_reason(cache) == "it is no MongoDB or PostgreSQL server"
    contacts = TICKETS.component("ts-contacts-mysql")
    assert contacts is not None
    assert ReplicaLost().mismatch_reason(contacts) == "its source does not wait for replicas"
    carts = SHOP.component("valkey-cart")
    assert carts is not None
    bare = carts.model_copy(update={"containers": carts.containers[1:2]})
    assert FailoverStuck().mismatch_reason(bare) == "no Sentinels watch it"
    daemon = several.workload.model_copy(update={"kind": "DaemonSet"})
    fixed = several.model_copy(update={"workload": daemon, "workloads": (daemon,)})
    assert ReplicaLost().mismatch_reason(fixed) == "its DaemonSet cannot be scaled"
