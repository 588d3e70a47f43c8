"""What `claude --output-format stream-json` tells, in happenings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


class ClaudeCodeReader(EventReader):
    """Messages come whole, a part at a time; what they cost comes with the raw stream between."""

    def __init__(self) -> None:
        self._meter = Meter()
        self._message = ""

    def read(self, event: Event) -> Iterator[AgentEvent]:
        """Understand one event."""
        match event:
            case {"type": "system", "subtype": "init"}:
                version, model = event.get("claude_code_version"), event.get("model")
                yield Introduced(str(version or ""), str(model or ""))
            case {"type": "system", "subtype": "api_retry"}:
                yield Troubled(f"{event.get('error')} (HTTP status {event.get('error_status')})")
            case {"type": "assistant", "message": {"content": list(parts)} as message}:
                yield from self._spent(str(message.get("id", "")), message.get("usage"))
                for part in parts:
                    yield from _part(part)
            case {"type": "user", "message": {"content": list(parts)}}:
                for part in parts:
                    yield from _part(part)
            case {"type": "stream_event", "event": {"type": "message_start", "message": message}}:
                self._message = str(message.get("id", ""))
            case {"type": "stream_event", "event": {"type": "message_delta", "usage": usage}}:
                yield from self._spent(self._message, usage)
            case {"type": "result"}:
                yield from self._result(event)

    def _spent(self, message: str, usage: Any) -> Iterator[AgentEvent]:
        if isinstance(usage, dict) and message:
            yield from self._meter.request(message, _tokens(usage))

    def _result(self, event: Event) -> Iterator[AgentEvent]:
        """The end. What models on the side have used is told here alone."""
        models = event.get("modelUsage")
        used = [_model_tokens(model) for model in models.values()] if models else []
        if not used and isinstance(event.get("usage"), dict):
            used = [_tokens(event["usage"])]
        total = Tokens(
            prompt=sum(one.prompt for one in used),
            completion=sum(one.completion for one in used),
            cached=sum(one.cached for one in used),
        )
        yield from self._meter.total(total)
        if event.get("is_error"):
            yield Failed(str(event.get("result") or event.get("subtype") or "it does not say why"))


def _part(part: Any) -> Iterator[AgentEvent]:
    match part:
        case {"type": "text", "text": str(text)}:
            yield AgentMessage(text)
        case {"type": "thinking", "thinking": str(text)}:
            yield AgentMessage(text)
        case {"type": "tool_use", "id": str(call), "name": str(tool), "input": dict(arguments)}:
            if not tool.startswith(f"mcp__{SERVER}__"):
                yield OwnCallStarted(call, tool, arguments)
        case {"type": "tool_result", "tool_use_id": str(call)}:
            yield OwnCallEnded(call, _text(part.get("content")), not part.get("is_error"))


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")


def _tokens(usage: Mapping[str, Any]) -> Tokens:
    """The provider tells three parts of a prompt; together they are the prompt."""
    cached = _count(usage, "cache_read_input_tokens")
    fresh = _count(usage, "input_tokens") + _count(usage, "cache_creation_input_tokens")
    return Tokens(prompt=fresh + cached, completion=_count(usage, "output_tokens"), cached=cached)


def _model_tokens(usage: Mapping[str, Any]) -> Tokens:
    cached = _count(usage, "cacheReadInputTokens")
    fresh = _count(usage, "inputTokens") + _count(usage, "cacheCreationInputTokens")
    return Tokens(prompt=fresh + cached, completion=_count(usage, "outputTokens"), cached=cached)


def _count(usage: Mapping[str, Any], name: str) -> int:
    found = usage.get(name)
    return found if isinstance(found, int) else 0
