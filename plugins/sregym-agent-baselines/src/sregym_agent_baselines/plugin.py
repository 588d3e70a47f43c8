"""Offers the baseline agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `expert`, `noop`, `random` and `restart-loop`."""
    return [
        Registration("expert", "sregym_agent_baselines.expert:Expert"),
        Registration("noop", "sregym_agent_baselines.noop:Noop"),
        Registration("random", "sregym_agent_baselines.random_acts:RandomActs"),
        Registration("restart-loop", "sregym_agent_baselines.restart_loop:RestartLoop"),
    ]
