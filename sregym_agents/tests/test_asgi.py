"""ASGI applications behind aiohttp's server: streams, who hangs up, and what the MCP SDK refuses."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from aiohttp import web
from sregym_agents.aiohttp_server import served
from sregym_agents.asgi import Application, answered
from sregym_agents.gateway import Gateway


async def asked(application: Application, act: Callable[[str, int], Any]) -> Any:
    """What `act` gives in a thread of its own, while the application is served."""

    async def handle(request: web.Request) -> web.StreamResponse:
        return await answered(application, request, await request.read())

    served_here = web.Application()
    served_here.router.add_route("*", "/{path:.*}", handle)
    async with served(served_here) as url:
        address = urlsplit(url)
        assert address.hostname is not None
        assert address.port is not None
        return await asyncio.to_thread(act, address.hostname, address.port)


def test_what_an_application_is_told_and_says() -> None:
    told: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        told.extend((scope, await receive()))
        head = {"type": "http.response.start", "status": 207, "headers": [(b"x-one", b"1"), (b"x-one", b"2")]}  # fmt: skip
        await send(head)
        await send({"type": "http.response.body", "body": b"a", "more_body": True})
        await send({"type": "http.response.body", "body": b"b"})
        told.append(await receive())

    def act(host: str, port: int) -> tuple[int, list[tuple[str, str]], bytes]:
        line = http.client.HTTPConnection(host, port, timeout=30)
        line.request("PUT", "/a%2Fb%20c?d=%20", b"body", {"X-Two": "3"})
        answer = line.getresponse()
        found = answer.status, answer.getheaders(), answer.read()
        line.close()
        return found

    status, headers, body = asyncio.run(asked(application, act))
    assert (status, body) == (207, b"ab")
    assert headers[:2] == [("x-one", "1"), ("x-one", "2")]
    assert "Server" not in dict(headers)
    scope, whole, end = told
    host = scope["headers"][0]
    assert host[0] == b"host"
    assert {**scope, "client": None, "headers": scope["headers"][1:]} == {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": "PUT",
        "scheme": "http",
        "path": "/a/b c",
        "raw_path": b"/a%2Fb%20c",
        "query_string": b"d=%20",
        "root_path": "",
        "headers": [(b"accept-encoding", b"identity"), (b"content-length", b"4"), (b"x-two", b"3")],
        "client": None,
        "server": None,
        "state": {},
    }
    assert whole == {"type": "http.request", "body": b"body", "more_body": False}
    assert end == {"type": "http.disconnect"}


def test_who_hangs_up_ends_the_stream() -> None:
    async def play() -> bool:
        ended = asyncio.Event()

        async def application(_scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "http.response.start", "status": 200})
            await send({"type": "http.response.body", "body": b"first", "more_body": True})
            try:
                await receive()
            finally:
                ended.set()

        def act(host: str, port: int) -> bytes:
            with socket.create_connection((host, port), 30) as line:
                line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                said = b""
                while b"first" not in said:
                    said += line.recv(1)
                return said

        said = await asked(application, act)
        await asyncio.wait_for(ended.wait(), 30)
        return bool(said.startswith(b"HTTP/1.1 200 OK\r\n"))

    assert asyncio.run(play())


def test_an_application_without_an_answer() -> None:
    refused: list[str] = []

    async def application(_scope: Any, _receive: Any, _send: Any) -> None:
        pass

    async def handle(request: web.Request) -> web.StreamResponse:
        with pytest.raises(RuntimeError) as error:
            await answered(application, request, b"")
        refused.append(str(error.value))
        return web.Response(text="told")

    async def play() -> None:
        alone = web.Application()
        alone.router.add_get("/", handle)

        def act(address: str) -> bytes:
            line = http.client.HTTPConnection(address, timeout=30)
            line.request("GET", "/")
            body = line.getresponse().read()
            line.close()
            return body

        async with served(alone) as url:
            assert await asyncio.to_thread(act, urlsplit(url).netloc) == b"told"

    asyncio.run(play())
    assert refused == ["no answer was given to GET /"]


LIST = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
BOTH = "application/json, text/event-stream"


@pytest.mark.parametrize(
    ("method", "headers", "status", "body"),
    [
        ("POST", {"Accept": "text/html", "Content-Type": "application/json"}, 406, None),
        ("POST", {"Accept": BOTH, "Content-Type": "text/plain"}, 400, b"Invalid Content-Type header"),
        ("POST", {"Accept": BOTH}, 400, b"Invalid Content-Type header"),
        ("GET", {"Accept": "application/json"}, 406, None),
        ("PUT", {"Accept": BOTH, "Content-Type": "application/json"}, 405, None),
        ("POST", {"Accept": BOTH, "Content-Type": "application/json"}, 200, None),
    ],
)  # fmt: skip
def test_what_the_sdk_refuses_is_refused(
    gateway: Gateway, method: str, headers: dict[str, str], status: int, body: bytes | None
) -> None:
    address = urlsplit(gateway.endpoints["mcp"])
    line = http.client.HTTPConnection(address.netloc, timeout=30)
    line.request(method, f"{address.path}/", LIST, {"Authorization": "Bearer token of the session", **headers})  # fmt: skip
    answer = line.getresponse()
    content = answer.read()
    line.close()
    assert answer.status == status
    if body is not None:
        assert content == body


def test_the_stream_of_a_server_stays_open_until_its_client_leaves(gateway: Gateway) -> None:
    address = urlsplit(gateway.endpoints["mcp"])
    assert address.hostname is not None
    for _ in range(2):  # the second finds all as it was
        with socket.create_connection((address.hostname, address.port or 0), 30) as line:
            line.sendall(
                b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:1\r\nAccept: text/event-stream\r\n"
                b"Authorization: Bearer token of the session\r\n\r\n"
            )
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += line.recv(1)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"text/event-stream" in head
