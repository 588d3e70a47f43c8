from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import FaultContext
from sregym_core.model import NodeSetting
from sregym_injector_stress.faults import FAULTS
from sregym_injector_stress.plugin import NAMES
from sregym_injector_stress.rows import ROWS
from sregym_kubernetes.node_settings import CpuUse, DiskUse, MemoryUse, NetworkUse
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryProvider,
    PluginContract,
    Provision,
    worker_nodes,
)
from sregym_testing.clusters import open_clusters
from sregym_testing.memory.repairing import repairable
from sregym_testing.targets import choose_target

from sregym_core import Registration

REPAIRS = {command for row in ROWS for command in row.repair}


def runs(name: str) -> dict[str, dict[str, str]]:
    store = next(row.runs for row in ROWS if row.name == name) == "datastore"
    return {"node": {"runs": "catalog-db" if store else "catalog"}}


class TestPlugin(PluginContract):
    distribution = "sregym-injector-stress"


class TestFaults(InjectorContract):
    """Each fault on a node of a cluster in memory."""

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            yield lambda spec: repairable(give(spec), REPAIRS)

    @pytest.fixture(params=NAMES)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(FAULTS[request.param](), FullShop(), runs(request.param), {"share": 0.5})


def test_what_a_share_of_a_machine_is() -> None:
    shop = FullShop()
    with open_clusters(MemoryProvider(worker_nodes(3))) as give:
        cluster = give(None)
        shop.deploy(cluster)
        found: list[NodeSetting] = []
        for name, cls in FAULTS.items():
            fault = cls()
            target = choose_target(shop, runs(name), cluster)
            given = fault.Parameters.model_validate({"share": 0.25})
            context = FaultContext(cluster, shop, target, given, UndoJournal())
            found += [one.model_copy(update={"node": ""}) for one in fault.wanted(context)]
    assert found == [
        CpuUse(node="", cores=0.25),
        MemoryUse(node="", taken_bytes=2**28),
        DiskUse(node="", queued=128),
        DiskUse(node="", queued=128, displaced=1.0),
        NetworkUse(node="", mbit=2500),
    ]


def test_the_plugin_offers_every_row() -> None:
    assert tuple(row.name for row in ROWS) == NAMES
    with pytest.raises(AttributeError) as caught:
        Registration("x", "sregym_injector_stress.faults:no_such_row").load()
    assert str(caught.value) == (
        "module 'sregym_injector_stress.faults' has no attribute 'no_such_row'"
    )
