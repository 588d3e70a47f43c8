"""Offers the agent `claude-code`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `claude-code`."""
    return [Registration("claude-code", "sregym_agent_claude_code.agent:ClaudeCode")]
