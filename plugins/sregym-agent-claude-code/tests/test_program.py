"""The vendor's real program against a provider on loopback."""

from __future__ import annotations

from typing import ClassVar

from sregym_agent_claude_code.agent import ClaudeCode
from sregym_agents.testing.programs import ProgramContract


class TestProgram(ProgramContract):
    adapter: ClassVar[type[ClaudeCode]] = ClaudeCode
    hasty: ClassVar[dict[str, str]] = {"pass_env": "CLAUDE_CODE_MAX_RETRIES"}
