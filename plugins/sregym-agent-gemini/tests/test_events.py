"""What the program tells, understood."""

from __future__ import annotations

from typing import Any

from sregym_agent_gemini.events import GeminiReader
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
    reader = GeminiReader()
    found = [happening for event in events for happening in reader.read(event)]
    return [*found, *reader.close()]


def piece(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": text, "delta": True, **more}


def call(tool: str, **parameters: Any) -> dict[str, Any]:
    return {"type": "tool_use", "tool_name": tool, "tool_id": "1", "parameters": parameters}


def test_words_come_in_pieces() -> None:
    assert told(
        {"type": "init", "model": "scripted"},
        {"type": "message", "role": "user", "content": "Repair it."},
        piece("I lo"),
        piece("ok."),
        call("mcp_operations_kubectl", command="get pods"),
        {"type": "tool_result", "tool_id": "1", "status": "success", "output": "cart-0"},
        piece("Whole.", delta=False),
        piece("All is"),
        piece(" well."),
    ) == [
        Introduced(model="scripted"),
        AgentMessage("I look."),
        OwnCallEnded("1", "cart-0", ok=True),
        AgentMessage("Whole."),
        AgentMessage("All is well."),
    ]


def test_calls_of_its_own() -> None:
    error = {"type": "not_found", "message": "no such file"}
    assert told(
        call("read_file", path="notes.txt"),
        {"type": "tool_result", "tool_id": "1", "status": "error", "error": error},
    ) == [
        OwnCallStarted("1", "read_file", {"path": "notes.txt"}),
        OwnCallEnded("1", "no such file", ok=False),
    ]


def test_tokens_count_once() -> None:
    reader = GeminiReader()
    tokens = {"input": 100, "output": 10, "cached": 60, "thoughts": 5, "tool": 0, "total": 115}
    entry = {"type": "gemini", "id": "a", "content": "I look.", "tokens": tokens}
    one = Used(Tokens(prompt=100, completion=15, cached=60))
    assert list(reader.read_kept(entry)) == [one]
    assert list(reader.read_kept({**entry, "toolCalls": []})) == []
    assert list(reader.read_kept({**entry, "id": "b"})) == [one]
    stats = {"input_tokens": 300, "output_tokens": 40, "cached": 180, "total_tokens": 355}
    assert list(reader.read({"type": "result", "status": "success", "stats": stats})) == [
        Used(Tokens(prompt=100, completion=10, cached=60))
    ]


def test_failures() -> None:
    assert told(
        {"type": "error", "severity": "warning", "message": "Loop detected"},
        {"type": "error", "severity": "error", "message": "Maximum session turns exceeded"},
        {"type": "result", "status": "error", "error": {"message": "quota"}, "stats": {}},
    ) == [Troubled("Loop detected"), Failed("Maximum session turns exceeded"), Failed("quota")]


def test_what_is_not_known_says_nothing() -> None:
    assert (
        told(
            {},
            {"type": "message", "role": "assistant", "content": None},
            {"type": "tool_use", "tool_name": 5},
            {"type": "result", "status": "success", "stats": None},
            {"type": "weather"},
        )
        == []
    )
    reader = GeminiReader()
    for entry in ({}, {"$set": {}}, {"type": "gemini", "id": "a", "tokens": None}):
        assert list(reader.read_kept(entry)) == []
