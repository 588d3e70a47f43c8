from __future__ import annotations

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_injectors.edits import Edits
from sregym_testing import FullShop, MemoryCluster

component = FullShop().component


@pytest.fixture
def cluster() -> MemoryCluster:
    """A cluster in memory with a shop that is ready."""
    cluster = MemoryCluster()
    FullShop().deploy(cluster)
    cluster.clock.advance(1.0)
    assert FullShop().ready(cluster) == []
    return cluster


@pytest.fixture
def context(cluster: MemoryCluster) -> FaultContext:
    """The context of a fault on the catalog, without parameters."""
    return FaultContext(cluster, FullShop(), component("catalog"), None, UndoJournal())


@pytest.fixture
def edits(context: FaultContext) -> Edits:
    return Edits(context)
