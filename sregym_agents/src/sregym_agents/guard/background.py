"""A guard in a thread of its own, for callers that are not asynchronous."""

from __future__ import annotations

import asyncio
import secrets
import threading
from typing import TYPE_CHECKING

from sregym_core.errors import WorldError

from sregym_agents.guard.proxy import Guard

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.model import ApiRequest
    from sregym_core.policy import Policy

    from sregym_agents.guard.upstream import Upstream

START_TIMEOUT_S = 30.0


class BackgroundGuard:
    """Serves one guard until it is closed.

    Args:
        upstream: The API server.
        policy: What holds for clients.
        note: Called with each request when it is over, in the guard's thread.

    Attributes:
        url: Base address with the token in it, once it is entered.
    """

    def __init__(
        self,
        upstream: Upstream,
        policy: Policy,
        note: Callable[[ApiRequest], None] = lambda _request: None,
    ) -> None:
        self.url = ""
        self._guard = Guard(upstream, policy, secrets.token_urlsafe(24), note)
        self._ready = threading.Event()
        self._failure: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._serve, name="guard", daemon=True)

    def __enter__(self) -> BackgroundGuard:
        """Start serving; raises `WorldError` when that cannot be."""
        self._thread.start()
        self._ready.wait(START_TIMEOUT_S)
        if self._failure is not None or not self.url:
            msg = (
                f"the guard before the Kubernetes API cannot be served on loopback: {self._failure}"
            )
            raise WorldError(msg) from self._failure
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop serving."""
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(START_TIMEOUT_S)

    def _serve(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as error:
            self._failure = error
            self._ready.set()

    async def _run(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        async with self._guard.serving() as url:
            self.url = url
            self._ready.set()
            await self._stopping.wait()
