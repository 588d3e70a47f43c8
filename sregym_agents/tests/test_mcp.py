"""MCP servers over streamable HTTP and over stdio, with the SDK's own client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from sregym_agents.gateway import Gateway
from sregym_agents.session_folder import SessionAddress, write_address
from sregym_core.errors import BudgetExceededError
from sregym_testing import ScriptedSession

GROUPS = {
    "mcp_metrics": ["query_metrics", "query_metrics_range", "list_metrics", "alerts"],
    "mcp_logs": ["query_logs", "log_labels"],
    "mcp_traces": ["list_services", "search_traces", "get_trace", "service_dependencies"],
    "mcp_cluster": ["kubectl", "wait"],
    "mcp_submission": ["status", "submit"],
}


@asynccontextmanager
async def connected(url: str, token: str = "token of the session"):
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def texts(result: Any) -> tuple[list[str], bool]:
    return [block.text for block in result.content], result.is_error


def test_each_group_has_a_server_and_one_has_all(
    gateway: Gateway, session: ScriptedSession, drive: Any
) -> None:
    async def look() -> dict[str, list[str]]:
        found = {}
        for name, url in gateway.endpoints.items():
            if name == "gateway":
                continue
            async with connected(url) as client:
                assert client.instructions == session.instruction
                found[name] = [tool.name for tool in (await client.list_tools()).tools]
        return found

    found = drive(gateway, look)
    assert sorted(found.pop("mcp")) == sorted(name for names in GROUPS.values() for name in names)
    assert found == GROUPS


def test_tools_are_described_as_in_process(
    gateway: Gateway, session: ScriptedSession, drive: Any
) -> None:
    async def look() -> Any:
        async with connected(gateway.endpoints["mcp"]) as client:
            return (await client.list_tools()).tools

    assert [
        (tool.name, tool.description, tool.input_schema, tool.annotations.read_only_hint)
        for tool in drive(gateway, look)
    ] == [(tool.name, tool.description, tool.parameters, tool.reads_only) for tool in session.tools]


def test_an_episode_through_mcp(gateway: Gateway, session: ScriptedSession, drive: Any) -> None:
    async def play() -> list[Any]:
        async with connected(gateway.endpoints["mcp"]) as client:
            return [
                texts(await client.call_tool(name, arguments))
                for name, arguments in (
                    ("list_metrics", {}),
                    ("kubectl", {"command": "kubectl version"}),
                    ("kubectl", {"command": "kubectl edit svc x"}),
                    ("submit", {"text": "the cart"}),
                    ("submit", {"text": "repaired"}),
                )
            ]

    refused = "kubectl edit needs a terminal or stays open; use get, patch, apply -f -, exec or logs instead"
    assert drive(gateway, play) == [
        (["up\nnode_load1"], False),
        (["v1.37.1"], False),
        ([f"error: {refused}\n(exit code 1)"], True),
        (["diagnosis received; mitigation comes next"], False),
        (["mitigation received; the episode ends"], False),
    ]
    assert session.submissions == ["the cart", "repaired"]
    assert [call.tool for call in session.transcript] == [
        "list_metrics",
        "kubectl",
        "kubectl",
        "submit",
        "submit",
    ]


def test_a_server_offers_only_its_own_tools(
    gateway: Gateway, session: ScriptedSession, drive: Any
) -> None:
    async def play() -> Any:
        async with connected(gateway.endpoints["mcp_logs"]) as client:
            return texts(await client.call_tool("kubectl", {"command": "version"}))

    text = "there is no tool 'kubectl' here; there are: query_logs, log_labels"
    assert drive(gateway, play) == ([text], True)
    assert session.transcript == []


@pytest.mark.parametrize("token", ["", "wrong"])
def test_who_has_no_token_learns_nothing(gateway: Gateway, token: str, drive: Any) -> None:
    async def knock() -> tuple[int, Any]:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with httpx2.AsyncClient(headers=headers) as http:
            answer = await http.post(gateway.endpoints["mcp"], json=body)
            return answer.status_code, answer.json()

    expected = {"message": "the session's token is missing or wrong"}
    assert drive(gateway, knock) == (401, expected)


def test_pages_of_other_sites_are_kept_out(gateway: Gateway, drive: Any) -> None:
    """A name that resolves to this machine is not enough, nor is a request of a foreign page."""

    async def knock() -> list[int]:
        statuses = []
        for foreign in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            headers = {
                "Authorization": "Bearer token of the session",
                "Accept": "application/json, text/event-stream",
                **foreign,
            }
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            async with httpx2.AsyncClient(headers=headers) as http:
                statuses.append((await http.post(gateway.endpoints["mcp"], json=body)).status_code)
        return statuses

    assert drive(gateway, knock) == [421, 403]


def test_a_path_without_a_server(gateway: Gateway, drive: Any) -> None:
    async def knock() -> tuple[int, Any]:
        headers = {"Authorization": "Bearer token of the session"}
        async with httpx2.AsyncClient(headers=headers) as http:
            answer = await http.get(gateway.endpoints["mcp"] + "/secrets")
            return answer.status_code, answer.json()

    assert drive(gateway, knock) == (
        404,
        {
            "message": "there is no MCP server here; there are: /mcp, /mcp/metrics, /mcp/logs, "
            "/mcp/traces, /mcp/cluster, /mcp/submission"
        },
    )


def test_a_used_up_budget_is_told_to_both_sides(
    new_session: Callable[..., ScriptedSession],
) -> None:
    async def play(url: str) -> list[Any]:
        async with connected(url) as client:
            return [texts(await client.call_tool("status", {})) for _ in range(2)]

    def take_all(gateway: Gateway, acting: Future[Any]) -> None:
        while not acting.done():
            gateway.take(0.01)

    session = new_session(steps=1)
    with ThreadPoolExecutor(1) as executor, Gateway(session, "token of the session") as gateway:
        acting = executor.submit(lambda: asyncio.run(play(gateway.endpoints["mcp"])))
        with pytest.raises(BudgetExceededError) as over:
            take_all(gateway, acting)
        told = acting.result(10)
    assert str(over.value) == "the budget of 1 tool calls is used up"
    assert told[1] == (["the budget of 1 tool calls is used up"], True)


@pytest.mark.parametrize("only", ["", "submission"])
def test_over_stdio(
    gateway: Gateway, session: ScriptedSession, drive: Any, tmp_path: Any, only: str
) -> None:
    """A client starts the server itself; it finds the session as `sregym submit` does."""
    write_address(tmp_path, SessionAddress(gateway.url, gateway.token))
    script = (
        "import sys; from pathlib import Path; from sregym_agents.session_folder import find_address; "
        "from sregym_core.settings import Settings; from sregym_core.interfaces import ToolGroup; "
        "from sregym_agents.mcp_stdio import serve_stdio; "
        "group = ToolGroup(sys.argv[1]) if sys.argv[1] else None; "
        "serve_stdio(find_address(Settings(episode=sys.argv[2])), group)"
    )
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-c", script, only, str(tmp_path)],
        env={"PATH": os.environ["PATH"]},
    )

    async def play() -> Any:
        async with Client(parameters) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return names, texts(await client.call_tool("submit", {"text": "the cart"}))

    names, said = drive(gateway, play)
    assert names == (GROUPS["mcp_submission"] if only else [tool.name for tool in session.tools])
    assert said == (["diagnosis received; mitigation comes next"], False)
    assert session.submissions == ["the cart"]
