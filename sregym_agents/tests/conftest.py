"""A session with a gateway, and clients that act while this thread drives the episode."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from sregym_agents.gateway import Gateway
from sregym_core.interfaces import Budget, CommandResult, ServiceAnswer
from sregym_testing import Provision, ScriptedSession, Shop

T = TypeVar("T")
Drive = Callable[[Gateway, Callable[[], Awaitable[Any]]], Any]


@pytest.fixture
def new_session(provision: Provision) -> Callable[..., ScriptedSession]:
    def make(**limits: Any) -> ScriptedSession:
        session = ScriptedSession(Shop(), provision, budget=Budget(**limits))
        cluster: Any = session.watched.behind
        cluster.answers["kubectl version"] = CommandResult(0, "v1.37.1\n")
        names = b'{"status": "success", "data": ["up", "node_load1"]}'
        cluster.observed["prometheus"] = lambda path, query: ServiceAnswer(200, names)
        return session

    return make


@pytest.fixture
def session(new_session: Callable[..., ScriptedSession]) -> ScriptedSession:
    return new_session(steps=100)


@pytest.fixture
def gateway(session: ScriptedSession) -> Iterator[Gateway]:
    with Gateway(session, "token of the session") as served:
        yield served


@pytest.fixture
def drive() -> Drive:
    """Let a client act in a thread of its own; gives what it returns."""

    def run(gateway: Gateway, client: Callable[[], Awaitable[T]]) -> T:
        with ThreadPoolExecutor(1) as executor:
            acting = executor.submit(lambda: asyncio.run(client()))  # type: ignore[arg-type]
            while not acting.done():
                gateway.take(0.01)
            return acting.result()

    return run
