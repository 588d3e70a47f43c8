"""A guard in a thread of its own, for callers that are not asynchronous."""

from __future__ import annotations

import secrets
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sregym_agents.background import ServingThread
from sregym_agents.guard.proxy import Guard

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sregym_core.model import ApiRequest
    from sregym_core.policy import Policy

    from sregym_agents.guard.upstream import Upstream


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
        self._thread = ServingThread("guard", self._serving)

    def __enter__(self) -> BackgroundGuard:
        """Start serving; raises `WorldError` when that cannot be."""
        self._thread.start("the guard before the Kubernetes API cannot be served on loopback")
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop serving."""
        self._thread.stop()

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        async with self._guard.serving() as url:
            self.url = url
            yield
