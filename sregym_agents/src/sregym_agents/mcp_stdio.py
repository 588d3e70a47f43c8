"""An MCP server over standard input and output that passes everything on to a session's gateway.

For clients that start their servers themselves: `sregym mcp`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiohttp
from mcp.server.stdio import stdio_server
from sregym_core.errors import UsageError
from sregym_core.interfaces import Tool, ToolGroup, ToolResult

from sregym_agents.mcp_tools import NAME, mcp_server

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_agents.session_folder import SessionAddress


def serve_stdio(address: SessionAddress, group: ToolGroup | None = None) -> None:
    """Serve until standard input ends.

    Args:
        address: Of the session's gateway.
        group: Only these tools; all when None.

    Raises:
        UsageError: The gateway does not answer.
    """
    try:
        asyncio.run(_serve(address, group))
    except aiohttp.ClientError as error:
        msg = f"the session at {address.gateway} does not answer: {error}; is it still running?"
        raise UsageError(msg) from error


async def _serve(address: SessionAddress, group: ToolGroup | None) -> None:
    headers = {"Authorization": f"Bearer {address.token}"}
    # A rollout or a wait may take its time; the session has its own limits.
    timeout = aiohttp.ClientTimeout(total=None, connect=30)
    async with aiohttp.ClientSession(address.gateway, headers=headers, timeout=timeout) as http:
        told = (await _get(http, "/instruction"))["instruction"]
        listed = (await _get(http, "/tools"))["tools"]
        tools = [Tool(**{**about, "group": ToolGroup(about["group"])}) for about in listed]
        chosen = [tool for tool in tools if group in (None, tool.group)]

        async def call(name: str, arguments: Mapping[str, object]) -> ToolResult:
            async with http.post(f"/tools/{name}", json=dict(arguments)) as answer:
                content = await answer.json()
                if answer.status != 200:
                    return ToolResult(str(content["message"]), ok=False)
                return ToolResult(**content)

        server = mcp_server(chosen, call, told, NAME if group is None else f"{NAME}-{group}")
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


async def _get(http: aiohttp.ClientSession, path: str) -> Any:
    async with http.get(path, raise_for_status=True) as answer:
        return await answer.json()
