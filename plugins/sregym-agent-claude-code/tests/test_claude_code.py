"""The agent `claude-code`: how its program is configured, and an episode with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_claude_code.agent import ClaudeCode
from sregym_agents.testing.sessions import EPISODE, check_episode
from sregym_core.errors import UsageError
from sregym_core.model import Tokens
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]


def test_an_episode(make_stand_in: Any, new_session: NewSession, folder: Path) -> None:
    session = new_session()
    make_stand_in(*EPISODE).run(session)
    check_episode(session, folder, Tokens(prompt=300, completion=30, cached=180))


def test_how_it_is_started(
    make_stand_in: Any, new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_BASE_URL", raising=False)
    session = new_session()
    options = {"model": "large", "arguments": "--effort high", "base_url": "http://127.0.0.1:1"}
    make_stand_in(("submit", {"text": "a"}), ("submit", {"text": "b"}), **options).run(session)
    seen = json.loads((folder / "workspace" / "seen.json").read_text())
    home = folder / "home"
    *words, prompt = seen["argv"]
    assert words == [
        "--print",
        *("--output-format", "stream-json", "--verbose", "--include-partial-messages"),
        *("--mcp-config", str(home / "servers.json"), "--strict-mcp-config"),
        *("--tools", "", "--allowedTools", "mcp__operations", "--permission-mode", "dontAsk"),
        *("--setting-sources", "", "--disable-slash-commands", "--no-session-persistence"),
        *("--model", "large", "--effort", "high", "--"),
    ]
    assert prompt.startswith(session.instruction)
    ours = {
        name: value
        for name, value in seen["environment"].items()
        if name.startswith(("ANTHROPIC", "CLAUDE", "DISABLE", "MCP", "HOME"))
    }
    assert ours == {
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_TELEMETRY": "1",
        "MCP_TOOL_TIMEOUT": "86400000",
        "ANTHROPIC_API_KEY": "of the agent",
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
    }
    [(name, server)] = json.loads((home / "servers.json").read_text())["mcpServers"].items()
    assert (name, server.pop("type"), sorted(server)) == ("operations", "http", ["headers", "url"])
    assert server["url"].endswith("/mcp")
    assert server["headers"]["Authorization"].startswith("Bearer ")


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, make_stand_in: Any) -> None:
    options = dict(make_stand_in().options)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    for name in ("ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError) as refused:
        ClaudeCode(options)
    assert str(refused.value) == (
        "agent 'claude-code' needs a key of its provider: set ANTHROPIC_API_KEY or "
        "ANTHROPIC_AUTH_TOKEN or CLAUDE_CODE_OAUTH_TOKEN, or name what claude logs in with in "
        "--agent-option pass_env=NAME,NAME"
    )
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError) as refused:
        ClaudeCode({})
    assert str(refused.value) == (
        "agent 'claude-code' needs the program claude: npm install --global "
        "@anthropic-ai/claude-code, or name its path with --agent-option program=/path/to/claude"
    )
