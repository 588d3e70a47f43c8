"""The gateway over real HTTP, in front of a real session."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any
from urllib.parse import urlsplit

import pytest
from sregym_agents.gateway import Gateway
from sregym_agents.http_api import BODY_CAP_BYTES
from sregym_core.interfaces import Stage
from sregym_core.model import Claims
from sregym_mode_basic.modes import mode_named
from sregym_testing import Provision, ScriptedSession, Shop

TOKEN = "token of the session"


@pytest.fixture
def session(provision: Provision) -> ScriptedSession:
    return ScriptedSession(Shop(), provision)


@pytest.fixture
def gateway(session: ScriptedSession) -> Iterator[Gateway]:
    with Gateway(session, TOKEN) as served:
        yield served


def ask(
    gateway: Gateway, method: str, path: str, body: Any = None, token: str | None = TOKEN
) -> tuple[int, Any]:
    """Status and JSON of an answer; a body that is no bytes is sent as JSON."""
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    try:
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def submit(gateway: Gateway, body: Any) -> tuple[int, Any]:
    """Submit from another thread while this one drives the episode."""
    with ThreadPoolExecutor(1) as executor:
        answer = executor.submit(ask, gateway, "POST", "/submit", body)
        while not answer.done():
            gateway.take(0.01)
        return answer.result()


def test_it_listens_on_loopback_on_a_port_of_its_own(gateway: Gateway) -> None:
    address = urlsplit(gateway.url)
    assert (address.scheme, address.hostname) == ("http", "127.0.0.1")
    assert address.port is not None
    assert address.port >= 1024


def test_each_session_has_a_secret_of_its_own(session: ScriptedSession) -> None:
    first, second = Gateway(session), Gateway(session)
    assert first.token != second.token
    assert len(first.token) >= 32


@pytest.mark.parametrize(
    "token", [None, "", "another", TOKEN + "x", "t\u00f6ken".encode().decode("latin-1")]
)
@pytest.mark.parametrize("path", ["/instruction", "/status", "/submit", "/nowhere"])
def test_who_has_no_token_learns_nothing(gateway: Gateway, path: str, token: str | None) -> None:
    method = "POST" if path == "/submit" else "GET"
    assert ask(gateway, method, path, token=token) == (
        401,
        {"message": "the session's token is missing or wrong"},
    )


def test_instruction_and_status(gateway: Gateway, session: ScriptedSession) -> None:
    assert ask(gateway, "GET", "/instruction") == (200, {"instruction": session.instruction})
    stages = ["diagnosis", "mitigation"]
    told = {"mode": "standard", "submissions": stages, "watching": False}
    assert ask(gateway, "GET", "/status") == (200, {"stage": "diagnosis", **told})
    session.submit("it is the cart")
    assert ask(gateway, "GET", "/status") == (200, {"stage": "mitigation", **told})


def test_two_submissions_and_no_third(gateway: Gateway, session: ScriptedSession) -> None:
    claims = {"component": "cart", "affected": ["web"]}
    assert submit(gateway, {"text": "it is the cart", "claims": claims}) == (
        200,
        {
            "accepted": True,
            "stage": "mitigation",
            "message": "diagnosis received; mitigation comes next",
        },
    )
    assert submit(gateway, {"text": "repaired", "claims": None}) == (
        200,
        {"accepted": True, "stage": "done", "message": "mitigation received; the episode ends"},
    )
    assert submit(gateway, {"text": "again"}) == (
        409,
        {"message": "both stages were submitted already"},
    )
    assert session.submissions == ["it is the cart", "repaired"]
    handed_in = session.transcript[0].arguments["claims"]
    assert Claims.model_validate_json(handed_in) == Claims(component="cart", affected=("web",))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body needs a string field 'text'"),
        (
            b"{",
            "the body is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
        (
            b"\xff\xfe",
            "the body is not JSON: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
        ([], "the body must be a JSON object"),
        ({}, "the body needs a string field 'text'"),
        ({"text": 5}, "the body needs a string field 'text'"),
        (
            {"text": "x", "claims": "cart"},
            "claims, it must be a mapping, not 'cart'",
        ),
        (
            {"text": "x", "claims": {"componnet": "cart"}},
            "claims, field 'componnet': unknown; did you mean 'component'?",
        ),
        (
            {"text": "x", "claims": {"affected": [{}]}},
            "claims, field 'affected[0]': must be text, not a mapping",
        ),
    ],
)
def test_what_cannot_be_understood_submits_nothing(
    gateway: Gateway, session: ScriptedSession, body: Any, message: str
) -> None:
    assert ask(gateway, "POST", "/submit", body) == (400, {"message": message})
    assert session.stage is Stage.DIAGNOSIS


def test_endless_submissions(gateway: Gateway, session: ScriptedSession) -> None:
    assert submit(gateway, {"text": "x" * 64_001}) == (
        200,
        {
            "accepted": False,
            "stage": "diagnosis",
            "message": "a submission may have 64000 characters, this has 64001; nothing was submitted",
        },
    )
    assert ask(gateway, "POST", "/submit", b"x" * (BODY_CAP_BYTES + 1)) == (
        413,
        {"message": "a request may have 1000000 bytes at most"},
    )
    assert session.submissions == []


def test_who_comes_too_late_is_told(session: ScriptedSession) -> None:
    """Nobody takes submissions any more, but the gateway still stands."""
    with ThreadPoolExecutor(1) as executor:
        with Gateway(session, TOKEN) as gateway:
            answer = executor.submit(ask, gateway, "POST", "/submit", {"text": "late"})
            while not gateway.waiting and not answer.done():
                wait([answer], 0.01)
        assert answer.result() == (410, {"message": "the session is over"})
    assert session.submissions == []


def test_the_task_and_the_alerts_are_told(provision: Provision) -> None:
    alerts = {"version": "4", "alerts": [{"labels": {"alertname": "NobodyBuys"}}]}
    session = ScriptedSession(Shop(), provision, mode=mode_named("one-shot"), alerts=alerts)
    with Gateway(session, TOKEN) as gateway:
        assert ask(gateway, "GET", "/alerts-payload") == (200, alerts)
        told = {"mode": "one-shot", "submissions": ["diagnosis"], "watching": False}
        assert ask(gateway, "GET", "/status") == (200, {"stage": "diagnosis", **told})
        assert submit(gateway, {"text": "the cart"})[1]["stage"] == "done"
        assert submit(gateway, {"text": "done"}) == (
            409,
            {"message": "the diagnosis was submitted already"},
        )


def test_a_session_without_alerts_says_so(gateway: Gateway) -> None:
    assert ask(gateway, "GET", "/alerts-payload") == (
        404,
        {"message": "this session began without an alert"},
    )


def test_who_is_connected_when_it_ends(session: ScriptedSession) -> None:
    with Gateway(session) as gateway:
        doors = {(urlsplit(url).hostname, urlsplit(url).port) for url in gateway.endpoints.values()}
        lines = [socket.create_connection(door) for door in doors for _ in range(2)]
    assert len(doors) == 1, "MCP stands beneath the API"
    assert [line.recv(1) for line in lines] == [b""] * 2
    for line in lines:
        line.close()
