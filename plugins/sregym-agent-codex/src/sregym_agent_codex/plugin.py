"""Offers the agent `codex`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `codex`."""
    return [Registration("codex", "sregym_agent_codex.agent:Codex")]
