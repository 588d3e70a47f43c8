"""A call that computes without end is answered, and nothing of it has happened."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.cluster.embedded import EmbeddedCluster
from sregym_cluster_embedded.http.holding import TookTooLongError
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.observability import ObservabilityEndpoint
from sregym_cluster_embedded.http.server import ApiEndpoint
from sregym_cluster_embedded.world import World
from sregym_core.errors import WorldError
from sregym_core.interfaces import (
    ClusterError,
    ClusterSpec,
    Command,
    DeadlineExceeded,
    run_with_deadline,
)
from sregym_core.model import ObjectRef

LIMIT_S = 0.3
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "half", "namespace": "shop"}}
HALF = ObjectRef(api_version="v1", kind="ConfigMap", namespace="shop", name="half")


def _half_done(world: World) -> None:
    """Writes an object and a plan, and never comes to an end."""
    internal_client.create(world, "configmaps", MAP)
    world.after(1.0, "busy")
    while True:
        pass


@pytest.fixture
def world(make_shop: Callable[..., Any]) -> World:
    made: World = make_shop().world
    spec = made.spec
    handlers = MappingProxyType({**spec.handlers, "busy": _half_done})
    made.spec = replace(spec, handlers=handlers)
    return made


@pytest.fixture
def live(world: World) -> LiveWorld:
    return LiveWorld(world, limit_s=LIMIT_S)


def _work(live: LiveWorld) -> None:
    with live.open() as world:
        _half_done(world)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, DeadlineExceeded])
def test_what_is_interrupted_has_not_happened(
    live: LiveWorld, interruption: type[BaseException]
) -> None:
    with live.open() as world:
        before = world.digest()

    def interrupted() -> None:
        with live.open() as world:
            internal_client.create(world, "configmaps", MAP)
            world.after(1.0, "busy")
            raise interruption

    with pytest.raises(interruption):
        interrupted()
    with live.open() as world:
        assert world.digest() == before
        internal_client.create(world, "configmaps", MAP)


def test_an_error_takes_nothing_back(live: LiveWorld) -> None:
    def failing() -> None:
        with live.open() as world:
            internal_client.create(world, "configmaps", MAP)
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        failing()
    with live.open() as world:
        assert any(obj["metadata"]["name"] == "half" for obj in world.store.list("configmaps"))


def test_the_same_by_a_bound(live: LiveWorld) -> None:
    with live.open() as world:
        before = world.digest()
    assert run_with_deadline(lambda: _work(live), 0.1, lambda: None) is None
    with live.open() as world:
        assert world.digest() == before


def test_virtual_time_that_does_not_pass_ends_the_simulation(live: LiveWorld) -> None:
    with live.open() as world:
        world.after(2.0, "busy")
    message = "the simulation does not get on: 4 s of virtual time took more than 2.3 s to compute"
    for _ in range(2):
        with pytest.raises(WorldError) as failure:
            live.advance(4.0)
        assert str(failure.value) == message


@pytest.fixture
def cluster(world: World) -> Iterator[EmbeddedCluster]:
    made = EmbeddedCluster(world, ClusterSpec(options={"call-limit": str(LIMIT_S)}))
    yield made
    made.close()


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin, requests and commands in containers compute without end."""

    def twin(access: Any, *_: Any, **__: Any) -> None:
        _half_done(access.world)

    def work(world: World, *_: Any) -> None:
        _half_done(world)

    cluster = "sregym_cluster_embedded.cluster"
    monkeypatch.setattr(f"{cluster}.commands.run_twin", twin)
    monkeypatch.setattr(f"{cluster}.embedded.handle", work)
    monkeypatch.setattr(f"{cluster}.embedded.run_in_container", work)


@pytest.mark.usefixtures("busy")
def test_calls_are_answered_in_time(
    cluster: EmbeddedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    get = cluster.kubectl(Command(("kubectl", "get", "pods")))
    assert (get.exit_code, get.stderr) == (
        1,
        "Error from server (Timeout): Timeout: request did not complete within the allotted timeout\n",
    )
    run = cluster.kubectl(Command(("kubectl", "exec", "web", "--", "busy")))
    assert (run.exit_code, run.stderr) == (137, "command terminated with exit code 137\n")
    assert cluster.exec("shop", "web", ("busy",)).exit_code == 137
    with pytest.raises(ClusterError) as failure:
        cluster.create(MAP)
    assert (failure.value.status, failure.value.reason) == (504, "Timeout")
    monkeypatch.undo()
    assert cluster.get(HALF) is None
    cluster.create(MAP)


def test_a_client_is_told_and_others_are_served(live: LiveWorld) -> None:
    def answer(world: World, request: Any) -> Any:
        return _half_done(world)

    with ApiEndpoint(live) as endpoint:
        service = ObservabilityEndpoint(live, answer)
        service.start()
        try:
            with pytest.raises(HTTPError) as late:
                urlopen(f"{service.url}/api/v1/query")
            assert (late.value.code, late.value.read()) == (504, b"context deadline exceeded\n")
        finally:
            service.close()
        with urlopen(f"{endpoint.url}/api/v1/namespaces/shop/configmaps") as said:
            listed = json.loads(said.read())["items"]
    assert "half" not in [obj["metadata"]["name"] for obj in listed]


def test_what_a_client_asks_for_is_ended_with_the_episode(world: World) -> None:
    live = LiveWorld(world, limit_s=60.0)
    raised: list[BaseException] = []
    begun = threading.Event()

    def serve() -> None:
        with live.holding.watched():
            try:
                with live.open() as opened:
                    begun.set()
                    _half_done(opened)
            except TookTooLongError as error:
                raised.append(error)

    thread = threading.Thread(target=serve)
    thread.start()
    begun.wait()
    while thread.is_alive():
        live.holding.interrupt()
        thread.join(0.1)
    assert [str(error) for error in raised] == ["the request took more than 60 s to compute"]
    with live.open() as opened:
        assert not any(obj["metadata"]["name"] == "half" for obj in opened.store.list("configmaps"))
