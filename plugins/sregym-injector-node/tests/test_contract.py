from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import NodeError
from sregym_core.interfaces import CommandResult, FaultContext
from sregym_core.model import Component, Node
from sregym_injector_node.clock import REPAIR, NodeClockAhead
from sregym_injector_node.disk_full import NodeDiskFull
from sregym_injector_node.node_setting import FAULTS
from sregym_injector_node.open_files import FILE, UNDO, OpenFilesLimited
from sregym_injector_node.plugin import SETTINGS
from sregym_injector_node.rows import ROWS
from sregym_injector_node.sysctl import NodeSysctl
from sregym_injector_node.zone_lost import ZoneLost
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
from sregym_testing.memory.nodes import MemoryNodes
from sregym_testing.memory.repairing import repairable
from sregym_testing.targets import choose_target

from sregym_core import Registration

RUNS_CATALOG = {"node": {"runs": "catalog"}}
CASES = {
    "disk": FaultCase(NodeDiskFull(), FullShop(), RUNS_CATALOG),
    "conntrack": FaultCase(NodeSysctl(), FullShop(), RUNS_CATALOG),
    "ports": FaultCase(
        NodeSysctl(), FullShop(), RUNS_CATALOG, {"parameter": "net.ipv4.ip_local_port_range"}
    ),
    "pids": FaultCase(
        NodeSysctl(), FullShop(), RUNS_CATALOG, {"parameter": "kernel.pid_max", "value": "50"}
    ),
    **{
        row.name: FaultCase(
            FAULTS[row.name](),
            FullShop(),
            {"node": {"runs": "catalog-db" if row.runs == "datastore" else "catalog"}},
        )
        for row in ROWS
    },
}
# What is done to the NTP client changes nothing that clusters in memory know of.
NTP = {("systemctl", verb, "chrony") for verb in ("stop", "mask", "start", "unmask")}
REPAIRS = {*NTP, *REPAIR, *(command for row in ROWS for command in row.repair)}


class TrustingShop(FullShop):
    """The shop, whose catalog trusts an authority of its own."""

    def components(self) -> tuple[Component, ...]:
        """Those of the shop."""
        trusting = {"env": {"SSL_CERT_FILE": "/etc/ca.crt"}}
        return tuple(
            part.model_copy(update=trusting) if part.name == "catalog" else part
            for part in super().components()
        )


CASES["clock"] = FaultCase(NodeClockAhead(), TrustingShop(), RUNS_CATALOG)


def with_files(cluster: MemoryCluster) -> MemoryCluster:
    """The cluster, whose hosts have a file with limits that shells write and remove."""
    access, files = cluster.nodes, {}
    assert isinstance(access, MemoryNodes)
    otherwise = access.executor
    assert otherwise is not None

    def on_host(node: str, argv: Sequence[str], stdin: str) -> CommandResult:
        if argv[0] == "cat":
            return CommandResult(0 if node in files else 1, files.get(node, ""))
        if argv[0] != "sh":
            return otherwise(node, argv, stdin)
        if f"cat > {FILE}" in argv[2]:
            files[node] = stdin
        else:
            assert tuple(argv) == UNDO
            files.pop(node, None)
        return CommandResult(0)

    access.executor = on_host
    return cluster


CASES["zone"] = FaultCase(ZoneLost(), FullShop(), {"zone": {"runs": "catalog-db"}})
CASES["open files"] = FaultCase(OpenFilesLimited(), FullShop(), {"cluster": True})


class TestPlugin(PluginContract):
    distribution = "sregym-injector-node"


class TestFaults(InjectorContract):
    """Each fault on a node of a cluster in memory."""

    @pytest.fixture
    def provision(self) -> Iterator[Provision]:
        with open_clusters(MemoryProvider(worker_nodes(3))) as give:
            yield lambda spec: with_files(repairable(give(spec), REPAIRS))

    @pytest.fixture(params=CASES)
    def case(self, request: pytest.FixtureRequest) -> FaultCase:
        return CASES[request.param]


def test_what_fits():
    fault = NodeSysctl()
    names = {
        part.name: fault.fits(choose_target(FullShop(), {"node": {"runs": part.name}}))
        for part in FullShop().components()
    }
    assert names == {"catalog": True, "catalog-db": True, "front": True, "visitors": False}
    assert not fault.fits(choose_target(FullShop(), {"node": {"role": "worker"}}))


def test_clocks_matter_to_those_who_look_at_certificates():
    fault = NodeClockAhead()
    for shop, fits in ((FullShop(), False), (TrustingShop(), True)):
        assert fault.fits(choose_target(shop, RUNS_CATALOG)) == fits


def test_the_plugin_offers_every_row():
    assert tuple(row.name for row in ROWS) == SETTINGS
    assert {name: fault.title for name, fault in FAULTS.items()} == {
        row.name: row.title for row in ROWS
    }
    with pytest.raises(AttributeError) as caught:
        Registration("x", "sregym_injector_node.node_setting:no_such_row").load()
    assert str(caught.value) == (
        "module 'sregym_injector_node.node_setting' has no attribute 'no_such_row'"
    )


def test_rows_for_stores_fit_nodes_that_run_one():
    fault = FAULTS["node-disk-read-only"]()
    parts = ("catalog", "catalog-db", "visitors")
    assert [fault.fits(choose_target(FullShop(), {"node": {"runs": part}})) for part in parts] == [
        False,
        True,
        False,
    ]


def test_a_machine_that_is_off_needs_another_one_beside_it():
    with open_clusters(MemoryProvider(worker_nodes(1))) as give:
        shop, cluster = FullShop(), give(None)
        shop.deploy(cluster)
        fault = FAULTS["node-power-off"]()
        target = choose_target(shop, {"node": {"runs": "catalog-db"}}, cluster)
        context = FaultContext(cluster, shop, target, fault.Parameters(), UndoJournal())
        with pytest.raises(NodeError) as caught:
            fault.reference_fix(context)
    assert str(caught.value) == (
        f"nothing can be run beside node {target.name!r}: the cluster has no other node"
    )


def test_a_zone_is_lost_where_a_store_keeps_its_files_and_the_control_plane_stands_elsewhere():
    fault, shop = ZoneLost(), FullShop()
    parts = ("catalog", "catalog-db", "visitors")
    zones = [choose_target(shop, {"zone": {"runs": part}}) for part in parts]
    found = [fault.mismatch_reason(zone) for zone in zones]
    lead = Node(name="lead", role="control-plane", zone="z")
    found.append(fault.mismatch_reason(zones[1].model_copy(update={"nodes": (lead,)})))
    assert found == [
        "catalog is no datastore",
        "",
        "visitors is the load generator, which stands for users",
        "the control plane stands there: nobody could look at the cluster any more",
    ]


def test_a_zone_that_is_all_of_the_cluster_cannot_be_lost():
    with open_clusters(MemoryProvider(worker_nodes(1))) as give:
        shop, cluster = FullShop(), give(None)
        shop.deploy(cluster)
        fault = ZoneLost()
        target = choose_target(shop, {"zone": {"runs": "catalog-db"}}, cluster)
        context = FaultContext(cluster, shop, target, fault.Parameters(), UndoJournal())
        with pytest.raises(NodeError) as caught:
            fault.inject(context)
    assert str(caught.value) == "zone 'zone-1' is all of the cluster: it has no node elsewhere"
