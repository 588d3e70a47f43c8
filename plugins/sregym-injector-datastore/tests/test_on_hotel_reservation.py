"""Each fault in a running MongoDB: users feel it, the reference fix heals it, undo restores it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, Command, Fault, FaultContext
from sregym_core.model import Outcome
from sregym_injector_datastore.mongodb_accounts import MongodbRoleRevoked, MongodbUserDropped
from sregym_kubernetes.operations.objects import capture, differences

APPLICATION = HotelReservation()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
CASES = [
    pytest.param(fault, target, id=f"{fault.name}-{target}")
    for fault in (MongodbRoleRevoked(), MongodbUserDropped())
    for target in ("mongodb-geo", "mongodb-rate")
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


def context_for(fault: Fault, target: str, cluster: Cluster) -> FaultContext:
    component = APPLICATION.component(target)
    assert component is not None
    return FaultContext(cluster, APPLICATION, component, fault.Parameters(), UndoJournal())


def served(cluster: Cluster) -> float:
    """Success rate of the last 30 of 90 further seconds."""
    cluster.clock.advance(90.0)
    return APPLICATION.traffic(cluster, 30.0).success_rate


@pytest.mark.parametrize(("fault", "target"), CASES)
def test_it_hurts_and_heals(live: Cluster, fault: Fault, target: str):
    context = context_for(fault, target, live)
    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    assert fault.present(context).outcome == Outcome.FAIL
    assert served(live) < 0.5
    for command in fault.reference_fix(context):
        result = live.kubectl(command)
        assert result.ok, f"{command}\n{result.stderr}"
    assert fault.present(context).outcome == Outcome.PASS
    assert APPLICATION.ready(live) == []
    assert served(live) >= 0.995


@pytest.mark.parametrize(("fault", "target"), CASES)
def test_undo_restores_it_even_when_the_agent_made_its_own_account(
    live: Cluster, fault: Fault, target: str
):
    context = context_for(fault, target, live)
    before = capture(live, APPLICATION.namespaces), live.hidden_state()
    fault.inject(context)
    mongo = ("kubectl", "exec", "-n", "hotel-reservation", f"deploy/{target}", "--", "mongo")
    login = ("admin", "--quiet", "-u", "root", "-p", "root", "--eval")
    text = 'db.dropUser("admin"); db.createUser({user: "admin", pwd: "guess", roles: ["root"]})'
    assert live.kubectl(Command((*mongo, *login, text))).ok
    assert "cannot log in" in fault.present(context).got
    assert live.hidden_state() != before[1]
    context.journal.undo_objects(live)
    context.journal.undo_commands(live)
    after = capture(live, APPLICATION.namespaces), live.hidden_state()
    assert (list(differences(before[0], after[0])), after[1]) == ([], before[1])
