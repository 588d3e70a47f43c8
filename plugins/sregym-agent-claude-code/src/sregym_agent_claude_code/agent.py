"""The agent `claude-code`: how the program is configured and started."""

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

from sregym_agent_claude_code.events import ClaudeCodeReader


class ClaudeCode(CommandLineAgent):
    """Runs `claude --print` with the session's MCP server; its own tools are off."""

    name: ClassVar[str] = "claude-code"
    vendor: ClassVar[Vendor] = Vendor(
        program="claude",
        package="@anthropic-ai/claude-code",
        keys=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
        base_url="https://api.anthropic.com",
        base_url_variable="ANTHROPIC_BASE_URL",
    )

    def call(self, assignment: Assignment) -> Call:
        """Write the MCP configuration; everything else is said in words."""
        server = {
            "type": "http",
            "url": assignment.mcp,
            "headers": {"Authorization": f"Bearer {assignment.token}"},
        }
        servers = assignment.write("servers.json", json.dumps({"mcpServers": {SERVER: server}}))
        words = [
            "--print",
            *("--output-format", "stream-json", "--verbose", "--include-partial-messages"),
            *("--mcp-config", servers, "--strict-mcp-config"),
            # None of its own tools; those of the session without asking; all others refused.
            *("--tools", "", "--allowedTools", f"mcp__{SERVER}", "--permission-mode", "dontAsk"),
            *("--setting-sources", "", "--disable-slash-commands", "--no-session-persistence"),
        ]
        if assignment.model:
            words += ["--model", assignment.model]
        variables = {
            "CLAUDE_CONFIG_DIR": str(assignment.home_inside / ".claude"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_TELEMETRY": "1",
            "MCP_TOOL_TIMEOUT": str(TOOL_TIMEOUT_S * 1000),
        }
        if assignment.base_url:
            variables["ANTHROPIC_BASE_URL"] = assignment.base_url
        return Call(tuple(words), ("--", assignment.prompt), variables)

    def reader(self) -> ClaudeCodeReader:
        """A fresh one."""
        return ClaudeCodeReader()
