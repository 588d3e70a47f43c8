"""Faults on the way to pods: what is set, and how it is repaired on the nodes of the pods."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import CommandResult, FaultContext, node_access
from sregym_core.model import NodeSetting
from sregym_injector_network.pod_paths import LinkDelay, LinkLoss, LinkNarrow, Partition
from sregym_kubernetes.node_settings import LinkState, Peer
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryCluster,
    MemoryProvider,
    Provision,
    worker_nodes,
)
from sregym_testing.clusters import open_clusters
from sregym_testing.memory.nodes import MemoryNodes

FAULTS = (LinkDelay(), LinkLoss(), LinkNarrow(), Partition())


def repairable(cluster: MemoryCluster) -> MemoryCluster:
    """What is run on a node as its host's root makes all ways perfect again."""
    access = cluster.nodes
    assert isinstance(access, MemoryNodes)

    def on_host(node: str, argv: object, stdin: str) -> CommandResult:
        for setting in access.settings():
            access.apply(setting.neutral())
        return CommandResult(0)

    access.executor = on_host
    return cluster


class TestFaults(InjectorContract):
    """Each of them on a cluster in memory."""

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            yield lambda spec: repairable(give(spec))

    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "catalog")


def test_what_is_set() -> None:
    shop = FullShop()
    catalog = shop.component("catalog")
    assert catalog is not None
    pods = Peer(namespace="shop", labels=catalog.pod_labels)
    found: list[NodeSetting] = []
    for fault, given in zip(
        FAULTS,
        ({"delay_ms": 40}, {"loss": 0.1, "direction": "from"}, {}, {"blocked": "reset"}),
        strict=True,
    ):
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            cluster = give(None)
            shop.deploy(cluster)
            parameters = fault.Parameters.model_validate(given)
            fault.inject(FaultContext(cluster, shop, catalog, parameters, UndoJournal()))
            found += node_access(cluster).settings()
    assert found == [
        LinkState(target=pods, delay_ms=40),
        LinkState(source=pods, loss=0.1),
        LinkState(target=pods, rate_mbit=0.01),
        LinkState(target=pods, blocked="reset"),
    ]
    fitting = [[part.name for part in shop.components() if f.fits(part)] for f in FAULTS]
    assert fitting == [["catalog", "catalog-db", "front"]] * 4
