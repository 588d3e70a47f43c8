"""What `gemini --output-format stream-json` tells, in happenings."""

from __future__ import annotations

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


class GeminiReader(EventReader):
    """Words come in pieces, which end with any other event.

    Its output tells what was used when all is over; the file that it keeps tells it meanwhile.
    """

    kept: ClassVar[str] = ".gemini/tmp/*/chats/*.jsonl"

    def __init__(self) -> None:
        self._meter = Meter()
        self._pieces: list[str] = []

    def read(self, event: Event) -> Iterator[AgentEvent]:
        """Understand one event."""
        match event:
            case {"type": "message", "role": "assistant", "content": str(text)}:
                self._pieces.append(text)
                if event.get("delta"):
                    return
        yield from self.close()
        match event:
            case {"type": "init", "model": str(model)}:
                yield Introduced(model=model)
            case {"type": "tool_use", "tool_id": str(call), "tool_name": str(tool)}:
                if not tool.startswith(f"mcp_{SERVER}_"):
                    yield OwnCallStarted(call, tool, event.get("parameters") or {})
            case {"type": "tool_result", "tool_id": str(call)}:
                output = event.get("output") or _message(event.get("error"))
                yield OwnCallEnded(call, str(output), event.get("status") == "success")
            case {"type": "error", "severity": "error"}:
                yield Failed(_message(event))
            case {"type": "error"}:
                yield Troubled(_message(event))
            case {"type": "result"}:
                stats = event.get("stats")
                if isinstance(stats, dict):
                    yield from self._meter.total(_stats(stats))
                if event.get("status") == "error":
                    yield Failed(_message(event.get("error")))

    def read_kept(self, event: Event) -> Iterator[AgentEvent]:
        """Understand one entry of the chat that it keeps: only what it costs."""
        match event:
            case {"type": "gemini", "id": str(message), "tokens": dict(tokens)}:
                yield from self._meter.request(message, _kept(tokens))

    def close(self) -> Iterator[AgentEvent]:
        """The pieces so far are all of a message."""
        if self._pieces:
            yield AgentMessage("".join(self._pieces))
            self._pieces.clear()


def _message(error: Any) -> str:
    return str(error.get("message", "")) if isinstance(error, dict) else str(error or "")


def _stats(stats: Mapping[str, Any]) -> Tokens:
    return Tokens(
        prompt=_count(stats, "input_tokens"),
        completion=_count(stats, "output_tokens"),
        cached=_count(stats, "cached"),
    )


def _kept(tokens: Mapping[str, Any]) -> Tokens:
    return Tokens(
        prompt=_count(tokens, "input"),
        completion=_count(tokens, "output") + _count(tokens, "thoughts"),
        cached=_count(tokens, "cached"),
    )


def _count(counts: Mapping[str, Any], name: str) -> int:
    found = counts.get(name)
    return found if isinstance(found, int) else 0
