"""Offers the agents that live outside the harness, and an MCP server for their clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `human` and `shell`."""
    return [
        Registration("human", "sregym_agent_shell.human:Human"),
        Registration("shell", "sregym_agent_shell.shell:Shell"),
    ]


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """Register `mcp`."""
    return [Registration("mcp", "sregym_agent_shell.mcp_command:Mcp")]
