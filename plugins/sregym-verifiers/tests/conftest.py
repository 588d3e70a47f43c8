"""A language model on loopback that says what a test scripts, by OpenAI's chat protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Endpoint(ThreadingHTTPServer):
    """Says one line of `script` for each message of its own that the conversation has.

    Attributes:
        script: What to say.
        asked: Bodies of requests.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[str] = []
        self.asked: list[dict[str, Any]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def completion(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        said = sum(message["role"] == "assistant" for message in body["messages"])
        message = {"role": "assistant", "content": self.script[said]}
        return {
            "id": f"chat-{len(self.asked)}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        whole = self.server.completion(body)
        kind, answer = "application/json", json.dumps(whole)
        if body.get("stream"):
            kind, answer = "text/event-stream", _streamed(whole)
        content = answer.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        pass


def _streamed(whole: dict[str, Any]) -> str:
    """The same in one piece of a stream, and its end."""
    [choice] = whole["choices"]
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    said = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks = [
        {**head, "choices": [said]},
        {**head, "choices": [end]},
        {**head, "choices": [], "usage": whole["usage"]},
    ]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
