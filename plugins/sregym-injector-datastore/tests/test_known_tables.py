"""Faults in tables of which it is known what they have: in the shells of running servers of SQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_synthetic.application import Synthetic
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, FaultContext
from sregym_core.model import Outcome, TableUse
from sregym_injector_datastore.numbers_exhausted import NumbersExhausted
from sregym_injector_datastore.slow_query import SlowQuery
from sregym_injector_datastore.store_fault import StoreFault, run_in_store

APPLICATION = Synthetic()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
TABLES = {"account-core-db": "core", "promotions-matcher-db": "matcher"}


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
    cluster = Embedded().provision(SPEC)
    APPLICATION.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 900.0, 2.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


def context_for(cluster: Cluster, fault: StoreFault, store: str) -> FaultContext:
    part = APPLICATION.component(store)
    assert part is not None
    tables = (TableUse(name=TABLES[store], key="id", indexes=("state",)),)
    part = part.model_copy(update={"tables": tables})
    assert fault.mismatch_reason(part) == ""
    return FaultContext(cluster, APPLICATION, part, fault.Parameters(), UndoJournal())


@pytest.mark.parametrize("store", TABLES)
@pytest.mark.parametrize("fault", [SlowQuery(), NumbersExhausted()], ids=lambda fault: fault.name)
def test_it_is_known_repaired_and_undone(
    fault: StoreFault, store: str, healthy: Checkpoint
) -> None:
    cluster = healthy.fork(SPEC)
    context = context_for(cluster, fault, store)
    if isinstance(fault, SlowQuery):  # these applications have no such index yet
        assert run_in_store(context, fault.change(context).mends).ok
    before, seen = cluster.hidden_state(), [fault.present(context).outcome]
    fault.inject(context)
    seen.append(fault.present(context).outcome)
    undone = cluster.checkpoint()
    assert undone is not None
    for command in fault.reference_fix(context):
        result = cluster.kubectl(command)
        assert result.ok, f"{command}\n{result.stderr}"
    seen.append(fault.present(context).outcome)
    cluster.close()
    cluster = undone.fork(SPEC)
    for _ in range(2):
        context.journal.undo_commands(cluster)
    assert cluster.hidden_state() == before
    assert seen == [Outcome.PASS, Outcome.FAIL, Outcome.PASS]
    cluster.close()
