"""One session, three ways in: in process, over HTTP, over MCP. Answers and records are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from sregym_agents.gateway import Gateway
from sregym_core.errors import BudgetExceededError
from sregym_core.interfaces import Stage
from sregym_testing import ScriptedSession

Answer = tuple[str, bool]
Ask = Callable[[str, Mapping[str, object]], Any]
WaysIn = Callable[[ScriptedSession, Gateway], AbstractAsyncContextManager[Ask]]
TOKEN = "token of the session"
SCRIPT: list[tuple[str, dict[str, object]]] = [
    ("status", {}),
    ("kubectl", {"command": "kubectl version"}),
    ("kubectl", {"command": "kubectl get pods | grep cart"}),
    ("kubectl", {"verb": "get"}),
    ("list_metrics", {"contains": "up"}),
    ("query_logs", {"query": "{}"}),
    ("wait", {"seconds": 30}),
    ("submit", {"text": "the cart"}),
    ("status", {}),
    ("submit", {"text": "x" * 70_000}),
    ("submit", {"text": "repaired"}),
]


@asynccontextmanager
async def in_process(session: ScriptedSession, _gateway: Gateway) -> Any:
    async def ask(tool: str, arguments: Mapping[str, object]) -> Answer:
        result = session.call(tool, arguments)
        return result.text, result.ok

    yield ask


@asynccontextmanager
async def over_http(_session: ScriptedSession, gateway: Gateway) -> Any:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as client:

        async def ask(tool: str, arguments: Mapping[str, object]) -> Answer:
            answer = await client.post(f"{gateway.url}/tools/{tool}", json=dict(arguments))
            content = answer.json()
            return (
                (content["text"], content["ok"])
                if "text" in content
                else (
                    content["message"],
                    False,
                )
            )

        yield ask


@asynccontextmanager
async def over_mcp(_session: ScriptedSession, gateway: Gateway) -> Any:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(gateway.endpoints["mcp"], http_client=http)) as client,
    ):

        async def ask(tool: str, arguments: Mapping[str, object]) -> Answer:
            result = await client.call_tool(tool, dict(arguments))
            [block] = result.content
            return str(block.text), not result.is_error

        yield ask


@pytest.mark.parametrize("way_in", [over_http, over_mcp])
def test_the_same_session(
    way_in: WaysIn, new_session: Callable[..., ScriptedSession], drive: Any
) -> None:
    def play(way: WaysIn) -> tuple[list[Answer], ScriptedSession]:
        session = new_session(steps=100)
        with Gateway(session, TOKEN) as gateway:

            async def act() -> list[Answer]:
                async with way(session, gateway) as ask:
                    return [await ask(tool, arguments) for tool, arguments in SCRIPT]

            return drive(gateway, act), session

    expected, reference = play(in_process)
    got, session = play(way_in)
    assert got == expected
    assert [ok for _, ok in expected] == [
        True,
        True,
        False,
        False,
        True,
        False,
        True,
        True,
        True,
        False,
        True,
    ]
    assert (session.stage, session.submissions) == (Stage.DONE, reference.submissions)
    comparable = {"wall_s", "took_s"}
    assert [call.model_dump(exclude=comparable) for call in session.transcript] == [
        call.model_dump(exclude=comparable) for call in reference.transcript
    ]


LIMITS: list[tuple[dict[str, Any], str]] = [
    ({"steps": 2}, "the budget of 2 tool calls is used up"),
    ({"episode_s": 40.0}, "the budget of 40 episode seconds is used up"),
    ({"wall_s": 0.0}, "the budget of 0 wall-clock seconds is used up"),
    ({"tokens": 9}, "the budget of 9 tokens is used up"),
]


@pytest.mark.parametrize("way_in", [in_process, over_http, over_mcp])
@pytest.mark.parametrize(("limits", "reason"), LIMITS)
def test_budgets_end_it(
    way_in: WaysIn,
    limits: dict[str, Any],
    reason: str,
    new_session: Callable[..., ScriptedSession],
    drive: Any,
) -> None:
    """The driver gets the reason as an exception; a client outside is told it first."""
    session = new_session(**limits)
    told: list[str] = []

    async def act(gateway: Gateway) -> None:
        async with way_in(session, gateway) as ask:
            for _ in range(5):
                text, ok = await ask("wait", {"seconds": 30})
                if not ok:
                    told.append(text)
                    return

    def play() -> None:
        with Gateway(session, TOKEN) as gateway:
            if "tokens" in limits:
                with suppress(BudgetExceededError):
                    session.note_tokens(10, 0)
            drive(gateway, lambda: act(gateway))

    with pytest.raises(BudgetExceededError) as over:
        play()
    assert str(over.value) == reason
    if not {"wall_s", "tokens"} & set(limits):  # those end the session before anybody calls
        assert told == ([] if way_in is in_process else [reason])
