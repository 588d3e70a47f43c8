"""What `codex exec --json` tells, in happenings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_agents.command_line import (
    SERVER,
    AgentEvent,
    AgentMessage,
    Event,
    EventReader,
    Failed,
    Introduced,
    Meter,
    OwnCallEnded,
    OwnCallStarted,
    Troubled,
)
from sregym_core.model import Tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class CodexReader(EventReader):
    """Its output tells the cost of a turn when it is over; the file it keeps tells it meanwhile."""

    kept: ClassVar[str] = ".codex/sessions/**/*.jsonl"

    def __init__(self) -> None:
        self._meter = Meter()
        self._failure = ""

    def read(self, event: Event) -> Iterator[AgentEvent]:
        """Understand one event."""
        match event:
            case {"type": "item.started", "item": dict(item)}:
                yield from _began(item)
            case {"type": "item.completed", "item": dict(item)}:
                yield from _ended(item)
            case {"type": "turn.completed", "usage": dict(usage)}:
                yield from self._meter.total(_tokens(usage))
            case {"type": "error", "message": str(message)}:
                yield Troubled(message)
            case {"type": "turn.failed", "error": dict(error)}:
                yield Failed(str(error.get("message", "it does not say why")))

    def read_kept(self, event: Event) -> Iterator[AgentEvent]:
        """Understand one entry of the session that it keeps: who acts, and what it costs."""
        match event:
            case {"type": "session_meta", "payload": {"cli_version": str(version)}}:
                yield Introduced(version=version)
            case {"type": "turn_context", "payload": {"model": str(model)}}:
                yield Introduced(model=model)
            case {
                "type": "event_msg",
                "payload": {"type": "token_count", "info": {"total_token_usage": dict(usage)}},
            }:
                yield from self._meter.total(_tokens(usage))


def _began(item: Mapping[str, Any]) -> Iterator[AgentEvent]:
    call = str(item.get("id", ""))
    match item:
        case {"type": "command_execution"}:
            yield OwnCallStarted(call, "shell", {"command": item.get("command", "")})
        case {"type": "mcp_tool_call"}:
            if item.get("server") != SERVER:
                tool = f"{item.get('server')}.{item.get('tool')}"
                yield OwnCallStarted(call, tool, item.get("arguments") or {})
        case {"type": "file_change"}:
            yield OwnCallStarted(call, "file_change", {"changes": item.get("changes", [])})
        case {"type": "web_search"}:
            yield OwnCallStarted(call, "web_search", {"query": item.get("query", "")})


def _ended(item: Mapping[str, Any]) -> Iterator[AgentEvent]:
    match item:
        case {"type": "agent_message" | "reasoning", "text": str(text)}:
            yield AgentMessage(text)
        case {"type": "command_execution" | "mcp_tool_call" | "file_change" | "web_search"}:
            # Some begin and end in one event.
            yield from _began(item)
            ok = item.get("status", "completed") == "completed" and not item.get("exit_code")
            yield OwnCallEnded(str(item.get("id", "")), _output(item), ok)


def _output(item: Mapping[str, Any]) -> str:
    if "aggregated_output" in item:
        return str(item["aggregated_output"])
    match item:
        case {"error": {"message": str(message)}}:
            return message
        case {"result": {"content": list(parts)}}:
            return "\n".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))
        case {"result": result} if result is not None:
            return json.dumps(result)
    return ""


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    def count(name: str) -> int:
        found = usage.get(name)
        return found if isinstance(found, int) else 0

    return Tokens(
        prompt=count("input_tokens"),
        completion=count("output_tokens"),
        cached=count("cached_input_tokens"),
    )
