"""The agent `gemini`: how the program is configured and started."""

from __future__ import annotations

import json
from typing import ClassVar

from sregym_agents.command_line import (
    SERVER,
    TOOL_TIMEOUT_S,
    Assignment,
    Call,
    CommandLineAgent,
    Vendor,
)

from sregym_agent_gemini.events import GeminiReader

# What is denied as a whole is not even shown to the model.
POLICY = f"""\
[[rule]]
mcpName = "{SERVER}"
toolName = "*"
decision = "allow"
priority = 900

[[rule]]
toolName = "*"
decision = "deny"
priority = 100
"""


class Gemini(CommandLineAgent):
    """Runs `gemini --prompt` with the session's MCP server; its own tools are off."""

    name: ClassVar[str] = "gemini"
    vendor: ClassVar[Vendor] = Vendor(
        program="gemini",
        package="@google/gemini-cli",
        keys=("GEMINI_API_KEY",),
        base_url="https://generativelanguage.googleapis.com",
        base_url_variable="GOOGLE_GEMINI_BASE_URL",
    )

    def call(self, assignment: Assignment) -> Call:
        """Write settings and a policy into its home."""
        settings = {
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "mcpServers": {
                SERVER: {
                    "httpUrl": assignment.mcp,
                    "headers": {"Authorization": f"Bearer {assignment.token}"},
                    "timeout": TOOL_TIMEOUT_S * 1000,
                    "trust": True,
                }
            },
        }
        assignment.write(".gemini/settings.json", json.dumps(settings))
        policy = assignment.write("policy.toml", POLICY)
        words = ["--output-format", "stream-json", "--admin-policy", policy, "--skip-trust"]
        if assignment.model:
            words += ["--model", assignment.model]
        variables = {"GEMINI_CLI_HOME": str(assignment.home_inside), "NO_COLOR": "1"}
        if assignment.base_url:
            variables["GOOGLE_GEMINI_BASE_URL"] = assignment.base_url
        return Call(tuple(words), ("--prompt", assignment.prompt), variables)

    def reader(self) -> GeminiReader:
        """A fresh one."""
        return GeminiReader()
