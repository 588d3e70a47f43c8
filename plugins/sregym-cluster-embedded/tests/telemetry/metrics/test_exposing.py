"""Metrics as a target says them to somebody who asks by hand."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.telemetry.metrics.exposing import exposed


@pytest.fixture(scope="module")
def world() -> Any:
    world = build(Blueprint())
    world.run_until(300)
    return world


def got(world: Any, path: str) -> tuple[int, str, list[str]]:
    answer = handle(world, Request("GET", path, (), {"accept": "application/json, */*"}))
    return answer.status, answer.content_type, answer.body.decode().splitlines()


def test_the_api_server_tells_its_own(world: Any) -> None:
    status, kind, lines = got(world, "/metrics")
    assert (status, kind) == (200, "text/plain; version=0.0.4; charset=utf-8")
    assert lines[:2] == [
        "# HELP apiserver_storage_objects Number of stored objects at the time of last check split "
        "by kind. In case of a fetching error, the value will be -1.",
        "# TYPE apiserver_storage_objects gauge",
    ]
    assert 'apiserver_storage_objects{resource="nodes"} 3' in lines
    described = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(described) == len(set(described))


def test_a_kubelet_tells_its_own_through_the_proxy(world: Any) -> None:
    status, _, lines = got(world, "/api/v1/nodes/node1/proxy/metrics")
    assert (status, lines[2]) == (200, 'kubelet_node_name{node="node1"} 1')
    status, _, lines = got(world, "/api/v1/nodes/node1/proxy/metrics/cadvisor")
    assert status == 200
    assert any(line.startswith("container_memory_working_set_bytes{") for line in lines)


def test_nothing_is_told_where_no_target_is(world: Any) -> None:
    assert got(world, "/api/v1/nodes/node1/proxy/metrics/nope")[0] == 404
    assert got(world, "/metrics/nope")[0] == 404
    assert exposed(world, "http://10.244.0.9:9100/metrics") is None


def test_it_is_the_same_after_a_fork_and_grows_with_time(world: Any) -> None:
    url = "https://10.77.0.2:10250/metrics/cadvisor"
    twin = world.fork()
    before = exposed(world, url)
    assert exposed(twin, url) == before
    twin.run_until(twin.now + 60)
    assert exposed(twin, url) != before
    assert exposed(world, url) == before
