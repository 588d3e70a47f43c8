"""`sregym mcp`: a session's tools for MCP clients that start their servers themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.cli import Subcommand
from sregym_core.errors import ExitCode

if TYPE_CHECKING:
    import argparse

GROUPS = ("metrics", "logs", "traces", "cluster", "submission")


class Mcp(Subcommand):
    """Serves the tools of the session around this process over standard input and output."""

    name: ClassVar[str] = "mcp"
    summary: ClassVar[str] = "serve a session's tools over MCP on standard input and output"
    examples: ClassVar[tuple[str, ...]] = ("sregym mcp --only metrics",)

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare arguments."""
        parser.add_argument("--only", choices=GROUPS, help="only these tools (default: all)")

    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Serve until the client goes away."""
        from sregym_agents.mcp_stdio import serve_stdio
        from sregym_agents.session_folder import find_address
        from sregym_core.interfaces import ToolGroup

        group = ToolGroup(arguments.only) if arguments.only else None
        serve_stdio(find_address(self.settings), group)
        return ExitCode.DONE
