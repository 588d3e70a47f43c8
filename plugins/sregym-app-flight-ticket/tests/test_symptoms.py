"""Flight Ticket on the embedded cluster: healthy, and with parts of it away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.interfaces import (
    Checkpoint,
    Cluster,
    ClusterProvider,
    ClusterSpec,
    Fault,
    FaultContext,
)
from sregym_core.model import ObjectRef, Outcome
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_app_flight_ticket.application import FlightTicket

NAMESPACE = "openwhisk"
EVERYTHING = {"search", "seats", "order", "orders", "cancel", "stations", "prices"}
BY_GATEWAY = {"stations", "prices"}


@pytest.fixture(scope="module")
def warm(flight_ticket: FlightTicket) -> Iterator[tuple[Checkpoint, ClusterSpec]]:
    provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    spec = ClusterSpec(seed=7, applications=(flight_ticket,))
    cluster = provider.provision(spec)
    flight_ticket.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not flight_ticket.ready(cluster), 300.0, 5.0)
    cluster.clock.advance(120.0)
    checkpoint = cluster.checkpoint()
    assert checkpoint is not None
    yield checkpoint, spec
    cluster.close()


@pytest.fixture
def cluster(warm: tuple[Checkpoint, ClusterSpec]) -> Iterator[Cluster]:
    checkpoint, spec = warm
    fork = checkpoint.fork(spec)
    yield fork
    fork.close()


def failing(flight_ticket: FlightTicket, cluster: Cluster) -> set[str]:
    seen = flight_ticket.traffic(cluster, 40.0).operations
    return {name for name, found in seen.items() if found.success_rate < 0.5}


def pod_of(cluster: Cluster, name: str) -> str:
    (pod,) = cluster.list("v1", "Pod", NAMESPACE, f"name={name}")
    return str(pod["metadata"]["name"])


def scale(cluster: Cluster, kind: str, name: str, replicas: int) -> None:
    ref = ObjectRef(api_version="apps/v1", kind=kind, namespace=NAMESPACE, name=name)
    cluster.patch(ref, {"spec": {"replicas": replicas}}, "merge")


def shell(cluster: Cluster, name: str, container: str, script: str) -> str:
    command = ["sh", "-c", script]
    return cluster.exec(NAMESPACE, pod_of(cluster, name), command, container).stdout


def test_the_invoker_is_mended_by_who_may_make_no_privileged_containers(
    flight_ticket: FlightTicket, cluster: Cluster
) -> None:
    fault: Fault = Registry(Plugins(Settings())).load("fault", "cpu-limit")()
    component = flight_ticket.component("owdev-invoker")
    assert component is not None
    context = FaultContext(cluster, flight_ticket, component, fault.Parameters(), UndoJournal())
    fault.inject(context)
    assert fault.present(context).outcome is Outcome.FAIL

    patch, *_ = fault.reference_fix(context)
    (operation,) = json.loads(patch.argv[-1])
    assert operation["path"] == "/spec/template/spec/containers/0/resources"
    # Docker beside it is privileged.
    assert "privileged" not in patch.argv[-1]
    assert cluster.kubectl(patch).ok
    assert fault.present(context).outcome is Outcome.PASS


def test_users_are_served_and_nothing_restarts(
    flight_ticket: FlightTicket, cluster: Cluster
) -> None:
    traffic = flight_ticket.traffic(cluster, 60.0)
    pods = cluster.list("v1", "Pod", NAMESPACE)
    restarts = [s["restartCount"] for pod in pods for s in pod["status"]["containerStatuses"]]

    assert {name for name, seen in traffic.operations.items() if seen.ok == seen.requests} == (
        EVERYTHING
    )
    assert 180 < traffic.requests < 400  # eight users who think a second and a half
    assert (len(pods), set(restarts)) == (9, {0})


def test_invocations_pass_the_topics(cluster: Cluster) -> None:
    ask = "kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group"
    for group in ("invoker0", "completed0"):
        row = shell(cluster, "owdev-kafka", "kafka", f"{ask} {group}").split("\n")[2].split()
        assert row[:3] == [group, group, "0"]
        assert int(row[4]) > 1000
        assert row[5] == "0"


@pytest.mark.parametrize(
    ("kind", "stopped", "affected", "speaker", "line"),
    [
        ("StatefulSet", "owdev-invoker", EVERYTHING, "owdev-controller", "failed to schedule activation, action 'guest/"),
        ("StatefulSet", "owdev-kafka", EVERYTHING, "owdev-controller", "error on posting to topic invoker0: Couldn't resolve server"),
        ("Deployment", "owdev-couchdb", EVERYTHING, "owdev-controller", "failed to lookup subject in test_subjects: "),
        ("Deployment", "owdev-redis", EVERYTHING, "owdev-invoker", "of guest/get-order-by-id@0.0.1 failed: "),
        ("Deployment", "owdev-apigateway", BY_GATEWAY, "owdev-nginx", "connect() failed (111: Connection refused) while connecting to upstream"),
        ("StatefulSet", "owdev-zookeeper", set(), "owdev-kafka", "INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"),
        ("Deployment", "owdev-alarmprovider", set(), "owdev-couchdb", "Application couch started"),
    ],
)  # fmt: skip
def test_what_users_see_when_a_part_is_away(
    flight_ticket: FlightTicket,
    cluster: Cluster,
    kind: str,
    stopped: str,
    affected: set[str],
    speaker: str,
    line: str,
) -> None:
    scale(cluster, kind, stopped, 0)
    cluster.clock.advance(100.0)

    assert failing(flight_ticket, cluster) == affected
    container = speaker.removeprefix("owdev-")
    assert line in cluster.logs(NAMESPACE, pod_of(cluster, speaker), container)


def test_an_invoker_needs_zookeeper_when_it_starts(
    flight_ticket: FlightTicket, cluster: Cluster
) -> None:
    scale(cluster, "StatefulSet", "owdev-zookeeper", 0)
    cluster.clock.advance(40.0)
    scale(cluster, "StatefulSet", "owdev-invoker", 0)
    cluster.clock.advance(40.0)
    scale(cluster, "StatefulSet", "owdev-invoker", 1)
    cluster.clock.advance(90.0)

    assert failing(flight_ticket, cluster) == EVERYTHING
    last = cluster.logs(NAMESPACE, pod_of(cluster, "owdev-invoker"), "invoker")
    assert "failed to assign an id to owdev-invoker-0: Unable to resolve address: " in last


def test_another_password_of_the_database_lets_the_controller_nowhere(
    flight_ticket: FlightTicket, cluster: Cluster
) -> None:
    ref = ObjectRef(api_version="v1", kind="Secret", namespace=NAMESPACE, name="owdev-db.auth")
    cluster.patch(ref, {"stringData": {"db_password": "other"}}, "merge")
    scale(cluster, "Deployment", "owdev-couchdb", 0)
    cluster.clock.advance(40.0)
    scale(cluster, "Deployment", "owdev-couchdb", 1)
    cluster.clock.advance(90.0)

    assert failing(flight_ticket, cluster) == EVERYTHING
    assert "unauthorized: Name or password is incorrect." in (
        cluster.logs(NAMESPACE, pod_of(cluster, "owdev-controller"), "controller")
    )
