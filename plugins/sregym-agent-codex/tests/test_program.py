"""The vendor's real program against a provider on loopback."""

from __future__ import annotations

from typing import ClassVar

from sregym_agent_codex.agent import Codex
from sregym_agents.testing.programs import ProgramContract


class TestProgram(ProgramContract):
    adapter: ClassVar[type[Codex]] = Codex
    path: ClassVar[str] = "/v1"
    own_tools: ClassVar[frozenset[str]] = frozenset(
        [
            "list_mcp_resources",
            "list_mcp_resource_templates",
            "read_mcp_resource",
            "request_user_input",
        ]
    )
    hasty: ClassVar[dict[str, str]] = {
        "arguments": "-c model_providers.provider.stream_max_retries=0 "
        "-c model_providers.provider.request_max_retries=0"
    }
