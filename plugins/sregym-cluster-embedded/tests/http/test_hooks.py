"""Webhooks on this machine are really called."""

from __future__ import annotations

import socket

import pytest
from sregym_cluster_embedded.api.dynamic.webhook_client import Call, CallFailed
from sregym_cluster_embedded.api.keys import WEBHOOKS
from sregym_cluster_embedded.http.hooks import call_loopback, reach_loopback
from sregym_cluster_embedded.world import SimulationSpec, World


@pytest.fixture
def world():
    return World(SimulationSpec(), seed=1, epoch=0)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def failure(world, url):
    with pytest.raises(CallFailed) as failed:
        call_loopback(world, Call(url, b"", b"{}", 1))
    return str(failed.value)


def test_nobody_listens(world):
    port = free_port()
    expected = f"dial tcp 127.0.0.1:{port}: connect: connection refused"
    assert failure(world, f"https://127.0.0.1:{port}/x?timeout=1s") == expected


def test_somebody_listens_and_says_nothing(world):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        url = f"https://127.0.0.1:{server.getsockname()[1]}/x?timeout=1s"
        assert failure(world, url) == "context deadline exceeded"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://hook.example/x", "dial tcp: lookup hook.example on 10.77.0.1:53: no such host"),
        ("https://192.0.2.7:8443/x", "dial tcp 192.0.2.7:8443: connect: network is unreachable"),
    ],
)
def test_nothing_else_is_reached(world, url, words):
    assert failure(world, url) == words


def test_a_world_that_has_somebody_who_calls_keeps_him(world):
    reach_loopback(world)
    first = world.spec
    reach_loopback(world)
    assert first is world.spec
    assert first.services[WEBHOOKS.name] is call_loopback
