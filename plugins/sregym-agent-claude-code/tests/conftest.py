"""Sessions with a folder, and a stand-in for the vendor's program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sregym_agent_claude_code.agent import ClaudeCode
from sregym_agents.testing import write_stand_in
from sregym_agents.testing.sessions import folder, new_session, provision

__all__ = ["folder", "new_session", "provision"]

# Configured, and telling what it does, as the real one is and does.
STAND_IN = """
seen = {"argv": sys.argv[1:], "environment": dict(os.environ), "cwd": os.getcwd()}
with open("seen.json", "w") as file:
    json.dump(seen, file)
CALLS = json.loads(%r)
servers = json.load(open(sys.argv[sys.argv.index("--mcp-config") + 1]))["mcpServers"]
[(name, server)] = servers.items()
tell(type="system", subtype="init", tools=[])
for number, (called, arguments) in enumerate(CALLS):
    usage = {"input_tokens": 40, "cache_read_input_tokens": 60, "output_tokens": 1}
    message = {"id": f"msg_{number}", "role": "assistant", "usage": usage}
    tell(type="stream_event", event={"type": "message_start", "message": message})
    use = {"type": "tool_use", "id": str(number), "name": f"mcp__{name}__{called}", "input": arguments}
    text = {"type": "text", "text": f"I use {called}."}
    tell(type="assistant", message={**message, "content": [text]})
    tell(type="assistant", message={**message, "content": [use]})
    usage = {**usage, "output_tokens": 10}
    tell(type="stream_event", event={"type": "message_delta", "usage": usage})
    said = tool(server["url"], server["headers"], called, **arguments)
    result = {"type": "tool_result", "tool_use_id": str(number), "content": [{"type": "text", "text": said}]}
    tell(type="user", message={"role": "user", "content": [result]})
tell(type="assistant", message={"id": "last", "content": [{"type": "text", "text": "All is well."}]})
tell(type="result", subtype="success", is_error=False, result="All is well.")
"""


@pytest.fixture
def make_stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ClaudeCode]:
    """Makes the agent, with a program that makes these calls."""

    def make(*calls: tuple[str, dict[str, Any]], **options: str) -> ClaudeCode:
        program = tmp_path / "bin" / "claude"
        write_stand_in(program, STAND_IN % json.dumps(calls))
        monkeypatch.setenv("ANTHROPIC_API_KEY", "of the agent")
        return ClaudeCode({"program": str(program), **options})

    return make
