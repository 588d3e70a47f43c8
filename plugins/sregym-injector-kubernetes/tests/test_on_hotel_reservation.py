"""Each fault in a running application: users feel it, the reference fix heals it, undo restores it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.objects import capture, differences
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, FaultContext
from sregym_core.model import Outcome
from sregym_injector_kubernetes.plugin import sregym_register_injectors

APPLICATION = HotelReservation()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
FAULTS = {offer.name: offer.load()() for offer in sregym_register_injectors()}
# Each fault on a store, which clients hold on to, and on a service that must be rolled over.
CASES = [
    ("service-target-port", "mongodb-rate"),
    ("service-target-port", "frontend"),
    ("service-selector", "memcached-profile"),
    ("service-missing", "consul"),
    ("configmap-missing", "mongodb-geo"),
    ("configmap-missing", "search"),
    ("configmap-drift", "geo"),
    ("resource-limit", "mongodb-rate"),
    ("resource-limit", "geo"),
    ("replicas-zero", "recommendation"),
    ("replicas-zero", "mongodb-geo"),
    ("image-wrong", "mongodb-profile"),
    ("image-wrong", "frontend"),
]


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
    """The application, ready and under load."""
    cluster = Embedded().provision(SPEC)
    APPLICATION.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 600.0, 2.0)
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


def served(cluster: Cluster) -> float:
    """Success rate of the last 30 of 60 further seconds."""
    cluster.clock.advance(60.0)
    return APPLICATION.traffic(cluster, 30.0).success_rate


def test_every_fault_is_played():
    assert sorted(FAULTS) == sorted({name for name, _ in CASES})


@pytest.mark.parametrize(("name", "target"), CASES)
def test_it_hurts_and_heals(live: Cluster, name: str, target: str):
    fault, component = FAULTS[name], APPLICATION.component(target)
    assert component is not None
    context = FaultContext(live, APPLICATION, component, fault.Parameters(), UndoJournal())
    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    live.clock.advance(30.0)
    assert served(live) < 0.7
    for command in fault.reference_fix(context):
        result = live.kubectl(command)
        assert result.ok, f"{command}\n{result.stderr}"
    assert fault.present(context).outcome == Outcome.PASS
    assert APPLICATION.ready(live) == []
    live.clock.advance(30.0)
    assert served(live) == 1.0


@pytest.mark.parametrize(("name", "target"), CASES)
def test_undo_restores_it(live: Cluster, name: str, target: str):
    fault, component = FAULTS[name], APPLICATION.component(target)
    assert component is not None
    journal = UndoJournal()
    before = capture(live, APPLICATION.namespaces), live.hidden_state()
    fault.inject(FaultContext(live, APPLICATION, component, fault.Parameters(), journal))
    live.clock.advance(30.0)
    journal.undo_objects(live)
    after = capture(live, APPLICATION.namespaces), live.hidden_state()
    assert (list(differences(before[0], after[0])), after[1]) == ([], before[1])
