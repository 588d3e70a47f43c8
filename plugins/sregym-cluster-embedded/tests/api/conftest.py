from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.api.server import handle
from sregym_cluster_embedded.world import SimulationSpec, World

RECORDINGS = Path(__file__).resolve().parents[4] / "tests" / "conformance" / "recordings"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
EPOCH = 1_767_225_600  # 2026-01-01T00:00:00Z


@pytest.fixture
def golden() -> Path:
    return RECORDINGS


def _world() -> World:
    world = World(SimulationSpec(), seed=7, epoch=EPOCH)
    for name in ("default", "shop"):
        internal_client.create(world, "namespaces", {"metadata": {"name": name}})
        account = {"metadata": {"name": "default", "namespace": name}}
        internal_client.create(world, "serviceaccounts", account)
    return world


@pytest.fixture
def make_world() -> Callable[[], World]:
    return _world


@pytest.fixture
def world() -> World:
    return _world()


class Client:
    """Sends requests to a world and reads JSON answers."""

    def __init__(self, world: World) -> None:
        self.world = world

    def raw(
        self,
        method: str,
        path: str,
        body: Any = None,
        accept: str = "application/json",
        content: str = "application/json",
        **query: str,
    ) -> Any:
        data = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        headers = {"accept": accept, "content-type": content}
        return handle(self.world, Request(method, path, tuple(query.items()), headers, data))

    def __call__(self, method: str, path: str, body: Any = None, **options: str) -> Any:
        answer = self.raw(method, path, body, **options)
        assert isinstance(answer, Response)
        return orjson.loads(answer.body)


@pytest.fixture
def client(world: World) -> Client:
    return Client(world)


@pytest.fixture
def table(client: Client) -> Callable[[str], list[list[Any]]]:
    def rows(path: str) -> list[list[Any]]:
        return [row["cells"] for row in client("GET", path, accept=TABLE)["rows"]]

    return rows


def deployment(name: str = "web", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "containers": [
                        {"name": "web", "image": "x:1", "env": [{"name": "A", "value": "a"}]},
                        {"name": "log", "image": "y:1"},
                    ]
                },
            },
            **spec,
        },
    }


def pod(name: str = "p", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "c", "image": "x:1"}], **spec},
    }


@pytest.fixture
def make_deployment() -> Callable[..., dict[str, Any]]:
    return deployment


@pytest.fixture
def make_pod() -> Callable[..., dict[str, Any]]:
    return pod
