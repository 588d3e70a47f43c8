"""MCP servers of a session over streamable HTTP: all tools on one, and each group apart.

They keep no state between requests, so a client that lost its connection just goes on.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from sregym_core.interfaces import ToolGroup
from sregym_core.model import Attempt
from starlette.responses import JSONResponse

from sregym_agents.connections import stop
from sregym_agents.http_api import BODY_CAP_BYTES, WHAT_CAP
from sregym_agents.mcp_tools import NAME, mcp_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from sregym_core.interfaces import Session, ToolResult
    from starlette.types import Message, Receive, Scope, Send

    from sregym_agents.inbox import Inbox

SHUTDOWN_S = 1


class _Server(uvicorn.Server):
    """Ends when it is told: uvicorn itself looks ten times a second, and waits for nobody else."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ending = asyncio.Event()

    async def main_loop(self) -> None:
        """Serve until `ending` is set."""
        await self.ending.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close; whoever is connected has a moment to take the rest."""
        await stop(self.servers)
        if self.server_state.connections:
            await super().shutdown(sockets)


class McpEndpoints:
    """The MCP servers of one session.

    Args:
        session: Whose tools they offer.
        inbox: Through which calls go.
        token: What clients must present.
        note: Called with what was tried without it.
    """

    def __init__(
        self,
        session: Session,
        inbox: Inbox,
        token: str,
        note: Callable[[Attempt], None] = lambda _attempt: None,
    ) -> None:
        self._note = note
        self._session = session
        self._inbox = inbox
        self._expected = f"Bearer {token}".encode()
        self._managers: dict[str, StreamableHTTPSessionManager] = {}

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Mapping[str, str]]:
        """Serve on a free port of 127.0.0.1; gives the addresses by name."""
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(128)
            base = f"http://127.0.0.1:{listener.getsockname()[1]}"
            async with AsyncExitStack() as stack:
                endpoints = {}
                for endpoint, path, manager in self._servers():
                    await stack.enter_async_context(manager.run())
                    self._managers[path] = manager
                    endpoints[endpoint] = f"{base}{path}"
                config = uvicorn.Config(
                    self._answer,
                    interface="asgi3",
                    lifespan="off",
                    proxy_headers=False,
                    log_config=None,
                    log_level="critical",  # nonsense from outside is answered, not told
                    access_log=False,
                    timeout_graceful_shutdown=SHUTDOWN_S,
                )
                server = _Server(config)
                running = asyncio.create_task(server.serve(sockets=[listener]))
                try:
                    yield endpoints
                finally:
                    server.ending.set()
                    await running

    def _servers(self) -> list[tuple[str, str, StreamableHTTPSessionManager]]:
        tools = self._session.tools
        instructions = self._session.instruction
        # Only names of this machine: pages of other sites that resolve to it are kept out.
        hosts = ["127.0.0.1:*", "localhost:*"]
        security = TransportSecuritySettings(
            allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
        )
        made = []
        for group in (None, *ToolGroup):
            chosen = [tool for tool in tools if group in (None, tool.group)]
            name = NAME if group is None else f"{NAME}-{group}"
            server = mcp_server(chosen, self._call, instructions, name)
            manager = StreamableHTTPSessionManager(
                server, json_response=True, stateless=True, security_settings=security
            )
            endpoint = "mcp" if group is None else f"mcp_{group}"
            made.append((endpoint, "/mcp" if group is None else f"/mcp/{group}", manager))
        return made

    async def _call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        return await asyncio.wrap_future(
            self._inbox.post(lambda: self._session.call(name, arguments))
        )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if not secrets.compare_digest(headers.get(b"authorization", b""), self._expected):
            what = f"{scope['method']} {scope['path']}"[:WHAT_CAP]
            self._note(Attempt(via="mcp", what=what, answer="401"))
            await _refuse(401, "the session's token is missing or wrong", scope, receive, send)
            return
        manager = self._managers.get(scope["path"].rstrip("/"))
        if manager is None:
            known = ", ".join(self._managers)
            await _refuse(
                404, f"there is no MCP server here; there are: {known}", scope, receive, send
            )
            return
        body = await _body(receive)
        if body is None:
            what = f"{scope['method']} {scope['path']}"[:WHAT_CAP]
            self._note(Attempt(via="mcp", what=what, answer="413"))
            message = f"a request may have {BODY_CAP_BYTES} bytes at most"
            await _refuse(413, message, scope, receive, send)
            return
        await manager.handle_request(scope, _again(body, receive), send)


async def _body(receive: Receive) -> bytes | None:
    """What is sent, None when it is more than may be: nobody fills the harness's memory."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > BODY_CAP_BYTES:
            return None
        more = message["type"] == "http.request" and message.get("more_body", False)
    return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """Tell the body that was read, then what comes behind it."""
    waiting = [body]

    async def told() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return told


async def _refuse(status: int, message: str, scope: Scope, receive: Receive, send: Send) -> None:
    response: Any = JSONResponse({"message": message}, status_code=status)
    await response(scope, receive, send)
