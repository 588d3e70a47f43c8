"""Offers the agent, and the command that compares shortcuts with a playbook and the expert."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `shortcuts`."""
    return [Registration("shortcuts", "sregym_agent_shortcuts.agent:Shortcuts")]


@hookimpl
def sregym_register_commands() -> Sequence[Registration]:
    """Register `difficulty`."""
    return [Registration("difficulty", "sregym_agent_shortcuts.command:DifficultyCommand")]
