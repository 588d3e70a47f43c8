"""No connection outlives its server, at whatever moment that ends."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sregym_agents.connections import Connections, close
from sregym_agents.isolation.relay import Relays, Route

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture(autouse=True)
def _nothing_is_collected() -> Iterator[None]:
    """Collecting garbage would close what was forgotten."""
    gc.disable()
    yield
    gc.enable()


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


async def waits(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def floods(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x" * 1_000_000)
        await writer.drain()


async def says(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"x" * 10_000_000)
    await close(writer)


async def listens(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()


@pytest.mark.parametrize("take", [waits, floods, says, listens])
@pytest.mark.parametrize("rounds", range(7))
def test_a_server_that_ends(
    take: Callable[..., object], rounds: int, caplog: pytest.LogCaptureFixture
) -> None:
    """So many rounds of the loop after its clients came."""

    async def serve() -> list[socket.socket]:
        connections = Connections(take)  # type: ignore[arg-type]
        server = await asyncio.start_server(connections.add, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        async with connections.of(server):
            clients = [socket.create_connection(address) for _ in range(3)]
            for _ in range(rounds):
                await asyncio.sleep(0)
        return clients

    clients = asyncio.run(serve())
    assert [ended(client) for client in clients] == [True] * 3
    assert caplog.messages == []
    for client in clients:
        client.close()


def test_what_was_said_arrives() -> None:
    async def serve() -> bytes:
        connections = Connections(says)
        server = await asyncio.start_server(connections.add, "127.0.0.1", 0)
        async with connections.of(server):
            host, port = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(host, port)
            said = await reader.read()
            await close(writer)
        return said

    assert asyncio.run(serve()) == b"x" * 10_000_000


def test_a_server_ends_while_the_far_side_of_a_relay_takes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as far:
        address = far.getsockname()
        with Relays([Route(address, address)], tmp_path):
            inside = socket.socket(socket.AF_UNIX)
            inside.connect(str(tmp_path / "0"))
            outside, _ = far.accept()
            inside.setblocking(False)
            with suppress(BlockingIOError):  # until the relay, too, takes no more
                while True:
                    inside.send(b"x" * 65_536)
        assert [ended(inside), ended(outside)] == [True, True]
        assert caplog.messages == []
        inside.close()
        outside.close()
