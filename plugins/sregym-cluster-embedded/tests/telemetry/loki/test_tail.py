"""Tail: the newest lines of the past, then what is written, over a real WebSocket."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.http.live import LiveWorld
from sregym_cluster_embedded.http.observability import STREAMS, ObservabilityEndpoint
from sregym_cluster_embedded.telemetry.endpoints import service
from sregym_cluster_embedded.telemetry.loki.error_messages import REFUSALS
from sregym_cluster_embedded.telemetry.loki.tailing import Tail
from sregym_cluster_embedded.world import World

PATH = "/loki/api/v1/tail"


def texts(streams: list[dict[str, Any]]) -> list[str]:
    return [text for stream in streams for _, text in stream["values"]]


def tail(world: World, **query: str) -> Tail:
    return Tail(world, Request("GET", PATH, tuple(query.items())))


def test_each_line_is_told_once(world: World) -> None:
    world = world.fork()
    followed = tail(world, query='{pod="worker"}', limit="2")
    assert texts(followed.more(world)) == ["worker: tick 35", "worker: tick 36"]
    assert followed.more(world) == []
    world.run_until(world.now + 10)
    assert texts(followed.more(world)) == ["worker: tick 37", "worker: tick 38"]
    assert followed.more(world) == []


def test_a_delay_holds_lines_back(world: World) -> None:
    world = world.fork()
    followed = tail(world, query='{pod="worker"}', limit="1", delay_for="5")
    assert texts(followed.more(world)) == ["worker: tick 35"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({"query": "vector(1)"}, "only log selector is supported"),
        (
            {"query": "{"},
            "parse error at line 1, col 2: syntax error: unexpected $end, expecting IDENTIFIER or }",
        ),
        ({"query": '{a="b"}', "delay_for": "6"}, "delay_for can't be greater than 5"),
        ({"query": '{a="b"}', "delay_for": "x"}, 'strconv.Atoi: parsing "x": invalid syntax'),
    ],
)
def test_refusals(world: World, query: dict[str, str], words: str) -> None:
    with pytest.raises(REFUSALS) as caught:
        tail(world, **query)
    assert str(caught.value) == words


def test_over_a_websocket(world: World) -> None:
    live = LiveWorld(world.fork())
    endpoint = ObservabilityEndpoint(live, service("loki"), streams=STREAMS["loki"])
    endpoint.start()

    async def follow() -> tuple[list[str], list[str], tuple[int, str]]:
        async with aiohttp.ClientSession() as session:
            query = {"query": '{pod="worker"}', "limit": "1"}
            async with session.ws_connect(endpoint.url + PATH, params=query) as socket:
                first = json.loads((await socket.receive(timeout=60)).data)["streams"]
                await asyncio.to_thread(live.advance, 5)
                then = json.loads((await socket.receive(timeout=60)).data)["streams"]
            async with session.get(endpoint.url + PATH, params={"query": "{"}) as refused:
                return texts(first), texts(then), (refused.status, await refused.text())

    try:
        first, then, refused = asyncio.run(follow())
    finally:
        endpoint.close()
    assert (first, then) == (["worker: tick 36"], ["worker: tick 37"])
    words = "parse error at line 1, col 2: syntax error: unexpected $end, expecting IDENTIFIER or }"
    assert refused == (400, f"{words}\n")
