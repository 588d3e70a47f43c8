from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import TargetError
from sregym_core.interfaces import Fault, FaultContext, node_access
from sregym_core.model import Component, Node, VolumeUse
from sregym_injector_dm_dust import corruption
from sregym_injector_dm_dust.corruption import Corruption
from sregym_injector_dm_dust.faults import FAULTS
from sregym_injector_dm_dust.plugin import NAMES
from sregym_injector_dm_dust.rows import ROWS
from sregym_injector_dm_dust.sectors import REPAIR, BadSectors
from sregym_kubernetes.node_settings import DiskBadBlocks, DiskCorruption, DiskDelay, DiskErrors
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

RUNS_STORE = {"node": {"runs": "catalog-db"}}
REPAIRS = {REPAIR, corruption.REPAIR, *(command for row in ROWS for command in row.repair)}
KINDS: dict[str, type[Fault]] = {**FAULTS, "bad-sectors": BadSectors, "corruption": Corruption}


class Shop(FullShop):
    """Whose database keeps what it has in a volume."""

    def components(self) -> tuple[Component, ...]:
        kept = (VolumeUse(claim="catalog-db", path="/data"),)
        return tuple(
            part.model_copy(update={"volumes": kept}) if part.kind == "datastore" else part
            for part in super().components()
        )


class TestPlugin(PluginContract):
    distribution = "sregym-injector-dm-dust"


class TestFaults(InjectorContract):
    """Each fault on a node of a cluster in memory."""

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            yield lambda spec: repairable(give(spec), REPAIRS)

    @pytest.fixture(params=KINDS)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(KINDS[request.param](), Shop(), RUNS_STORE)


def test_what_is_set_follows_from_the_parameters() -> None:
    shop = Shop()
    with open_clusters(MemoryProvider(worker_nodes(3))) as give:
        cluster = give(None)
        shop.deploy(cluster)
        target = choose_target(shop, RUNS_STORE, cluster)
        assert isinstance(target, Node)
        given = {"disk-slow": {"delay_ms": 70}, "disk-flaky": {"share": 0.2}}
        for name, cls in KINDS.items():
            parameters = cls.Parameters.model_validate(given.get(name, {"blocks": 2}))
            cls().inject(FaultContext(cluster, shop, target, parameters, UndoJournal()))
        bad, altered, slow, flaky = node_access(cluster).settings()
        assert isinstance(bad, DiskBadBlocks)
        assert isinstance(altered, DiskCorruption)
        for ((first, last),) in (bad.blocks, altered.blocks):
            assert (last - first, first >= 1000, last <= 1999) == (1, True, True)
        assert slow == DiskDelay(node=target.name, delay_ms=70)
        assert flaky == DiskErrors(node=target.name, share=0.2)

        other = next(node for node in worker_nodes(3) if node.name != target.name)
        elsewhere = target.model_copy(update={"name": other.name})
        fault = BadSectors()
        with pytest.raises(TargetError) as caught:
            fault.inject(FaultContext(cluster, shop, elsewhere, parameters, UndoJournal()))
        assert str(caught.value) == (
            f"bad-sectors: no pod of catalog-db runs on node {other.name!r}; "
            "target a node that runs one"
        )


def test_what_fits() -> None:
    shop = Shop()
    names = [part.name for part in shop.components()]
    fitting = {
        name: [n for n in names if cls().fits(choose_target(shop, {"node": {"runs": n}}))]
        for name, cls in KINDS.items()
    }
    assert fitting == {name: ["catalog-db"] for name in KINDS}
    in_its_layer = choose_target(FullShop(), RUNS_STORE)
    assert [name for name, cls in KINDS.items() if cls().fits(in_its_layer)] == [*NAMES]


def test_the_plugin_offers_every_row() -> None:
    assert tuple(row.name for row in ROWS) == NAMES
    with pytest.raises(AttributeError) as caught:
        Registration("x", "sregym_injector_dm_dust.faults:no_such_row").load()
    assert str(caught.value) == (
        "module 'sregym_injector_dm_dust.faults' has no attribute 'no_such_row'"
    )
