"""Sessions with a folder, and a stand-in for the vendor's program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_gemini.agent import Gemini
from sregym_agents.testing import write_stand_in
from sregym_agents.testing.sessions import folder, new_session, provision

__all__ = ["folder", "new_session", "provision"]

# Configured, and telling what it does, as the real one is and does.
STAND_IN = """
seen = {"argv": sys.argv[1:], "environment": dict(os.environ), "cwd": os.getcwd()}
with open("seen.json", "w") as file:
    json.dump(seen, file)
CALLS = json.loads(%r)
settings = json.load(open(os.environ["GEMINI_CLI_HOME"] + "/.gemini/settings.json"))
[(name, server)] = settings["mcpServers"].items()
chats = os.environ["GEMINI_CLI_HOME"] + "/.gemini/tmp/workspace/chats"
os.makedirs(chats)
tell(type="init", session_id="s", model="scripted")
tell(type="message", role="user", content=sys.argv[-1])
for number, (called, arguments) in enumerate(CALLS, 1):
    tokens = {"input": 100, "output": 10, "cached": 60, "thoughts": 0, "tool": 0, "total": 110}
    with open(chats + "/session.jsonl", "a") as file:
        file.write(json.dumps({"id": str(number), "type": "gemini", "tokens": tokens}) + "\\n")
    tell(type="message", role="assistant", content="I use", delta=True)
    tell(type="message", role="assistant", content=f" {called}.", delta=True)
    tell(type="tool_use", tool_name=f"mcp_{name}_{called}", tool_id=str(number), parameters=arguments)
    said = tool(server["httpUrl"], server["headers"], called, **arguments)
    tell(type="tool_result", tool_id=str(number), status="success", output=said)
tell(type="message", role="assistant", content="All is well.", delta=True)
tell(type="result", status="success", stats={"input_tokens": 400, "output_tokens": 40, "cached": 240})
"""


@pytest.fixture
def make_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Gemini]:
    """Makes the agent, with a program that makes these calls."""

    def make(*calls: tuple[str, dict[str, Any]], **options: str) -> Gemini:
        program = tmp_path / "bin" / "gemini"
        write_stand_in(program, STAND_IN % json.dumps(calls))
        monkeypatch.setenv("GEMINI_API_KEY", "of the agent")
        return Gemini({"program": str(program), **options})

    return make
