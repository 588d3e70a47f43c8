"""Failures of the network as callers word them whose service model has none of its own."""

from __future__ import annotations

import pytest
from sregym_apps.model import Client
from sregym_cluster_embedded.userland.client_errors import error_text, lookup_text

FACTS = {
    "ip": "10.96.0.7",
    "port": "80",
    "host": "web",
    "dns": "10.96.0.10",
    "pod_ip": "10.244.0.5",
}
FACTS |= {"url": "http://web/x", "name": "web"}


@pytest.mark.parametrize(
    ("protocol", "kind", "text"),
    [
        ("http", "no_route", 'Get "http://web/x": dial tcp 10.96.0.7:80: connect: no route to host'),
        ("http", "unreachable", 'Get "http://web/x": dial tcp 10.96.0.7:80: connect: network is unreachable'),
        ("http", "no_port", 'Get "http://web/x": dial tcp 10.96.0.7:80: connect: cannot assign requested address'),
        ("grpc", "unreachable", 'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.0.7:80: connect: network is unreachable"'),
        ("grpc", "no_port", 'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.96.0.7:80: connect: cannot assign requested address"'),
        ("mongodb", "no_route", "no reachable servers"),
        ("memcached", "no_route", "dial tcp 10.96.0.7:80: connect: no route to host"),
        ("tcp", "timeout", "dial tcp 10.96.0.7:80: i/o timeout"),
        ("tcp", "reset", "read tcp 10.244.0.5:43210->10.96.0.7:80: read: connection reset by peer"),
    ],
)  # fmt: skip
def test_connections(protocol: str, kind: str, text: str) -> None:
    client = Client.model_validate({"protocol": protocol, "address": "web:80"})
    assert error_text(client, kind, FACTS) == text


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("nxdomain", "lookup web on 10.96.0.10:53: no such host"),
        ("servfail", "lookup web on 10.96.0.10:53: server misbehaving"),
        ("timeout", "lookup web on 10.96.0.10:53: read udp 10.244.0.5:43210->10.96.0.10:53: i/o timeout"),
        ("refused", "lookup web on 10.96.0.10:53: read udp 10.244.0.5:43210->10.96.0.10:53: read: connection refused"),
    ],
)  # fmt: skip
def test_lookups(status: str, text: str) -> None:
    assert lookup_text(status, FACTS) == text
