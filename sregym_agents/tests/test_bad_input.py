"""What arrives and is no request of a client that follows the rules."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from sregym_agents.gateway import Gateway
from sregym_core.interfaces import Stage
from sregym_core.model import Attempt
from sregym_testing import ScriptedSession

TOKEN = "token of the session"


def post(gateway: Gateway, path: str, body: bytes, token: str = TOKEN) -> tuple[int, Any]:
    """Ask while nobody drives the episode: what is refused must be refused at once."""
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    try:
        connection.request("POST", path, body, {"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.parametrize("path", ["/submit", "/tools/submit"])
@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"[" * 100_000, 400, "the body is nested too deeply"),
        (b'{"text": "\\ud800"}', 400, "the body holds characters that are no Unicode text"),
        (b"null", 400, "the body must be a JSON object"),
        (b"x" * 1_000_001, 413, "a request may have 1000000 bytes at most"),
    ],
)
def test_what_is_refused_at_the_door(
    gateway: Gateway, session: ScriptedSession, path: str, body: bytes, status: int, message: str
) -> None:
    assert post(gateway, path, body) == (status, {"message": message})
    gateway.take(0.0)
    assert session.submissions == []
    assert [(one.via, one.what, one.answer) for one in session.outside.attempts] == [
        ("gateway", f"POST {path}", str(status))
    ]


def test_doors_without_their_key_are_noted(gateway: Gateway, session: ScriptedSession) -> None:
    refused = {"message": "the session's token is missing or wrong"}
    assert post(gateway, "/submit", b"{}", token="guessed") == (401, refused)
    mcp = urlsplit(gateway.endpoints["mcp"])
    connection = http.client.HTTPConnection(mcp.netloc, timeout=30)
    connection.request("POST", mcp.path, b"{}")
    assert connection.getresponse().status == 401
    connection.close()
    gateway.take(0.0)
    at_s = session.outside.attempts[0].at_s
    assert session.outside.attempts == [
        Attempt(at_s=at_s, via="gateway", what="POST /submit", answer="401"),
        Attempt(at_s=at_s, via="mcp", what="POST /mcp", answer="401"),
    ]


def test_who_hangs_up_leaves_the_doors_open(gateway: Gateway, session: ScriptedSession) -> None:
    host, port = urlsplit(gateway.url).netloc.split(":")
    for content in (
        b"",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"POST /submit HTTP/1.1\r\nContent-Length: 100\r\n\r\n{",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(500)),
    ):
        for _ in range(10):
            with socket.create_connection((host, int(port)), 5) as line:
                line.sendall(content)
    answers: list[tuple[int, Any]] = []
    client = threading.Thread(
        target=lambda: answers.append(post(gateway, "/submit", b'{"text": "the cart"}'))
    )
    client.start()
    while client.is_alive():
        gateway.take(0.01)
    assert [status for status, _ in answers] == [200]
    assert session.submissions == ["the cart"]


def test_attempts_are_kept_up_to_a_number(
    new_session: Callable[..., ScriptedSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sregym_core.conductor.endpoint_calls.ATTEMPT_CAP", 3)
    session = new_session()
    tried = [Attempt(via="gateway", what=str(number)) for number in range(5)]
    session.note_attempts(tried[:2])
    session.note_attempts(tried[2:])
    assert [one.what for one in session.outside.attempts] == ["0", "1", "2"]


@pytest.mark.parametrize("chunked", [False, True])
def test_an_endless_message_to_mcp(
    gateway: Gateway, session: ScriptedSession, chunked: bool
) -> None:
    """It is not read to its end: nobody fills the harness's memory."""
    mcp = urlsplit(gateway.endpoints["mcp"])
    connection = http.client.HTTPConnection(mcp.netloc, timeout=30)
    body = (b"x" * 100_000 for _ in range(11)) if chunked else b"x" * 1_000_001
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    connection.request("POST", mcp.path, body, headers, encode_chunked=chunked)
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())) == (
        413,
        {"message": "a request may have 1000000 bytes at most"},
    )
    connection.close()
    gateway.take(0.0)
    assert [(one.via, one.what, one.answer) for one in session.outside.attempts] == [
        ("mcp", "POST /mcp", "413")
    ]


def mcp_call(number: int, name: str, arguments: object) -> bytes:
    params = {"name": name, "arguments": arguments}
    asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
    return json.dumps(asked).encode()


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "Parse error: EOF while parsing an object at line 1 column 1"),
        (b"[" * 100_000, 400, "Parse error: recursion limit exceeded at line 1 column 202"),
        (b"\xff", 400, "Parse error: expected value at line 1 column 1"),
        (mcp_call(1, "submit", []), 200, "Invalid request parameters"),
        (
            mcp_call(1, "submit", {}),
            200,
            "submit: argument 'text': missing",
        ),
        (
            mcp_call(1, "submit", {"text": 7}),
            200,
            "submit: argument 'text': must be text, not 7",
        ),
        (
            mcp_call(1, "submit", {"text": "x", "again": True}),
            200,
            "submit: argument 'again': unknown; there are: claims, text",
        ),
        (
            mcp_call(1, "submit", {"text": "x" * 70_000}),
            200,
            "a submission may have 64000 characters, this has 70000; nothing was submitted",
        ),
    ],
)
def test_what_mcp_does_not_understand_submits_nothing(
    gateway: Gateway, session: ScriptedSession, body: bytes, status: int, said: str
) -> None:
    mcp = urlsplit(gateway.endpoints["mcp"])
    headers = {
        "Authorization": f"Bearer {TOKEN}",
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
    }

    def ask() -> None:
        connection = http.client.HTTPConnection(mcp.netloc, timeout=30)
        connection.request("POST", mcp.path, body, headers)
        answer = connection.getresponse()
        found.append((answer.status, json.loads(answer.read())))
        connection.close()

    found: list[tuple[int, Any]] = []
    client = threading.Thread(target=ask)
    client.start()
    while client.is_alive():
        gateway.take(0.01)
    [(code, told)] = found
    if "result" in told:
        assert told["result"]["isError"] is True
        text = told["result"]["content"][0]["text"]
    else:
        text = told["error"]["message"]
    assert (code, text) == (status, said)
    assert session.submissions == []
    assert session.stage is Stage.DIAGNOSIS
