"""The agent `gemini`: how its program is configured, and an episode with it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_gemini.agent import Gemini
from sregym_agents.testing.sessions import EPISODE, check_episode
from sregym_core.errors import UsageError
from sregym_core.model import Tokens
from sregym_testing import ScriptedSession

NewSession = Callable[..., ScriptedSession]


def test_an_episode(make_stand_in: Any, new_session: NewSession, folder: Path) -> None:
    session = new_session()
    make_stand_in(*EPISODE).run(session)
    check_episode(session, folder, Tokens(prompt=400, completion=40, cached=240))


def test_how_it_is_started(
    make_stand_in: Any, new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
    session = new_session()
    options = {"model": "large", "arguments": "--debug", "base_url": "http://127.0.0.1:1"}
    make_stand_in(("submit", {"text": "a"}), ("submit", {"text": "b"}), **options).run(session)
    seen = json.loads((folder / "workspace" / "seen.json").read_text())
    home = folder / "home"
    *words, prompt = seen["argv"]
    assert words == [
        *("--output-format", "stream-json", "--admin-policy", str(home / "policy.toml")),
        *("--skip-trust", "--model", "large", "--debug", "--prompt"),
    ]
    assert prompt.startswith(session.instruction)
    ours = {
        name: value
        for name, value in seen["environment"].items()
        if name.startswith(("GEMINI", "GOOGLE", "HOME", "NO_COLOR"))
    }
    assert ours == {
        "HOME": str(home),
        "GEMINI_CLI_HOME": str(home),
        "GEMINI_API_KEY": "of the agent",
        "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1",
        "NO_COLOR": "1",
    }
    written = json.loads((home / ".gemini" / "settings.json").read_text())
    server = written["mcpServers"]["operations"]
    assert server.pop("httpUrl").endswith("/mcp")
    assert server.pop("headers")["Authorization"].startswith("Bearer ")
    assert written == {
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "mcpServers": {"operations": {"timeout": 86_400_000, "trust": True}},
    }
    assert tomllib.loads((home / "policy.toml").read_text())["rule"] == [
        {"mcpName": "operations", "toolName": "*", "decision": "allow", "priority": 900},
        {"toolName": "*", "decision": "deny", "priority": 100},
    ]


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, make_stand_in: Any) -> None:
    options = dict(make_stand_in().options)
    monkeypatch.delenv("GEMINI_API_KEY")
    monkeypatch.delenv("GOOGLE_GEMINI_BASE_URL", raising=False)
    with pytest.raises(UsageError) as refused:
        Gemini(options)
    assert str(refused.value) == (
        "agent 'gemini' needs a key of its provider: set GEMINI_API_KEY, or name what gemini logs "
        "in with in --agent-option pass_env=NAME,NAME"
    )
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError) as refused:
        Gemini({})
    assert str(refused.value) == (
        "agent 'gemini' needs the program gemini: npm install --global @google/gemini-cli, or name "
        "its path with --agent-option program=/path/to/gemini"
    )
