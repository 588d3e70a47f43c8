"""Offers the red-team agent, and the command that plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `redteam`."""
    return [Registration("redteam", "sregym_agent_redteam.agent:RedTeam")]


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """Register `redteam`."""
    return [Registration("redteam", "sregym_agent_redteam.command:RedTeamCommand")]
