"""The agent `codex`: how the program is configured and started."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from sregym_agents.command_line import (
    SERVER,
    TOOL_TIMEOUT_S,
    Assignment,
    Call,
    CommandLineAgent,
    Vendor,
)

from sregym_agent_codex.events import CodexReader

# Ways to act that are not the session's, and traffic that has no part in an episode.
_OFF = (
    *(
        "apps",
        "browser_use",
        "computer_use",
        "goals",
        "hooks",
        "image_generation",
        "in_app_browser",
    ),
    *("memories", "plugins", "remote_plugin", "shell_snapshot", "shell_tool", "skill_search"),
    *("tool_suggest", "unified_exec", "view_image", "worktrees"),
)
PROVIDER = "provider"


class Codex(CommandLineAgent):
    """Runs `codex exec` with the session's MCP server; its own tools are off."""

    name: ClassVar[str] = "codex"
    vendor: ClassVar[Vendor] = Vendor(
        program="codex",
        package="@openai/codex",
        keys=("OPENAI_API_KEY", "CODEX_API_KEY"),
        base_url="https://api.openai.com/v1",
        base_url_variable="OPENAI_BASE_URL",
    )

    def call(self, assignment: Assignment) -> Call:
        """Write its configuration into a home of its own."""
        home = ".codex"
        assignment.write(f"{home}/config.toml", _toml(self._configuration(assignment)))
        words = (
            *("exec", "--json", "--color", "never", "--skip-git-repo-check"),
            *("--ignore-rules",),
        )
        variables = {"CODEX_HOME": str(assignment.home_inside / home)}
        return Call(words, ("--", assignment.prompt), variables)

    def reader(self) -> CodexReader:
        """A fresh one."""
        return CodexReader()

    def _configuration(self, assignment: Assignment) -> dict[str, Any]:
        configuration: dict[str, Any] = {
            "model_provider": PROVIDER,
            "approval_policy": "never",
            "sandbox_mode": "read-only",
            "web_search": "disabled",
            "check_for_update_on_startup": False,
            "analytics": {"enabled": False},
            "agents": {"enabled": False},
            "features": dict.fromkeys(_OFF, False),
            "model_providers": {
                PROVIDER: {
                    "name": PROVIDER,
                    "base_url": assignment.base_url or self.vendor.base_url,
                    "env_key": assignment.key,
                    "wire_api": "responses",
                }
            },
            "mcp_servers": {
                SERVER: {
                    "url": assignment.mcp,
                    "http_headers": {"Authorization": f"Bearer {assignment.token}"},
                    "tool_timeout_sec": TOOL_TIMEOUT_S,
                    "default_tools_approval_mode": "approve",
                    # Without its tools it would talk to itself for an episode.
                    "required": True,
                }
            },
        }
        if assignment.model:
            configuration = {"model": assignment.model, **configuration}
        return configuration


def _toml(table: dict[str, Any], name: str = "") -> str:
    """TOML of nested tables of strings, numbers and truth values, which JSON writes the same."""
    values = [f"{key} = {json.dumps(value)}" for key, value in table.items() if not isinstance(value, dict)]  # fmt: skip
    tables = [
        _toml(value, f"{name}.{key}" if name else key)
        for key, value in table.items()
        if isinstance(value, dict)
    ]
    head = [f"[{name}]"] if name else []
    return "\n".join([*head, *values, *tables])
