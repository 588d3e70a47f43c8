"""Warnings of every day: about any part, and the same for the same seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sregym_routine_kubernetes import incidental
from sregym_testing import FullShop, MemoryProvider, worker_nodes
from sregym_testing.clusters import open_clusters

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject


def lived_in(seed: str) -> list[KubeObject]:
    """The Warnings of a shop within an hour and a half."""
    shop = FullShop()
    with open_clusters(MemoryProvider(worker_nodes(3))) as give:
        cluster = give(None)
        shop.deploy(cluster)
        cluster.clock.advance(600)
        began = cluster.clock.now()
        due = incidental.warnings(cluster, shop, 5400.0, (12, 12), seed)
        for moment, act in sorted(due, key=lambda one: one[0]):
            assert moment >= 5400.0 - incidental.KEPT_S
            cluster.clock.advance(max(0.0, began + moment - cluster.clock.now()))
            act()
        return cluster.list("v1", "Event", "shop")


def test_they_follow_from_the_seed() -> None:
    first = [event["message"] for event in lived_in("7")]
    assert first == [event["message"] for event in lived_in("7")]
    assert first != [event["message"] for event in lived_in("8")]


def test_they_are_about_parts_alike() -> None:
    told = lived_in("7")
    owners = {event["involvedObject"]["name"].rsplit("-", 2)[0] for event in told}
    assert len(owners) > 2
    assert {event["type"] for event in told} == {"Warning"}
    assert {event["reason"] for event in told} <= {"Unhealthy", "FailedMount"}


@pytest.mark.parametrize(
    ("probe", "text"),
    [
        (
            {"httpGet": {"path": "/up", "port": "web"}},
            'Get "http://10.0.0.7:5984/up": context deadline exceeded '
            "(Client.Timeout exceeded while awaiting headers)",
        ),
        ({"tcpSocket": {"port": "web"}}, "dial tcp 10.0.0.7:5984: i/o timeout"),
        ({"tcpSocket": {"port": 80}}, "dial tcp 10.0.0.7:80: i/o timeout"),
    ],
)
def test_a_probe_that_is_late_is_told_with_the_number_of_its_port(
    probe: dict[str, Any], text: str
) -> None:
    """As the kubelet does, which resolves names of ports before it probes."""
    container = {
        "name": "db",
        "ports": [{"name": "web", "containerPort": 5984}],
        "readinessProbe": probe,
    }
    assert incidental.late(container, "readinessProbe", "10.0.0.7") == text
