"""Offers the agent `claude-code`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Offer]:
    """Offer `claude-code`."""
    return [Offer("claude-code", "sregym_agent_claude_code.agent:ClaudeCode")]
