"""How providers of language models speak: requests read, scripted turns written.

Each protocol is a function from a request's body, a turn and a number to an answer; those that
stream give server-sent events.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sregym_agents.testing.script import CACHED_TOKENS, COMPLETION_TOKENS, PROMPT_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sregym_agents.testing.script import Turn

MODEL = "scripted"
JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Answer:
    """What goes back over the wire."""

    content_type: str
    content: bytes


@dataclass(frozen=True)
class Protocol:
    """How one provider speaks.

    Attributes:
        path: What the path of a request to a model contains.
        tools: Names of the tools that a request offers.
        answer: The answer to a request: its path, its body, the turn, and its number.
    """

    path: str
    tools: Callable[[dict[str, Any]], Sequence[str]]
    answer: Callable[[str, dict[str, Any], Turn, int], Answer]


def _json(content: Any) -> Answer:
    return Answer(JSON, json.dumps(content).encode())


def _events(events: Sequence[dict[str, Any]]) -> Answer:
    """Server-sent events, each named for its type where it has one."""
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if "type" in event else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n")
    return Answer(EVENTS, "".join(lines).encode())


# OpenAI, chat completions.


def _chat_tools(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools", ())]


def _chat(_path: str, body: dict[str, Any], turn: Turn, number: int) -> Answer:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text or None}
    if turn.tool:
        name = turn.named(_chat_tools(body))
        function = {"name": name, "arguments": json.dumps(turn.arguments)}
        call = {"id": f"call-{number}", "type": "function", "function": function}
        message["tool_calls"] = [call]
    reason = "tool_calls" if turn.tool else "stop"
    return _json(
        {
            "id": f"answer-{number}",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": MODEL,
            "choices": [{"index": 0, "finish_reason": reason, "message": message}],
            "usage": {
                "prompt_tokens": PROMPT_TOKENS,
                "prompt_tokens_details": {"cached_tokens": CACHED_TOKENS},
                "completion_tokens": COMPLETION_TOKENS,
                "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
            },
        }
    )


# OpenAI, responses.


def _responses_tools(body: dict[str, Any]) -> list[str]:
    """Tools may come in namespaces, one for each MCP server."""
    names = []
    for tool in body.get("tools", ()):
        inner = tool.get("tools", ()) if tool.get("type") == "namespace" else ()
        names += [one["name"] for one in inner] or [tool.get("name", tool.get("type", ""))]
    return names


def _namespace(body: dict[str, Any], name: str) -> str | None:
    for tool in body.get("tools", ()):
        if tool.get("type") == "namespace" and name in [one["name"] for one in tool["tools"]]:
            return str(tool["name"])
    return None


def _responses(_path: str, body: dict[str, Any], turn: Turn, number: int) -> Answer:
    items: list[dict[str, Any]] = []
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        items.append(
            {
                "type": "message",
                "id": f"message-{number}",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        )
    if turn.tool:
        name = turn.named(_responses_tools(body))
        call = {
            "type": "function_call",
            "id": f"item-{number}",
            "call_id": f"call-{number}",
            "name": name,
            "arguments": json.dumps(turn.arguments),
            "status": "completed",
        }
        space = _namespace(body, name)
        items.append(call if space is None else {**call, "namespace": space})
    response = {"id": f"answer-{number}", "object": "response", "model": MODEL}
    usage = {
        "input_tokens": PROMPT_TOKENS,
        "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
        "output_tokens": COMPLETION_TOKENS,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": PROMPT_TOKENS + COMPLETION_TOKENS,
    }
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress"}}
    ]
    for index, item in enumerate(items):
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": item},
            {"type": "response.output_item.done", "output_index": index, "item": item},
        ]
    completed = {**response, "status": "completed", "output": items, "usage": usage}
    return _events([*events, {"type": "response.completed", "response": completed}])


# Anthropic, messages.


def _messages_tools(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body.get("tools", ())]


def _messages(_path: str, body: dict[str, Any], turn: Turn, number: int) -> Answer:
    blocks: list[dict[str, Any]] = []
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    if turn.tool:
        name = turn.named(_messages_tools(body))
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": turn.arguments}
        )
    usage = {
        "input_tokens": PROMPT_TOKENS - CACHED_TOKENS,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": CACHED_TOKENS,
        "output_tokens": COMPLETION_TOKENS,
    }
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", MODEL),
        "content": blocks,
        "stop_reason": "tool_use" if turn.tool else "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    if not body.get("stream"):
        return _json(message)
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {
                **message,
                "content": [],
                "stop_reason": None,
                "usage": {**usage, "output_tokens": 1},
            },
        }
    ]
    for index, block in enumerate(blocks):
        events += _block(index, block)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    return _events(
        [
            *events,
            {"type": "message_delta", "delta": ending, "usage": usage},
            {"type": "message_stop"},
        ]
    )


def _block(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        empty: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "content_block_start", "index": index, "content_block": empty},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


# Google, generateContent.


def _generate_tools(body: dict[str, Any]) -> list[str]:
    return [
        function["name"]
        for tool in body.get("tools", ())
        for function in tool.get("functionDeclarations", ())
    ]


def _generate(path: str, body: dict[str, Any], turn: Turn, number: int) -> Answer:
    parts: list[dict[str, Any]] = [{"text": turn.text}] if turn.text else []
    if turn.tool:
        name = turn.named(_generate_tools(body))
        call = {"id": f"call-{number}", "name": name, "args": turn.arguments}
        parts.append({"functionCall": call})
    content = {
        "responseId": f"answer-{number}",
        "modelVersion": MODEL,
        "candidates": [
            {"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}
        ],
        "usageMetadata": {
            "promptTokenCount": PROMPT_TOKENS,
            "cachedContentTokenCount": CACHED_TOKENS,
            "candidatesTokenCount": COMPLETION_TOKENS,
            "totalTokenCount": PROMPT_TOKENS + COMPLETION_TOKENS,
        },
    }
    return _events([content]) if ":streamGenerateContent" in path else _json(content)


PROTOCOLS = (
    Protocol("/chat/completions", _chat_tools, _chat),
    Protocol("/responses", _responses_tools, _responses),
    Protocol("/messages", _messages_tools, _messages),
    Protocol("enerateContent", _generate_tools, _generate),
)
