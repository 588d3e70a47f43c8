"""MCP servers of a session over streamable HTTP: all tools on one, and each group apart.

They keep no state between requests, so a client that lost its connection just goes on.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from aiohttp import web
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from sregym_core.interfaces import ToolGroup

from sregym_agents.asgi import answered
from sregym_agents.http_api import BODY_CAP_BYTES, MCP_ROOT, refuse
from sregym_agents.mcp_tools import NAME, mcp_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sregym_core.interfaces import Session, ToolResult

    from sregym_agents.inbox import Inbox


class McpEndpoints:
    """The MCP servers of one session, beneath a path of its gateway, which requires the token.

    Args:
        session: The session whose tools they offer.
        inbox: Through which calls go.
    """

    def __init__(self, session: Session, inbox: Inbox) -> None:
        self._session = session
        self._inbox = inbox
        self._managers: dict[str, StreamableHTTPSessionManager] = {}

    def beneath(self, application: web.Application) -> Mapping[str, str]:
        """Serve as long as the application is served; gives the paths by name."""
        made = self._servers()
        self._managers = {path: manager for _, path, manager in made}
        application.cleanup_ctx.append(self._running)
        application.router.add_route("*", f"{MCP_ROOT}{{rest:(/.*)?}}", self._answer)
        return {endpoint: path for endpoint, path, _ in made}

    async def _running(self, _application: web.Application) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            yield

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
            made.append((endpoint, MCP_ROOT if group is None else f"{MCP_ROOT}/{group}", manager))
        return made

    async def _call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        return await self._inbox.done(lambda: self._session.call(name, arguments))

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        manager = self._managers.get(request.path.rstrip("/"))
        if manager is None:
            known = ", ".join(self._managers)
            return refuse(404, f"there is no MCP server here; there are: {known}")
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return refuse(413, f"a request may have {BODY_CAP_BYTES} bytes at most")
        return await answered(manager.handle_request, request, body)
