"""Sessions with a folder, and a stand-in for the vendor's program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_codex.agent import Codex
from sregym_agents.testing import write_stand_in
from sregym_agents.testing.sessions import folder, new_session, provision

__all__ = ["folder", "new_session", "provision"]

# Configured, and telling what it does, as the real one is and does.
STAND_IN = """
seen = {"argv": sys.argv[1:], "environment": dict(os.environ), "cwd": os.getcwd()}
with open("seen.json", "w") as file:
    json.dump(seen, file)
CALLS = json.loads(%r)
configuration = tomllib.load(open(os.environ["CODEX_HOME"] + "/config.toml", "rb"))
[(name, server)] = configuration["mcp_servers"].items()
sessions = os.environ["CODEX_HOME"] + "/sessions/2026/11/22"
os.makedirs(sessions)
tell(type="thread.started", thread_id="t")
tell(type="turn.started")
for number, (called, arguments) in enumerate(CALLS, 1):
    used = {"input_tokens": 100 * number, "cached_input_tokens": 60 * number, "output_tokens": 10 * number}
    kept = {"type": "token_count", "info": {"total_token_usage": used}}
    tell(type="item.completed", item={"id": f"say-{number}", "type": "agent_message", "text": f"I use {called}."})
    with open(sessions + "/rollout.jsonl", "a") as file:
        file.write(json.dumps({"type": "event_msg", "payload": kept}) + "\\n")
    item = {"id": f"item-{number}", "type": "mcp_tool_call", "server": name, "tool": called, "arguments": arguments}
    tell(type="item.started", item={**item, "status": "in_progress"})
    said = tool(server["url"], server["http_headers"], called, **arguments)
    result = {"content": [{"type": "text", "text": said}]}
    tell(type="item.completed", item={**item, "result": result, "error": None, "status": "completed"})
tell(type="item.completed", item={"id": "last", "type": "agent_message", "text": "All is well."})
tell(type="turn.completed", usage={"input_tokens": 400, "cached_input_tokens": 240, "output_tokens": 40})
"""


@pytest.fixture
def make_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Codex]:
    """Makes the agent, with a program that makes these calls."""

    def make(*calls: tuple[str, dict[str, Any]], **options: str) -> Codex:
        program = tmp_path / "bin" / "codex"
        write_stand_in(program, STAND_IN % json.dumps(calls))
        monkeypatch.setenv("OPENAI_API_KEY", "of the agent")
        return Codex({"program": str(program), **options})

    return make
