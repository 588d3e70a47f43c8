"""The vendor's real program against a provider on loopback."""

from __future__ import annotations

from typing import ClassVar

from sregym_agent_gemini.agent import Gemini
from sregym_agents.testing.programs import ProgramContract


class TestProgram(ProgramContract):
    adapter: ClassVar[type[Gemini]] = Gemini
