from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import ClusterSpec, CommandResult, FaultContext, node_access
from sregym_core.model import Component, Outcome
from sregym_injector_code.hanging import GrayReplica, Hang
from sregym_injector_code.log_flood import LogFlood
from sregym_injector_code.memory import HeapLimit
from sregym_injector_code.plugin import sregym_register_injectors
from sregym_injectors.settings import SettingFault
from sregym_kubernetes.node_settings import ProcessStop
from sregym_testing import (
    FaultCase,
    FullShop,
    InjectorContract,
    MemoryCluster,
    MemoryProvider,
    PluginContract,
    Provision,
    worker_nodes,
)
from sregym_testing.clusters import open_clusters

ALL = tuple(registration.load()() for registration in sregym_register_injectors())
FAULTS = tuple(fault for fault in ALL if isinstance(fault, SettingFault))
HEAPS = tuple(fault for fault in ALL if isinstance(fault, HeapLimit))
STOPPING = {type(fault): fault for fault in ALL if isinstance(fault, Hang | GrayReplica)}


class TestPlugin(PluginContract):
    distribution = "sregym-injector-code"


class TestFaults(InjectorContract):
    @pytest.fixture(params=FAULTS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "front")


class TestHeaps(InjectorContract):
    @pytest.fixture(params=HEAPS, ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "front")


class TestStoppedProcesses(InjectorContract):
    """Those that act on processes, in a cluster in memory whose new pods come without them."""

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            yield give

    @pytest.fixture(params=STOPPING.values(), ids=lambda fault: fault.name)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return FaultCase(request.param, FullShop(), "catalog")


class TestFloodedLogs(InjectorContract):
    @pytest.fixture
    def provision(self) -> Provision:
        """Nobody is evicted in memory: who takes evicted pods away finds none."""

        def made(_spec: ClusterSpec) -> MemoryCluster:
            cluster = MemoryCluster()
            clean = "kubectl delete pods -n shop --field-selector=status.phase=Failed"
            cluster.answers[clean] = CommandResult(0)
            return cluster

        return made

    @pytest.fixture
    def case(self) -> FaultCase:
        return FaultCase(LogFlood(), FullShop(), "catalog")


def test_a_logger_at_another_level_floods_nothing() -> None:
    fault, shop, cluster = LogFlood(), FullShop(), MemoryCluster()
    shop.deploy(cluster)
    parts = {part.name: fault.mismatch_reason(part) for part in shop.components()}
    context = FaultContext(
        cluster, shop, shop.component("catalog"), fault.Parameters(), UndoJournal()
    )
    fault.inject(context)
    broken = fault.present(context).got
    logger = {"name": "request-log", "env": [{"name": "LOG_LEVEL", "value": "info"}]}
    containers = {"spec": {"template": {"spec": {"containers": [logger]}}}}
    cluster.patch(context.component.workload, containers, "strategic")
    assert (parts, broken, fault.present(context).outcome) == (
        {
            "catalog": "",
            "catalog-db": "",
            "front": "",
            "visitors": "it is the load generator, which stands for users",
        },
        "Deployment shop/catalog has a container request-log that logs at level debug",
        Outcome.PASS,
    )


def test_whose_processes_stop() -> None:
    shop = FullShop()
    catalog = shop.component("catalog")
    assert catalog is not None
    for fault, parameters, stopped in ((Hang(), {}, 1), (GrayReplica(), {"replicas": 4}, 1)):
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            cluster = give(None)
            shop.deploy(cluster)
            given = fault.Parameters.model_validate(parameters)
            fault.inject(FaultContext(cluster, shop, catalog, given, UndoJournal()))
            found = node_access(cluster).settings()
            pods = cluster.list("v1", "Pod", "shop", "app=catalog")
        assert [type(setting) for setting in found] == [ProcessStop] * stopped
        assert len(pods) == given.model_dump().get("replicas", 1)


def test_who_would_notice_a_stopped_process() -> None:
    catalog = FullShop().component("catalog")
    assert catalog is not None

    def probed(*probes: str) -> Component:
        containers = tuple(c.model_copy(update={"probes": probes}) for c in catalog.containers)
        return catalog.model_copy(update={"containers": containers})

    misfits = [
        [fault.mismatch_reason(probed(*probes)) for fault in (Hang(), GrayReplica())]
        for probes in ((), ("readinessProbe",), ("livenessProbe", "readinessProbe"))
    ]
    assert misfits == [
        ["", ""],
        ["", "its readinessProbe notices"],
        ["its livenessProbe notices", "its livenessProbe notices"],
    ]


def test_what_settings_become() -> None:
    shop = FullShop()
    front = shop.component("front")
    assert front is not None
    found = {}
    for fault in FAULTS:
        context = FaultContext(MemoryCluster(), shop, front, fault.Parameters(), UndoJournal())
        found[fault.name] = {s.name: value for s, value in fault.wrong(context).items()}
    assert found == {
        "retry-policy": {"CALL_TIMEOUT": "50ms", "CALL_ATTEMPTS": "30"},
        "timeouts-misordered": {"CALL_TIMEOUT": "1ms"},
        "limits-wrong": {"MAX_REQUESTS": "8"},
        "pool-too-small": {"pool": "1"},
        "gc-pressure": {"GOGC": "0"},
        "hot-path": {"PATH_RULE": "^([a-zA-Z]+)*$"},
    }


def test_a_heap_has_room_again_when_it_is_twice_as_large_or_has_no_limit() -> None:
    shop, fault = FullShop(), HeapLimit()
    front = shop.component("front")
    assert front is not None
    cluster = MemoryCluster()
    shop.deploy(cluster)
    context = FaultContext(cluster, shop, front, fault.Parameters(), UndoJournal())
    fault.inject(context)
    got = {}
    for value in ("8MiB", "12MiB", "16MiB", "off"):
        entry = {"name": front.container, "env": [{"name": "GOMEMLIMIT", "value": value}]}
        spec = {"template": {"spec": {"containers": [entry]}}}
        cluster.patch(front.workload, {"spec": spec})
        got[value] = str(fault.present(context).outcome)
    assert got == {"8MiB": "fail", "12MiB": "fail", "16MiB": "pass", "off": "pass"}


def test_which_parts_can_have_a_heap_without_room() -> None:
    fault = HeapLimit()
    misfits = {part.name: fault.mismatch_reason(part) for part in FullShop().components()}
    assert misfits["front"] == ""
    assert misfits["catalog"] == "none of its settings limits its heap"


def test_what_fits() -> None:
    fitting = {f.name: [p.name for p in FullShop().components() if f.fits(p)] for f in FAULTS}
    assert fitting == {fault.name: ["front"] for fault in FAULTS}
