from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import Fault, FaultContext
from sregym_injectors.quantities import memory_bytes
from sregym_injectors.testing import MemoryCluster, Shop, component

IMAGES = {part.image for part in Shop().components()}


def starts(pod: dict[str, Any]) -> bool:
    """Images exist or not, and a process needs 32 MiB."""
    container = pod["spec"]["containers"][0]
    limit = container.get("resources", {}).get("limits", {}).get("memory", "1Gi")
    return container["image"] in IMAGES and memory_bytes(limit) >= 32 * 2**20


@pytest.fixture
def cluster() -> MemoryCluster:
    """A cluster in memory with a shop that is ready."""
    cluster = MemoryCluster()
    cluster.starts = starts
    Shop().deploy(cluster)
    cluster.clock.advance(1.0)
    assert Shop().ready(cluster) == []
    return cluster


@pytest.fixture
def at(cluster: MemoryCluster) -> Callable[..., FaultContext]:
    """`at(fault, "catalog", port=80)`: the context in which a fault meets a component."""

    def make(fault: Fault, target: str, **parameters: Any) -> FaultContext:
        values = fault.Parameters(**parameters)
        return FaultContext(cluster, Shop(), component(target), values, UndoJournal())

    return make
