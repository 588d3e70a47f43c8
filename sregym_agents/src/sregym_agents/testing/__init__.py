"""For tests of agents: a provider of language models on loopback that says what a test scripts."""

from __future__ import annotations

from sregym_agents.testing.provider import Provider, provider
from sregym_agents.testing.script import Turn, say, use

__all__ = ["Provider", "Turn", "provider", "say", "use"]
