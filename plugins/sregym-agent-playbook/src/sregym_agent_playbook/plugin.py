"""Entry point: what this package contributes. Imports nothing heavy, see PluginContract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Playbook."""
    return [Registration("playbook", "sregym_agent_playbook.agent:Playbook")]
