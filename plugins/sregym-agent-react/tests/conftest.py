"""A provider of language models on loopback that says what a test scripts."""

from __future__ import annotations

from sregym_agents.testing.sessions import provider

__all__ = ["provider"]
