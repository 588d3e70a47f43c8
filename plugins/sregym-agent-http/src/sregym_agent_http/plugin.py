"""Offers the agent that speaks webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core import Registration, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@hookimpl
def sregym_register_agents() -> Sequence[Registration]:
    """Register `http`."""
    return [Registration("http", "sregym_agent_http.webhook:Webhook")]
