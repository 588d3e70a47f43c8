"""What a process outside can do through the gateway, and what it is told when it may not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from sregym_agents.gateway import Gateway
from sregym_core.interfaces import Stage
from sregym_core.testing import Provision, ScriptedSession, Shop


@pytest.fixture
def session(provision: Provision) -> ScriptedSession:
    return ScriptedSession(Shop(), provision)


@pytest.fixture
def gateway(session: ScriptedSession) -> Iterator[Gateway]:
    with Gateway(session, token="secret") as gateway:
        yield gateway


def ask(
    gateway: Gateway, path: str, body: object = None, token: str = "secret"
) -> tuple[int, object]:
    content = None if body is None else json.dumps(body).encode()
    request = Request(gateway.url + path, data=content)
    request.add_header("Authorization", f"Bearer {token}")
    try:
        with urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def submit(gateway: Gateway, body: object) -> tuple[int, object]:
    """Submit from a thread, as a process outside would, while this one drives the episode."""
    with ThreadPoolExecutor(1) as outside:
        answer = outside.submit(ask, gateway, "/submit", body)
        assert gateway.take(10.0)
        return answer.result()


def test_tells_the_instruction(gateway: Gateway, session: ScriptedSession) -> None:
    assert ask(gateway, "/instruction") == (200, {"instruction": session.instruction})


def test_submissions_reach_the_session_in_order(gateway: Gateway, session: ScriptedSession) -> None:
    assert ask(gateway, "/status") == (200, {"stage": "diagnosis"})
    status, receipt = submit(gateway, {"text": "It is the cart.", "claims": {"component": "cart"}})
    assert (status, receipt["accepted"], receipt["stage"]) == (200, True, "mitigation")
    submit(gateway, {"text": "Done."})
    assert (session.submissions, session.stage) == (["It is the cart.", "Done."], Stage.DONE)


def test_nobody_enters_without_the_token(gateway: Gateway, session: ScriptedSession) -> None:
    answer = ask(gateway, "/submit", {"text": "It is the cart."}, token="guessed")
    assert answer == (401, {"message": "the session's token is missing or wrong"})
    assert session.submissions == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "the body needs a string field 'text'"),
        ({"text": 7}, "the body needs a string field 'text'"),
        ([1], "the body needs a string field 'text'"),
        (
            {"text": "x", "claims": {"no_such": 1}},
            "claims, field 'no_such': Extra inputs are not permitted",
        ),
    ],
)
def test_what_is_no_submission_is_refused(
    gateway: Gateway, session: ScriptedSession, body: object, message: str
) -> None:
    assert ask(gateway, "/submit", body) == (400, {"message": message})
    assert session.submissions == []


def test_taking_ends_when_nobody_submits(gateway: Gateway) -> None:
    assert gateway.take(0.01) is False
