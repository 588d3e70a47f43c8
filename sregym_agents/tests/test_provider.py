"""The scripted provider, asked as each vendor's clients ask."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from sregym_agents.testing import Provider, Turn, final_message, provider, use

TURN = use("kubectl", "I look.", command="get pods")
FUNCTION = {"name": "mcp__operations__kubectl", "parameters": {"type": "object"}}


@pytest.fixture
def server() -> Iterator[Provider]:
    with provider(TURN, final_message("I am done.")) as serving:
        yield serving


def ask(server: Provider, path: str, body: dict[str, Any], **headers: str) -> tuple[int, str]:
    content = json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, content, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def events(text: str) -> list[dict[str, Any]]:
    lines = text.split("\n")
    found = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data:")]
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event:")]
    assert names in ([], [event.get("type") for event in found])
    return found


def test_chat_completions(server: Provider) -> None:
    body = {"tools": [{"type": "function", "function": FUNCTION}], "messages": []}
    status, text = ask(server, "/v1/chat/completions", body, Authorization="Bearer abc")
    answer = json.loads(text)
    [choice] = answer["choices"]
    call = {"name": "mcp__operations__kubectl", "arguments": '{"command": "get pods"}'}
    assert (status, choice) == (
        200,
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "I look.",
                "tool_calls": [{"id": "call-1", "type": "function", "function": call}],
            },
        },
    )
    assert answer["usage"] == {
        "prompt_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens": 10,
        "total_tokens": 110,
    }
    assert (server.asked, server.keys) == ([body], ["Bearer abc"])
    assert server.offered == [("mcp__operations__kubectl",)]


def test_responses(server: Provider) -> None:
    space = {"type": "namespace", "name": "mcp__operations", "tools": [{"name": "kubectl"}]}
    body = {"stream": True, "tools": [{"type": "web_search"}, space]}
    found = events(ask(server, "/v1/responses", body)[1])
    message = {
        "type": "message",
        "id": "message-1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
    }
    call = {
        "type": "function_call",
        "id": "item-1",
        "call_id": "call-1",
        "name": "kubectl",
        "arguments": '{"command": "get pods"}',
        "status": "completed",
        "namespace": "mcp__operations",
    }
    assert [event["type"].removeprefix("response.") for event in found] == [
        "created",
        *("output_item.added", "output_item.done"),
        *("output_item.added", "output_item.done"),
        "completed",
    ]
    assert [event["item"] for event in found[1:5]] == [message, message, call, call]
    assert found[5]["response"]["output"] == [message, call]
    assert found[5]["response"]["usage"]["input_tokens_details"] == {"cached_tokens": 60}
    assert server.offered == [("web_search", "kubectl")]


def test_messages(server: Provider) -> None:
    tools = [{"name": "mcp__operations__kubectl"}]
    text = ask(server, "/v1/messages?beta=true", {"tools": tools, "stream": True})[1]
    found = events(text)
    usage = {
        "input_tokens": 40,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 60,
        "output_tokens": 10,
    }
    assert found[1:] == [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "I look."},
        },
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "mcp__operations__kubectl",
                "input": {},
            },
        },
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": '{"command": "get pods"}'},
        },
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": usage,
        },
        {"type": "message_stop"},
    ]
    start = found[0]["message"]
    assert (start["content"], start["usage"]) == ([], {**usage, "output_tokens": 1})
    whole = json.loads(ask(server, "/v1/messages", {"tools": tools, "model": "large"})[1])
    assert (whole["content"], whole["stop_reason"], whole["model"]) == (
        [{"type": "text", "text": "I am done."}],
        "end_turn",
        "large",
    )


def test_generate_content(server: Provider) -> None:
    body = {"tools": [{"functionDeclarations": [{"name": "mcp_operations_kubectl"}]}]}
    base = "/v1beta/models/scripted"
    headers = {"x-goog-api-key": "abc"}
    text = ask(server, f"{base}:streamGenerateContent?alt=sse", body, **headers)[1]
    [streamed] = events(text)
    call = {"id": "call-1", "name": "mcp_operations_kubectl", "args": {"command": "get pods"}}
    [candidate] = streamed["candidates"]
    assert candidate["content"]["parts"] == [{"text": "I look."}, {"functionCall": call}]
    assert streamed["usageMetadata"] == {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 60,
        "candidatesTokenCount": 10,
        "totalTokenCount": 110,
    }
    whole = json.loads(ask(server, f"{base}:generateContent", body, **headers)[1])
    assert whole["candidates"][0]["content"]["parts"] == [{"text": "I am done."}]
    assert server.keys == ["abc", "abc"]


def test_requests_without_tools_take_no_turn(server: Provider) -> None:
    aside = json.loads(ask(server, "/v1/messages", {"messages": []})[1])
    assert aside["content"] == [{"type": "text", "text": "Nothing to add."}]
    assert (server.asked, server.aside) == ([], [{"messages": []}])


def test_refusals_and_other_addresses(server: Provider) -> None:
    server.status = 401
    status, text = ask(server, "/v1/messages", {"tools": [{"name": "kubectl"}]})
    assert (status, json.loads(text)["error"]["message"]) == (401, "not today")
    assert ask(server, "/v1/models", {})[0] == 404
    assert server.others == ["POST /v1/models"]


def test_names_of_tools() -> None:
    offered = ("mcp_operations_query_metrics_range", "mcp_operations_query_metrics", "wait")
    assert Turn(tool="query_metrics").named(offered) == "mcp_operations_query_metrics"
    assert Turn(tool="wait").named(offered) == "wait"
    assert Turn(tool="submit").named(offered) == "submit"
