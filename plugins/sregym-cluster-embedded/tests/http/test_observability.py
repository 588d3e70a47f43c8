"""Services of observability over HTTP: heads of requests and answers."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from contextlib import closing
from email.utils import formatdate
from urllib.parse import quote, urlencode

import pytest
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.observability import ObservabilityEndpoint
from sregym_cluster_embedded.telemetry.endpoints import service


@pytest.fixture(scope="module")
def served() -> Iterator[tuple[LiveWorld, str]]:
    live = LiveWorld(build(Blueprint()))
    endpoint = ObservabilityEndpoint(live, service("prometheus"))
    endpoint.start()
    with closing(endpoint):
        yield live, endpoint.url


def test_answers_tell_the_clusters_time_and_no_server(served: tuple[LiveWorld, str]) -> None:
    live, url = served
    with urllib.request.urlopen(f"{url}/api/v1/query?query=1", timeout=60) as answer:
        head = dict(answer.headers)
    with live.open() as world:
        date = formatdate(world.epoch + world.now, usegmt=True)

    assert sorted(head) == ["Connection", "Content-Length", "Content-Type", "Date"]
    assert (head["Content-Type"], head["Date"]) == ("application/json", date)


def test_long_queries_come_in_addresses_and_longer_ones_as_forms(
    served: tuple[LiveWorld, str],
) -> None:
    _, url = served
    empty = b'{"status":"success","data":{"resultType":"vector","result":[]}}'
    for length, form in ((50_000, False), (2_000_000, True)):
        query = f"up{{job='{'a' * length}'}}"
        given = urlencode({"query": query}).encode() if form else None
        path = "/api/v1/query" if form else f"/api/v1/query?query={quote(query)}"
        with urllib.request.urlopen(url + path, given, timeout=60) as answer:
            assert (answer.status, answer.read()) == (200, empty)
