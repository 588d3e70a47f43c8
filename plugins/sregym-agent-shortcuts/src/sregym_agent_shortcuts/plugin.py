"""Offers the agent, and the command that compares shortcuts with a playbook and the expert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Offer, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Offer]:
    """Offer `shortcuts`."""
    return [Offer("shortcuts", "sregym_agent_shortcuts.agent:Shortcuts")]


@hookimpl
def sregym_register_commands() -> Sequence[Offer]:
    """Offer `difficulty`."""
    return [Offer("difficulty", "sregym_agent_shortcuts.command:DifficultyCommand")]
