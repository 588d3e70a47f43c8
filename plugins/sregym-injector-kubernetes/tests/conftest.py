from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Fault, FaultContext
from sregym_testing import FullShop, MemoryCluster, Program

component = FullShop().component

# These images exist, and a process in them needs 32 MiB.
PROGRAMS = {part.image: Program(start_s=0.0, memory_mib=32.0) for part in FullShop().components()}


@pytest.fixture
def cluster() -> MemoryCluster:
    """A cluster in memory with a shop that is ready."""
    cluster = MemoryCluster(PROGRAMS)
    FullShop().deploy(cluster)
    cluster.clock.advance(1.0)
    assert FullShop().ready(cluster) == []
    return cluster


@pytest.fixture
def at(cluster: MemoryCluster) -> Callable[..., FaultContext]:
    """`at(fault, "catalog", port=80)`: the context in which a fault meets a component."""

    def make(fault: Fault, target: str, **parameters: Any) -> FaultContext:
        values = fault.Parameters(**parameters)
        return FaultContext(cluster, FullShop(), component(target), values, UndoJournal())

    return make
