"""Webhooks, automations and controllers in a running application: they harm, the fix heals, undo restores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Checkpoint, ClusterSpec, Command, FaultContext
from sregym_core.model import Outcome
from sregym_injector_operator.plugin import sregym_register_injectors
from sregym_kubernetes.operations.objects import capture, differences

APPLICATION = HotelReservation()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
FAULTS = {registration.name: registration.load()() for registration in sregym_register_injectors()}
HURTING: list[tuple[str, dict[str, Any]]] = [
    ("webhook-ca", {}),
    ("webhook-denies", {}),
    ("webhook-mutates", {}),
    ("webhook-slow", {}),
    ("actor-recurring", {}),
    ("actor-recurring", {"by": "deployment", "period_s": 20, "patch": {"spec": {"replicas": 0}}}),
]
SILENT: list[tuple[str, dict[str, Any]]] = [
    ("controller-down", {}),
    ("controller-down", {"mode": "replicas"}),
    ("controller-down", {"mode": "image"}),
    ("finalizer-stuck", {}),
]
Play = Callable[..., FaultContext]


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
    """Hotel Reservation, ready and under load."""
    cluster = Embedded().provision(SPEC)
    APPLICATION.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 600.0, 2.0)
    cluster.clock.advance(60.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


@pytest.fixture
def playing(healthy: Checkpoint) -> Iterator[Play]:
    """The context in which a fault meets a component, in a world of its own."""
    forked = []

    def make(name: str, **parameters: Any) -> FaultContext:
        forked.append(healthy.fork(SPEC))
        component = APPLICATION.component("recommendation")
        assert component is not None
        values = FAULTS[name].Parameters(**parameters)
        return FaultContext(forked[-1], APPLICATION, component, values, UndoJournal(), 7)

    yield make
    for cluster in forked:
        cluster.close()


def served(context: FaultContext) -> float:
    """Success rate of the component's requests in the last 30 of 60 further seconds."""
    context.cluster.clock.advance(60.0)
    seen = APPLICATION.traffic(context.cluster, 30.0).operations
    return min(operation.success_rate for operation in seen.values())


def test_every_fault_is_played():
    played = {name for name, _ in (*HURTING, *SILENT)}
    # Problems of FleetCast, and one of the whole cluster, prove the others.
    assert played == set(FAULTS) - {"api-slow", "cr-misoperation", "crd-skew", "operator-bug"}


@pytest.mark.parametrize(("name", "parameters"), [*HURTING, *SILENT])
def test_it_hurts_and_heals(playing: Play, name: str, parameters: dict[str, Any]):
    fault, context = FAULTS[name], playing(name, **parameters)
    live = context.cluster
    assert fault.mismatch_reason(context.component) == ""
    assert fault.present(context).outcome == Outcome.PASS
    fault.inject(context)
    live.clock.advance(40.0)
    assert fault.present(context).outcome == Outcome.FAIL
    silent = (name, parameters) in SILENT
    assert served(context) > 0.99 if silent else served(context) < 0.5
    for command in fault.reference_fix(context):
        done = live.kubectl(command)
        assert done.ok, f"{command}\n{done.stderr}"
    live.clock.advance(max(30.0, 2 * fault.period_s(context)))
    assert fault.present(context).outcome == Outcome.PASS
    assert APPLICATION.ready(live) == []
    assert served(context) > 0.99


@pytest.mark.parametrize("name", ["webhook-slow", "actor-recurring", "controller-down"])
def test_undo_restores_it(playing: Play, name: str):
    fault, context = FAULTS[name], playing(name)
    live, namespaces = context.cluster, APPLICATION.namespaces
    before = capture(live, namespaces)
    fault.inject(context)
    live.clock.advance(30.0)
    fault.recover(context)
    assert isinstance(context.journal, UndoJournal)
    context.journal.undo_objects(live)
    live.clock.advance(120.0)
    assert list(differences(before, capture(live, namespaces))) == []


def test_an_automation_undoes_a_hasty_repair(playing: Play):
    fault, context = FAULTS["actor-recurring"], playing("actor-recurring")
    fault.inject(context)
    for command in fault.hasty_fix(context):
        context.cluster.kubectl(command)
    armed = "CronJob hotel-reservation/resource-tuner will patch Deployment hotel-reservation/recommendation again"
    assert fault.present(context).got == armed
    context.cluster.clock.advance(2 * fault.period_s(context))
    assert fault.present(context).got != armed


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ("patch cronjob resource-tuner --type=merge -p {\"spec\":{\"schedule\":\"0 4 1 * *\"}}", Outcome.FAIL),
        ("patch cronjob resource-tuner --type=merge -p {\"spec\":{\"suspend\":true}}", Outcome.PASS),
        ("patch configmap resource-tuner --type=merge -p {\"data\":{\"patch.json\":\"{}\"}}", Outcome.PASS),
        ("delete cronjob resource-tuner", Outcome.PASS),
    ],
)  # fmt: skip
def test_an_automation_that_acts_later_is_still_there(playing: Play, change: str, outcome: Outcome):
    fault, context = FAULTS["actor-recurring"], playing("actor-recurring")
    fault.inject(context)
    live, place = context.cluster, ("-n", "hotel-reservation")
    words = change.split(" -p ")
    patch = ("-p", *words[1:]) if words[1:] else ()
    assert live.kubectl(Command(("kubectl", *words[0].split(), *patch, *place))).ok
    assert live.kubectl(Command(("kubectl", "delete", "jobs", "--all", *place))).ok
    for command in fault.hasty_fix(context):
        live.kubectl(command)
    live.clock.advance(2 * fault.period_s(context))
    assert fault.present(context).outcome == outcome


def test_a_controller_that_was_taken_away_is_not_repaired(playing: Play):
    fault, context = FAULTS["controller-down"], playing("controller-down")
    fault.inject(context)
    live = context.cluster
    live.clock.advance(40.0)
    fault.recover(context)  # as somebody who takes the finalizer away by hand
    assert "may not patch configmaps" in fault.present(context).got
    truth = fault.ground_truth(context)
    assert (truth.kind, truth.changed.after) == ("Role", "without patch")
    live.delete(fault._deployment(context))
    live.clock.advance(10.0)
    assert fault.present(context).got.endswith("cleanup-controller has no ready pod")
