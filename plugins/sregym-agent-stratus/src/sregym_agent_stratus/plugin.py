"""Offers the agent Stratus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `stratus`."""
    return [Registration("stratus", "sregym_agent_stratus.stratus:Stratus")]
