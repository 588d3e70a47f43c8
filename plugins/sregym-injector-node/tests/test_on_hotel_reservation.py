"""Each fault on a node of a running application: users feel it, the fix heals it, undo restores it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sregym_app_deathstarbench.hotel_reservation.application import HotelReservation
from sregym_cluster_embedded.cluster import Embedded
from sregym_core.conductor.journal import UndoJournal
from sregym_core.errors import NodeError
from sregym_core.interfaces import Checkpoint, Cluster, ClusterSpec, FaultContext
from sregym_core.model import Outcome
from sregym_injector_node.disk_full import NodeDiskFull
from sregym_injector_node.node_setting import FAULTS
from sregym_injector_node.rows import ROWS
from sregym_injector_node.sysctl import NodeSysctl
from sregym_kubernetes.operations.objects import capture, differences
from sregym_testing import FaultCase, choose_target

APPLICATION = HotelReservation()
SPEC = ClusterSpec(seed=7, applications=(APPLICATION,))
RUNS_GEO = {"node": {"runs": "geo"}}
CONNTRACK = FaultCase(NodeSysctl(), APPLICATION, RUNS_GEO)
PORTS = FaultCase(
    NodeSysctl(), APPLICATION, RUNS_GEO, {"parameter": "net.ipv4.ip_local_port_range"}
)
ROW_CASES = [
    FaultCase(
        FAULTS[row.name](),
        APPLICATION,
        {"node": {"runs": "mongodb-reservation"}} if row.runs == "datastore" else RUNS_GEO,
    )
    for row in ROWS
]
DISK = FaultCase(NodeDiskFull(), APPLICATION, RUNS_GEO)


@pytest.fixture(scope="module")
def healthy() -> Iterator[Checkpoint]:
    cluster = Embedded().provision(SPEC)
    APPLICATION.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not APPLICATION.ready(cluster), 600.0, 2.0)
    cluster.clock.advance(60.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint
    cluster.close()


@pytest.fixture
def live(healthy: Checkpoint) -> Iterator[Cluster]:
    cluster = healthy.fork(SPEC)
    yield cluster
    cluster.close()


def context_for(case: FaultCase, cluster: Cluster) -> FaultContext:
    target = choose_target(APPLICATION, case.target, cluster)
    parameters = case.fault.Parameters.model_validate(dict(case.parameters))
    return FaultContext(cluster, APPLICATION, target, parameters, UndoJournal())


def served(cluster: Cluster) -> float:
    cluster.clock.advance(90.0)
    return APPLICATION.traffic(cluster, 30.0).success_rate


@pytest.mark.parametrize("case", [CONNTRACK, *ROW_CASES], ids=lambda case: case.fault.name)
def test_users_notice_and_the_reference_fix_heals(case: FaultCase, live: Cluster) -> None:
    context = context_for(case, live)
    assert served(live) > 0.99
    case.fault.inject(context)
    assert live.clock.wait_until(lambda: served(live) < 0.9, 900.0)  # kubelets evict one by one
    assert case.fault.present(context).outcome is Outcome.FAIL
    for command in case.fault.reference_fix(context):
        done = live.kubectl(command)
        assert done.ok, done.stderr
    assert case.fault.present(context).outcome is Outcome.PASS
    live.clock.advance(300.0)
    assert served(live) > 0.99


@pytest.mark.parametrize("case", [CONNTRACK, PORTS, DISK], ids=["conntrack", "ports", "disk"])
def test_undo_is_exact(case: FaultCase, live: Cluster) -> None:
    assert live.nodes is not None
    context = context_for(case, live)
    objects = capture(live, APPLICATION.namespaces)
    case.fault.inject(context)
    journal = context.journal
    assert isinstance(journal, UndoJournal)
    for _ in range(2):
        journal.undo_nodes(live)
    assert live.nodes.settings() == ()
    assert case.fault.present(context).outcome is Outcome.PASS
    assert list(differences(objects, capture(live, APPLICATION.namespaces))) == []


def test_a_disk_that_is_full_already(live: Cluster) -> None:
    fault, context = DISK.fault, context_for(DISK, live)
    fault.inject(context)
    with pytest.raises(NodeError) as caught:
        fault.inject(context)
    assert str(caught.value) == f"the disk of node {context.node.name!r} is fuller than 97% already"


def test_the_truth_names_the_node_and_who_runs_there(live: Cluster) -> None:
    context = context_for(CONNTRACK, live)
    truth = CONNTRACK.fault.ground_truth(context)
    assert (truth.component, truth.kind, truth.namespace) == (context.node.name, "Node", "")
    assert truth.affected == ("geo", "search", "frontend")
