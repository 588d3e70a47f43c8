"""What the undo journal says when a command of it does not succeed."""

from __future__ import annotations

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import WorldError
from sregym_testing import FullShop, MemoryCluster

STORE = FullShop().component("catalog-db").workload


@pytest.fixture
def cluster() -> MemoryCluster:
    cluster = MemoryCluster()
    FullShop().deploy(cluster)
    assert FullShop().ready(cluster) == []
    return cluster


def refused(cluster: MemoryCluster) -> str:
    journal = UndoJournal()
    journal.command("shop", STORE, ["mongosh", "--eval", "1"], "")
    with pytest.raises(WorldError) as caught:
        journal.undo_commands(cluster)
    return str(caught.value)


def test_a_command_that_never_succeeds(cluster: MemoryCluster) -> None:
    assert refused(cluster) == (
        f"undoing in {STORE} failed: 'mongosh --eval 1' did not succeed in 600 s: "
        "mongosh: not found"
    )


def test_a_workload_without_a_ready_pod(cluster: MemoryCluster) -> None:
    cluster.delete(STORE)
    assert refused(cluster) == (
        f"undoing in {STORE} failed: 'mongosh --eval 1' did not succeed in 600 s: "
        f"no ready pod of {STORE}"
    )
