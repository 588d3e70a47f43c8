"""What the program tells, understood."""

from __future__ import annotations

from typing import Any

from sregym_agent_claude_code.events import ClaudeCodeReader
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
    reader = ClaudeCodeReader()
    found = [happening for event in events for happening in reader.read(event)]
    return [*found, *reader.close()]


def assistant(*parts: Any, **message: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": "msg_1", "content": list(parts), **message}}


def result(call: str, content: Any, **more: Any) -> dict[str, Any]:
    part = {"type": "tool_result", "tool_use_id": call, "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [part]}}


def test_words_thoughts_and_calls() -> None:
    session_call = {
        "type": "tool_use",
        "id": "1",
        "name": "mcp__operations__kubectl",
        "input": {"command": "get pods"},
    }
    own_call = {"type": "tool_use", "id": "2", "name": "Bash", "input": {"command": "ls"}}
    assert told(
        assistant({"type": "thinking", "thinking": "Perhaps the cart."}),
        assistant({"type": "text", "text": "I look."}, session_call),
        result("1", [{"type": "text", "text": "cart-0"}]),
        assistant(own_call),
        result("2", "no such command", is_error=True),
    ) == [
        AgentMessage("Perhaps the cart."),
        AgentMessage("I look."),
        OwnCallEnded("1", "cart-0", ok=True),
        OwnCallStarted("2", "Bash", {"command": "ls"}),
        OwnCallEnded("2", "no such command", ok=False),
    ]


def test_who_it_is() -> None:
    init = {"type": "system", "subtype": "init", "tools": []}
    assert told(init, {**init, "claude_code_version": "2.1", "model": "large"}) == [
        Introduced("", ""),
        Introduced("2.1", "large"),
    ]


def test_tokens_count_once() -> None:
    early = {"input_tokens": 30, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 60}
    late = {**early, "output_tokens": 25}
    start = {"type": "message_start", "message": {"id": "msg_1", "usage": early}}
    models = {
        "large": {"inputTokens": 40, "cacheReadInputTokens": 60, "outputTokens": 25},
        "small": {"inputTokens": 7, "cacheCreationInputTokens": 3, "outputTokens": 2},
    }
    assert told(
        {"type": "stream_event", "event": start},
        assistant({"type": "text", "text": "I look."}, usage={**early, "output_tokens": 1}),
        assistant({"type": "text", "text": "Again."}, usage={**early, "output_tokens": 1}),
        {"type": "stream_event", "event": {"type": "message_delta", "usage": late}},
        {"type": "result", "is_error": False, "usage": late, "modelUsage": models},
    ) == [
        Used(Tokens(prompt=100, completion=1, cached=60)),
        AgentMessage("I look."),
        AgentMessage("Again."),
        Used(Tokens(prompt=0, completion=24, cached=0)),
        Used(Tokens(prompt=10, completion=2, cached=0)),
    ]


def test_without_a_stream_the_end_tells_what_was_used() -> None:
    usage = {"input_tokens": 40, "cache_read_input_tokens": 60, "output_tokens": 25}
    assert told({"type": "result", "is_error": False, "usage": usage}) == [
        Used(Tokens(prompt=100, completion=25, cached=60))
    ]


def test_trouble() -> None:
    retry = {"type": "system", "subtype": "api_retry", "attempt": 1, "error_status": 401}
    assert told({**retry, "error": "authentication_failed"}) == [
        Troubled("authentication_failed (HTTP status 401)")
    ]


def test_failures() -> None:
    assert told(
        {"type": "result", "is_error": True, "result": "Invalid API key"},
        {"type": "result", "is_error": True, "subtype": "error_max_turns"},
        {"type": "result", "is_error": True},
    ) == [Failed("Invalid API key"), Failed("error_max_turns"), Failed("it does not say why")]


def test_what_is_not_known_says_nothing() -> None:
    assert (
        told(
            {},
            {"type": "system", "subtype": "compact_boundary"},
            {"type": "assistant"},
            {"type": "assistant", "message": {"content": "words"}},
            assistant({"type": "image"}, "words", None, {"type": "tool_use", "id": 3}),
            {"type": "user", "message": {"content": [{"type": "document"}]}},
            {"type": "stream_event", "event": {"type": "message_delta", "usage": None}},
            {"type": "stream_event"},
            {"type": "result", "usage": "none"},
            {"type": "weather", "message": {"content": []}},
        )
        == []
    )
