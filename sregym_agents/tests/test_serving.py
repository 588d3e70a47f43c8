"""Applications of aiohttp on loopback: none of their connections outlives them."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from sregym_agents.aiohttp_server import served


@pytest.fixture(autouse=True)
def _nothing_is_collected() -> Iterator[None]:
    """Collecting garbage would close what was forgotten."""
    gc.disable()
    yield
    gc.enable()


async def waits(_request: web.Request) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError


async def floods(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse()
    await answer.prepare(request)
    while True:
        await answer.write(b"x" * 1_000_000)


async def says(_request: web.Request) -> web.StreamResponse:
    return web.Response(body=b"x" * 10_000_000)


def ended(line: socket.socket) -> bool:
    """Whether the far side has closed, behind whatever it said."""
    line.setblocking(False)
    try:
        while line.recv(1 << 16):
            pass
    except ConnectionResetError:
        return True
    except BlockingIOError:
        return False
    return True


@pytest.mark.parametrize("handle", [waits, floods, says])
@pytest.mark.parametrize("asks", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"])
@pytest.mark.parametrize("rounds", [0, 1, 3])
@pytest.mark.parametrize("grace_s", [0.0, 0.01])
def test_a_server_that_ends(
    handle: object, asks: bytes, rounds: int, grace_s: float, caplog: pytest.LogCaptureFixture
) -> None:
    """So many rounds of the loop after its clients came, who take nothing."""

    async def serve() -> list[socket.socket]:
        application = web.Application()
        application.router.add_get("/", handle)  # type: ignore[arg-type]  # one of the three above
        async with served(application, grace_s=grace_s) as url:
            address = urlsplit(url)
            clients = [socket.create_connection((address.hostname, address.port)) for _ in range(2)]
            for client in clients:
                client.sendall(asks)
            for _ in range(rounds):
                await asyncio.sleep(0)
        return clients

    clients = asyncio.run(serve())
    assert [ended(client) for client in clients] == [True] * 2
    assert caplog.messages == []
    for client in clients:
        client.close()


def test_with_grace_what_came_last_is_answered() -> None:
    async def play() -> bytes:
        came, may = asyncio.Event(), asyncio.Event()

        async def handle(_request: web.Request) -> web.StreamResponse:
            came.set()
            await may.wait()
            return web.Response(text="in time")

        application = web.Application()
        application.router.add_get("/", handle)
        async with served(application, grace_s=30.0) as url:
            address = urlsplit(url)
            reader, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await came.wait()
            asyncio.get_running_loop().call_later(0.01, may.set)
        said = await reader.read()
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()
        return said

    said = asyncio.run(play())
    assert said.startswith(b"HTTP/1.1 200 OK\r\n")
    assert said.endswith(b"\r\n\r\nin time")
    assert b"Server:" not in said
