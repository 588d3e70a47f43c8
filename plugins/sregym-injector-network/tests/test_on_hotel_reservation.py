"""Each fault in a running application: users feel it, and undo restores what was, exactly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, FaultContext
from sregym_core.model import Outcome
from sregym_injector_network.plugin import sregym_register_injectors
from sregym_kubernetes.operations.objects import capture, differences
from sregym_testing import choose_target

APPLICATION = HotelReservation()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
FAULTS = {registration.name: registration.load()() for registration in sregym_register_injectors()}
WHOLE = {"cluster": True}
CASES = [
    ("service-port", "frontend", {}),
    ("service-protocol", "frontend", {}),
    ("service-external-name", "mongodb-rate", {}),
    ("traffic-policy", "frontend", {}),
    ("service-selector-wide", "frontend", {}),
    ("endpoints-stale", "frontend", {}),
    ("endpoints-stale", "mongodb-rate", {}),
    ("policy-deny", "recommendation", {}),
    ("policy-deny", "recommendation", {"direction": "egress"}),
    ("policy-peer", "recommendation", {}),
    ("policy-caller", "consul", {"caller": "frontend"}),
    ("policy-port", "mongodb-rate", {}),
    ("policy-dns", "geo", {}),
    ("dns-name-poisoned", "mongodb-rate", {}),
    ("dns-name-poisoned", "mongodb-rate", {"answer": "servfail"}),
    ("dns-name-poisoned", "mongodb-rate", {"answer": "address"}),
    ("dns-zone-broken", WHOLE, {}),
    ("dns-zone-broken", WHOLE, {"how": "renamed"}),
    ("dns-config-invalid", WHOLE, {}),
    ("dns-down", WHOLE, {}),
    ("dns-policy", "profile", {}),
    ("dns-policy", "profile", {"policy": "Default"}),
    ("host-aliases", "profile", {}),
    ("proxy-stale", "mongodb-rate", {"mode": "stopped"}),
    ("routes-lost", WHOLE, {}),
    ("addresses-exhausted", WHOLE, {}),
    ("partition", "recommendation", {}),
]
# Those of Ingresses have theirs in `test_through_ingress.py`; links that are slow, lossy or narrow
# let most requests through, and nobody here looks names up while connections are held.
ELSEWHERE = {
    *("ingress-wrong", "certificate", "link-delay", "link-loss", "link-narrow", "dns-overloaded"),
    "service-headless",  # clients that keep connections do without the address of a Service
}


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
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
    cluster.clock.advance(30.0)
    return APPLICATION.traffic(cluster, 30.0).success_rate


def test_each_fault_has_a_case() -> None:
    assert {name for name, *_ in CASES} == set(FAULTS) - ELSEWHERE


@pytest.mark.parametrize(("name", "target", "parameters"), CASES, ids=lambda value: str(value))
def test_users_notice_and_undo_is_exact(
    name: str, target: object, parameters: dict[str, object], live: Cluster
) -> None:
    fault, journal = FAULTS[name], UndoJournal()
    chosen = choose_target(APPLICATION, target, live)
    values = fault.Parameters.model_validate(parameters)
    context = FaultContext(live, APPLICATION, chosen, values, journal, 7)
    before = capture(live, APPLICATION.namespaces)
    assert fault.present(context).outcome is Outcome.PASS

    fault.inject(context)
    assert live.clock.wait_until(lambda: served(live) < 0.9, 300.0)
    assert fault.present(context).outcome is Outcome.FAIL

    journal.undo_nodes(live)
    journal.undo_objects(live)
    journal.undo_commands(live)
    live.clock.advance(60.0)
    assert fault.present(context).outcome is Outcome.PASS
    assert list(differences(before, capture(live, APPLICATION.namespaces))) == []
