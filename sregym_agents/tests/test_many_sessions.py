"""Fifty sessions at once in one process, each closed to the tokens of the others."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable
from contextlib import ExitStack
from itertools import pairwise
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from sregym_agents.gateway import Gateway
from sregym_testing import ScriptedSession

SESSIONS = 50


def submit(gateway: Gateway, token: str, text: str) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {token}"}
    connection.request("POST", "/submit", json.dumps({"text": text}).encode(), headers)
    answer = connection.getresponse()
    try:
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_fifty_sessions(new_session: Callable[..., ScriptedSession]) -> None:
    sessions = [new_session() for _ in range(SESSIONS)]
    with ExitStack() as stack:
        gateways = [stack.enter_context(Gateway(session)) for session in sessions]
        assert len({gateway.token for gateway in gateways}) == SESSIONS
        strangers = [
            submit(gateway, other.token, "wrong door")[0] for gateway, other in pairwise(gateways)
        ]
        assert strangers == [401] * (SESSIONS - 1)
        answers: dict[int, tuple[int, Any]] = {}

        def act(number: int) -> None:
            gateway = gateways[number]
            answers[number] = submit(gateway, gateway.token, f"diagnosis {number}")

        clients = [Thread(target=act, args=(number,)) for number in range(SESSIONS)]
        for client in clients:
            client.start()
        while any(client.is_alive() for client in clients):
            for gateway in gateways:
                gateway.take(0.0005)
    assert [answers[number][0] for number in range(SESSIONS)] == [200] * SESSIONS
    assert [session.submissions for session in sessions] == [
        [f"diagnosis {number}"] for number in range(SESSIONS)
    ]
