"""Offers the red-team agent, and the command that plays it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Offer]:
    """Offer `redteam`."""
    return [Offer("redteam", "sregym_agent_redteam.agent:RedTeam")]


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """Offer `redteam`."""
    return [Offer("redteam", "sregym_agent_redteam.command:RedTeamCommand")]
