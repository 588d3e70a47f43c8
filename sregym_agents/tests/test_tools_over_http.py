"""Tools over the HTTP API, and its description."""

from __future__ import annotations

import http.client
import json
from dataclasses import asdict
from typing import Any
from urllib.parse import urlsplit

import jsonschema
from sregym_agents.gateway import Gateway
from sregym_agents.inbox import Inbox, SessionOverError
from sregym_testing import ScriptedSession


def ask(gateway: Gateway, method: str, path: str, body: Any = None, token: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token or gateway.token}"}
    connection = http.client.HTTPConnection(urlsplit(gateway.url).netloc, timeout=30)
    content = None if body is None else json.dumps(body).encode()
    connection.request(method, path, content, headers)
    answer = connection.getresponse()
    try:
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_tools_are_listed(gateway: Gateway, session: ScriptedSession) -> None:
    assert ask(gateway, "GET", "/tools") == (
        200,
        {"tools": [asdict(tool) for tool in session.tools]},
    )


def test_a_tool_is_the_same_as_in_process(
    gateway: Gateway, session: ScriptedSession, drive: Any
) -> None:
    async def act() -> Any:
        return [
            ask(gateway, "POST", "/tools/kubectl", {"command": "kubectl version"}),
            ask(gateway, "POST", "/tools/alerts", {"wrong": 1}),
            ask(gateway, "POST", "/tools/status"),
        ]

    first, second, third = drive(gateway, act)
    in_process = session.call("kubectl", {"command": "kubectl version"})
    assert first == (200, asdict(in_process))
    wrong = "alerts: argument 'wrong': unknown; there are: page"
    assert second == (200, {"text": wrong, "ok": False, "page": 1, "pages": 1})
    assert third[1]["text"].startswith("next: submit the diagnosis\nit is ")


def test_the_description_names_every_path(gateway: Gateway, session: ScriptedSession) -> None:
    status, content = ask(gateway, "GET", "/openapi.json", token="none")
    assert (status, content["openapi"]) == (200, "3.1.0")
    assert sorted(content["paths"]) == sorted(
        ["/alerts-payload", "/instruction", "/status", "/submit", "/tools"]
        + [f"/tools/{tool.name}" for tool in session.tools]
    )
    for path in content["paths"].values():
        for operation in path.values():
            body = operation.get("requestBody", {"content": {}})
            for media in [*body["content"].values(), *_answers(operation)]:
                jsonschema.Draft202012Validator.check_schema(media["schema"])


def _answers(operation: Any) -> list[Any]:
    return [
        media for answer in operation["responses"].values() for media in answer["content"].values()
    ]


def test_who_went_away_before_is_not_served() -> None:
    inbox, done = Inbox(), []
    gone = inbox.post(lambda: done.append("gone"))
    stays = inbox.post(lambda: done.append("stays"))
    assert gone.cancel()
    assert (inbox.take(0), inbox.take(0), inbox.take(0)) == (True, True, False)
    assert (done, stays.done()) == (["stays"], True)


def test_who_comes_after_the_end_is_refused() -> None:
    inbox = Inbox()
    before = inbox.post(lambda: 1)
    inbox.close()
    after = inbox.post(lambda: 2)
    for answer in (before, after):
        error = answer.exception(0)
        assert isinstance(error, SessionOverError)
        assert str(error) == "the session is over"
