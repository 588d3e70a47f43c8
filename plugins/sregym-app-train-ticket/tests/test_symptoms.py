"""Train Ticket on the embedded cluster: healthy, and with parts of it away."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from sregym_core.interfaces import Checkpoint, Cluster, ClusterProvider, ClusterSpec
from sregym_core.model import ObjectRef
from sregym_core.plugins import Plugins
from sregym_core.registry import Registry
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_app_train_ticket.application import TrainTicket

NAMESPACE = "train-ticket"


@pytest.fixture(scope="module")
def warm(train_ticket: TrainTicket) -> Iterator[tuple[Checkpoint, ClusterSpec]]:
    provider: ClusterProvider = Registry(Plugins(Settings())).load("cluster", "embedded")()
    spec = ClusterSpec(seed=7, applications=(train_ticket,))
    cluster = provider.provision(spec)
    train_ticket.deploy(cluster)
    assert cluster.clock.wait_until(lambda: not train_ticket.ready(cluster), 420.0, 5.0)
    cluster.clock.advance(60.0)
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


def failing(train_ticket: TrainTicket, cluster: Cluster, seconds: float) -> set[str]:
    traffic = train_ticket.traffic(cluster, seconds)
    return {name for name, seen in traffic.operations.items() if seen.ok < seen.requests}


def logs(cluster: Cluster, name: str) -> str:
    (pod,) = cluster.list("v1", "Pod", NAMESPACE, f"app={name}")
    return cluster.logs(NAMESPACE, pod["metadata"]["name"])


def test_users_are_served_and_nothing_restarts(train_ticket: TrainTicket, cluster: Cluster) -> None:
    cluster.clock.advance(120.0)
    traffic = train_ticket.traffic(cluster, 120.0)
    pods = cluster.list("v1", "Pod", NAMESPACE)
    restarted = [
        pod["metadata"]["name"]
        for pod in pods
        for status in pod["status"]["containerStatuses"]
        if status["restartCount"]
    ]

    assert failing(train_ticket, cluster, 120.0) == set()
    assert set(traffic.operations) == {
        name for part in train_ticket.components() for name in part.operations
    }
    assert 300 < traffic.requests < 500  # five users who think a second and a half
    assert (len(pods), restarted) == (77, [])
    assert "[getSoldTickets]" in logs(cluster, "ts-order-service")
    assert "[process] Receive email message" in logs(cluster, "ts-notification-service")


@pytest.mark.parametrize(
    ("stopped", "untouched", "speaker", "line"),
    [
        (
            "ts-security-service",
            {"search-fast", "orders", "login"},
            "ts-preserve-service",
            r"ERROR .*\[dispatcherServlet\] +: Servlet\.service\(\) .* nested exception is org\.springframework\.web\.client\.ResourceAccessException: "
            r'I/O error on request for "http://ts-security-service:11188": Connection refused',
        ),
        (
            "ts-contacts-mysql",
            {"search-fast", "orders", "login"},
            "ts-contacts-service",
            "Could not open JPA EntityManager for transaction",
        ),
        ("rabbitmq", {"preserve", "foods"}, "ts-preserve-service", "Send email to mq error: .*ConnectException"),
    ],
)  # fmt: skip
def test_what_users_see_when_a_part_is_away(
    train_ticket: TrainTicket,
    cluster: Cluster,
    stopped: str,
    untouched: set[str],
    speaker: str,
    line: str,
) -> None:
    ref = ObjectRef(api_version="apps/v1", kind="Deployment", namespace=NAMESPACE, name=stopped)
    cluster.patch(ref, {"spec": {"replicas": 0}}, "merge")
    cluster.clock.advance(90.0)

    part = train_ticket.component(stopped)
    assert part is not None
    found = failing(train_ticket, cluster, 60.0)
    assert found <= set(part.operations)
    assert bool(found) == (stopped != "rabbitmq")  # mails that cannot be sent are only told
    assert not found & untouched
    assert re.search(line, logs(cluster, speaker))


def test_rights_that_were_taken_away_are_told_in_the_words_of_the_driver(
    train_ticket: TrainTicket, cluster: Cluster
) -> None:
    (pod,) = cluster.list("v1", "Pod", NAMESPACE, "app=ts-station-mongo")
    revoke = 'db.revokeRolesFromUser("ts", [{role: "readWrite", db: "ts"}])'
    login = ["mongo", "admin", "--quiet", "-u", "root", "-p", "root-pass", "--eval", revoke]
    done = cluster.exec(NAMESPACE, pod["metadata"]["name"], login)
    cluster.clock.advance(60.0)

    assert done.exit_code == 0
    assert "stations" in failing(train_ticket, cluster, 30.0)
    assert re.search(
        r"UncategorizedMongoDbException: Query failed with error code 13 and error message 'not authorized on ts to execute command",
        logs(cluster, "ts-station-service"),
    )


def switch_on(cluster: Cluster, flag: str) -> None:
    """Switch a flag on in flagd's ConfigMap, and wait until the kubelet has brought it."""
    ref = ObjectRef(api_version="v1", kind="ConfigMap", namespace=NAMESPACE, name="flagd-config")
    found = cluster.get(ref)
    assert found is not None
    flags = json.loads(found["data"]["flags.json"])
    flags["flags"][flag]["defaultVariant"] = "on"
    cluster.patch(ref, {"data": {"flags.json": json.dumps(flags)}}, "merge")
    cluster.clock.advance(150.0)


@pytest.mark.parametrize(
    ("flag", "affected", "speaker", "line"),
    [
        ("tt-feat-17", {"voucher"}, "ts-voucher-service", ""),
        (
            "tt-feat-22",
            {"contacts", "contact-create", "admin-contacts"},
            "ts-contacts-service",
            "Error 1054 \\(42S22\\): Unknown column 'doc_number' in 'field list'",
        ),
        ("tt-feat-04", set(), "ts-contacts-service", ""),
    ],
)
def test_flags_change_what_stores_are_asked(
    train_ticket: TrainTicket,
    cluster: Cluster,
    flag: str,
    affected: set[str],
    speaker: str,
    line: str,
) -> None:
    switch_on(cluster, flag)
    found = failing(train_ticket, cluster, 60.0)

    assert affected <= found
    assert bool(found) == bool(affected)
    assert not found & {"search-fast", "orders", "login"}
    assert re.search(line, logs(cluster, speaker))
    spent = train_ticket.traffic(cluster, 60.0).operations["voucher"]
    assert (spent.ok == 0) == (flag == "tt-feat-17")
