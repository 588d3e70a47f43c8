"""For tests of agents: a scripted provider of language models, and stand-ins for programs."""

from __future__ import annotations

from sregym_agents.testing.provider import Provider, provider
from sregym_agents.testing.script import Turn, final_message, use
from sregym_agents.testing.stand_in import write_stand_in
from sregym_agents.testing.wall import LeapingWall

__all__ = ["LeapingWall", "Provider", "Turn", "final_message", "provider", "use", "write_stand_in"]
