"""What the program tells, understood."""

from __future__ import annotations

from typing import Any

from sregym_agent_codex.events import CodexReader
from sregym_agents.command_line import (
    AgentEvent,
    AgentMessage,
    Failed,
    Introduced,
    OwnCallEnded,
    OwnCallStarted,
    Troubled,
    Used,
)
from sregym_core.model import Tokens


def told(*events: dict[str, Any]) -> list[AgentEvent]:
    reader = CodexReader()
    found = [happening for event in events for happening in reader.read(event)]
    return [*found, *reader.close()]


def began(**item: Any) -> dict[str, Any]:
    return {"type": "item.started", "item": {"id": "1", "status": "in_progress", **item}}


def ended(**item: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": "1", "status": "completed", **item}}


def test_words_and_calls_of_the_session() -> None:
    call = {
        "type": "mcp_tool_call",
        "server": "operations",
        "tool": "kubectl",
        "arguments": {"command": "get pods"},
    }
    assert told(
        {"type": "thread.started", "thread_id": "t"},
        ended(type="reasoning", text="Perhaps the cart."),
        ended(type="agent_message", text="I look."),
        began(**call),
        ended(**call, result={"content": [{"type": "text", "text": "cart-0"}]}, error=None),
    ) == [
        AgentMessage("Perhaps the cart."),
        AgentMessage("I look."),
        OwnCallEnded("1", "cart-0", ok=True),
    ]


def test_calls_of_its_own() -> None:
    shell = {"type": "command_execution", "command": "ls"}
    files = {"type": "file_change", "changes": [{"path": "a", "kind": "add"}]}
    other = {"type": "mcp_tool_call", "server": "web", "tool": "fetch", "arguments": None}
    assert told(
        began(**shell),
        ended(**shell, aggregated_output="no such file", exit_code=2),
        ended(**files),
        ended(**other, error={"message": "not there"}, status="failed"),
        ended(**other, error=None, result={"ok": True}),
        ended(type="web_search", query="kubernetes"),
    ) == [
        OwnCallStarted("1", "shell", {"command": "ls"}),
        OwnCallStarted("1", "shell", {"command": "ls"}),
        OwnCallEnded("1", "no such file", ok=False),
        OwnCallStarted("1", "file_change", {"changes": [{"path": "a", "kind": "add"}]}),
        OwnCallEnded("1", "", ok=True),
        OwnCallStarted("1", "web.fetch", {}),
        OwnCallEnded("1", "not there", ok=False),
        OwnCallStarted("1", "web.fetch", {}),
        OwnCallEnded("1", '{"ok": true}', ok=True),
        OwnCallStarted("1", "web_search", {"query": "kubernetes"}),
        OwnCallEnded("1", "", ok=True),
    ]


def test_who_it_is() -> None:
    reader = CodexReader()
    meta = {"type": "session_meta", "payload": {"id": "s", "cli_version": "0.169.0"}}
    assert list(reader.read_kept(meta)) == [Introduced(version="0.169.0")]
    context = {"type": "turn_context", "payload": {"cwd": "/work", "model": "large"}}
    assert list(reader.read_kept(context)) == [Introduced(model="large")]


def test_tokens_count_once() -> None:
    def used(times: int) -> dict[str, int]:
        return {
            "input_tokens": 100 * times,
            "cached_input_tokens": 60 * times,
            "output_tokens": 10 * times,
            "reasoning_output_tokens": 4 * times,
        }

    def kept(times: int) -> dict[str, Any]:
        info = {"total_token_usage": used(times), "last_token_usage": used(1)}
        return {"type": "event_msg", "payload": {"type": "token_count", "info": info}}

    reader = CodexReader()
    one = Used(Tokens(prompt=100, completion=10, cached=60))
    assert list(reader.read_kept(kept(1))) == [one]
    assert list(reader.read_kept(kept(1))) == []
    assert list(reader.read_kept(kept(2))) == [one]
    assert list(reader.read({"type": "turn.completed", "usage": used(3)})) == [one]
    assert list(reader.read_kept(kept(3))) == []


def test_failures() -> None:
    assert told(
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "turn.failed", "error": {"message": "stream disconnected"}},
        {"type": "turn.failed", "error": {}},
    ) == [
        Troubled("Reconnecting... 1/5"),
        Failed("stream disconnected"),
        Failed("it does not say why"),
    ]


def test_what_is_not_known_says_nothing() -> None:
    assert (
        told(
            {},
            {"type": "turn.started"},
            {"type": "item.started"},
            {"type": "item.completed", "item": "words"},
            ended(type="error", message="this is deprecated"),
            ended(type="agent_message", text=None),
            ended(type="todo_list", items=[]),
            {"type": "turn.completed", "usage": None},
            {"type": "weather"},
        )
        == []
    )
    reader = CodexReader()
    for entry in ({}, {"type": "event_msg", "payload": {"type": "token_count", "info": None}}):
        assert list(reader.read_kept(entry)) == []
