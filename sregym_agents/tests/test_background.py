"""Servers in threads of their own: how they begin and end, and what is said when they cannot."""

from __future__ import annotations

import asyncio
import errno
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from sregym_agents.background import ServingThread
from sregym_agents.gateway import Gateway
from sregym_agents.guard.background import BackgroundGuard
from sregym_agents.guard.upstream import Upstream
from sregym_agents.isolation.relay import Relays, Route
from sregym_core.errors import WorldError
from sregym_testing import ScriptedSession


def test_the_context_is_entered_and_left_in_the_thread() -> None:
    seen: list[tuple[str, str]] = []

    @asynccontextmanager
    async def serving() -> AsyncIterator[None]:
        seen.append(("entered", threading.current_thread().name))
        yield
        seen.append(("left", threading.current_thread().name))

    thread = ServingThread("server", serving)
    thread.start("no server")
    assert seen == [("entered", "server")]
    thread.stop()
    assert seen == [("entered", "server"), ("left", "server")]
    thread.stop()
    assert "server" not in {each.name for each in threading.enumerate()}


def test_what_takes_too_long_to_begin() -> None:
    began = threading.Event()

    @asynccontextmanager
    async def serving() -> AsyncIterator[None]:
        while not began.is_set():
            await asyncio.sleep(0)
        yield

    thread = ServingThread("server", serving, start_timeout_s=0.01)
    with pytest.raises(WorldError) as refused:
        thread.start("no server")
    assert str(refused.value) == "no server: it does not start within 0.01 s"
    began.set()
    thread.stop()


def test_a_way_out_that_cannot_be_made(tmp_path: Path) -> None:
    folder = tmp_path / "missing"
    relays = Relays([Route(("127.0.0.1", 1), ("127.0.0.1", 1))], folder)
    with pytest.raises(WorldError) as refused:
        relays.__enter__()
    assert str(refused.value) == (
        f"no way out of the isolation can be made in {folder}: [Errno 2] No such file or directory"
    )


@pytest.fixture
def no_port_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EADDRINUSE, "Address already in use")

    monkeypatch.setattr(asyncio.BaseEventLoop, "create_server", refuse)


@pytest.mark.usefixtures("no_port_is_free")
def test_a_gateway_that_cannot_be_served(new_session: Callable[..., ScriptedSession]) -> None:
    with pytest.raises(WorldError) as refused:
        Gateway(new_session()).__enter__()
    assert str(refused.value) == (
        "the session's gateway cannot be served on loopback: [Errno 98] Address already in use"
    )


@pytest.mark.usefixtures("no_port_is_free")
def test_a_guard_that_cannot_be_served(new_session: Callable[..., ScriptedSession]) -> None:
    upstream = Upstream("127.0.0.1", 8001, "", None, "", "default")
    with pytest.raises(WorldError) as refused:
        BackgroundGuard(upstream, new_session().policy).__enter__()
    assert str(refused.value) == (
        "the guard before the Kubernetes API cannot be served on loopback: "
        "[Errno 98] Address already in use"
    )
