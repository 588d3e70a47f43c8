"""The agent `codex`: how its program is configured, and an episode with it."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_codex.agent import Codex
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
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    session = new_session()
    options = {"model": "large", "arguments": "-c model_reasoning_effort=high"}
    make_stand_in(("submit", {"text": "a"}), ("submit", {"text": "b"}), **options).run(session)
    seen = json.loads((folder / "workspace" / "seen.json").read_text())
    home = folder / "home"
    *words, prompt = seen["argv"]
    assert words == [
        *("exec", "--json", "--color", "never", "--skip-git-repo-check", "--ignore-rules"),
        *("-c", "model_reasoning_effort=high", "--"),
    ]
    assert prompt.startswith(session.instruction)
    ours = {
        name: value
        for name, value in seen["environment"].items()
        if name.startswith(("OPENAI", "CODEX", "HOME"))
    }
    assert ours == {
        "HOME": str(home),
        "CODEX_HOME": str(home / ".codex"),
        "OPENAI_API_KEY": "of the agent",
    }
    written = tomllib.loads((home / ".codex" / "config.toml").read_text())
    server = written["mcp_servers"]["operations"]
    assert server.pop("url").endswith("/mcp")
    assert server.pop("http_headers")["Authorization"].startswith("Bearer ")
    assert all(on is False for on in written.pop("features").values())
    assert written == {
        "model": "large",
        "model_provider": "provider",
        "approval_policy": "never",
        "sandbox_mode": "read-only",
        "web_search": "disabled",
        "check_for_update_on_startup": False,
        "analytics": {"enabled": False},
        "agents": {"enabled": False},
        "model_providers": {
            "provider": {
                "name": "provider",
                "base_url": "https://api.openai.com/v1",
                "env_key": "OPENAI_API_KEY",
                "wire_api": "responses",
            }
        },
        "mcp_servers": {
            "operations": {
                "tool_timeout_sec": 86_400,
                "default_tools_approval_mode": "approve",
                "required": True,
            }
        },
    }


def test_another_provider(
    make_stand_in: Any, new_session: NewSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_stand_in()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("CODEX_API_KEY", "of the agent")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.example/v1")
    program = str(folder.parent / "bin" / "codex")
    Codex({"program": program}).run(new_session())
    written = tomllib.loads((folder / "home" / ".codex" / "config.toml").read_text())
    assert written["model_providers"]["provider"] == {
        "name": "provider",
        "base_url": "https://models.example/v1",
        "env_key": "CODEX_API_KEY",
        "wire_api": "responses",
    }


def test_what_is_missing(monkeypatch: pytest.MonkeyPatch, make_stand_in: Any) -> None:
    options = dict(make_stand_in().options)
    monkeypatch.delenv("OPENAI_API_KEY")
    for name in ("CODEX_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(UsageError) as refused:
        Codex(options)
    assert str(refused.value) == (
        "agent 'codex' needs a key of its provider: set OPENAI_API_KEY or CODEX_API_KEY, or name "
        "what codex logs in with in --agent-option pass_env=NAME,NAME"
    )
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UsageError) as refused:
        Codex({})
    assert str(refused.value) == (
        "agent 'codex' needs the program codex: npm install --global @openai/codex, or name its "
        "path with --agent-option program=/path/to/codex"
    )
