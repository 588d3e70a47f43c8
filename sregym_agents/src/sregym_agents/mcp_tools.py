"""The tools of a session as an MCP server, whatever carries it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server

from sregym_core import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Tool, ToolResult

Call = Callable[[str, Mapping[str, object]], Awaitable["ToolResult"]]
# Under which clients list it; nothing in it tells what the session is.
NAME = "operations"


def mcp_server(
    tools: Sequence[Tool], call: Call, instructions: str, name: str = NAME
) -> Server[Any]:
    """A server that offers these tools.

    Args:
        tools: Which ones.
        call: Does what a client requests.
        instructions: Of the server, for a client's model.
        name: Of the server.
    """
    offered = [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=dict(tool.parameters),
            annotations=types.ToolAnnotations(
                read_only_hint=tool.reads_only, open_world_hint=False
            ),
        )
        for tool in tools
    ]
    names = [tool.name for tool in tools]

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=offered)

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in names:
            text = f"there is no tool {params.name!r} here; there are: {', '.join(names)}"
            return _result(text, ok=False)
        try:
            result = await call(params.name, params.arguments or {})
        except Exception as error:  # whatever ends the session is told, and shown to its driver
            return _result(str(error), ok=False)
        return _result(result.text, result.ok)

    return Server(
        name,
        version=__version__,
        instructions=instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(text: str, ok: bool) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=not ok
    )
