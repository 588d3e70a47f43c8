"""A cluster with a worker that ticks, a pod that ends again and again, and one that is gone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.assembly import Blueprint, build
from sregym_cluster_embedded.kubectl import DirectAccess, run
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.world import World

PODS = """
apiVersion: v1
kind: Pod
metadata: {name: worker, labels: {app: ticker}}
spec: {containers: [{name: main, image: "registry.example/shop/worker:1.0"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: gone}
spec: {containers: [{name: main, image: "registry.example/shop/worker:1.0"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: flaky}
spec:
  containers:
  - {name: main, image: "registry.example/shop/flaky:1.0", env: [{name: AFTER, value: "5"}]}
"""

Get: TypeAlias = Callable[..., Response]


@pytest.fixture(scope="module")
def world(recorded_images: Any) -> World:
    world = build(Blueprint(models=recorded_images))
    assert run(DirectAccess(world), ["apply", "-f", "-"], PODS).exit_code == 0
    world.run_until(world.now + 60)
    assert run(DirectAccess(world), ["delete", "pod", "gone"], "").exit_code == 0
    world.run_until(world.now + 120)
    return world


@pytest.fixture(scope="module")
def kubectl(world: World) -> Callable[..., list[str]]:
    def call(*words: str) -> list[str]:
        result = run(DirectAccess(world), list(words), "")
        assert result.exit_code == 0, result.stderr
        return result.stdout.splitlines()

    return call


@pytest.fixture(scope="module")
def get(world: World) -> Get:
    answer = service("loki")

    def ask(path: str, *query: tuple[str, str], method: str = "GET") -> Response:
        return answer(world, Request(method, path, query))

    return ask


@pytest.fixture(scope="module")
def data(get: Get) -> Callable[..., Any]:
    """`data` of an answer under /loki/api/v1, or the whole of one without."""

    def ask(path: str, *query: tuple[str, str]) -> Any:
        response = get(f"/loki/api/v1/{path}", *query)
        assert response.status == 200, response.body
        content = json.loads(response.body)
        return content.get("data", content)

    return ask


@pytest.fixture(scope="module")
def lines(data: Callable[..., Any]) -> Callable[..., list[str]]:
    """The texts that a log query finds, oldest first."""

    def ask(query: str, *more: tuple[str, str]) -> list[str]:
        given = (("query", query), ("direction", "forward"), ("limit", "5000"), *more)
        found = [pair for row in data("query_range", *given)["result"] for pair in row["values"]]
        return [text for _, text in sorted(found, key=lambda pair: int(pair[0]))]

    return ask
