"""The gateway of a session: everything that processes outside can do in it, on loopback.

An HTTP API (`http_api`), beneath it where the `mcp` package is installed MCP servers (`mcp_http`), and on a port of its own the guard
before the Kubernetes API (`guard`), all of which require the session's token. They run in a thread of their own; what a client requests happens
in the thread that drives the episode.
"""

from __future__ import annotations

import importlib.util
import secrets
from contextlib import AsyncExitStack, asynccontextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING

from sregym_core.errors import BudgetExceededError

from sregym_agents.aiohttp_server import served
from sregym_agents.background import ServingThread
from sregym_agents.guard import Guard
from sregym_agents.http_api import HttpApi
from sregym_agents.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from sregym_core.interfaces import Session
    from sregym_core.model import ApiRequest, Attempt

    from sregym_agents.guard.upstream import Upstream

# How long requests that came at the last moment may take to be answered.
SHUTDOWN_S = 1.0


class Gateway:
    """Serves one session.

    Args:
        session: The session that provides tools and takes submissions.
        token: What clients must present; a fresh secret when none is given.
        upstream: The Kubernetes API that the guard stands before; None for no guard.

    Attributes:
        url: Base address of the HTTP API, once it is entered.
        endpoints: All addresses by name: `gateway`; `mcp`, `mcp_metrics` ... where MCP is there;
            `kubernetes` where there is a guard.
    """

    def __init__(self, session: Session, token: str = "", upstream: Upstream | None = None) -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.url = ""
        self.endpoints: Mapping[str, str] = {}
        self._session = session
        self._upstream = upstream
        self._inbox = Inbox()
        self._requests: SimpleQueue[ApiRequest] = SimpleQueue()
        self._attempts: SimpleQueue[Attempt] = SimpleQueue()
        self._thread = ServingThread("gateway", self._serving)

    def __enter__(self) -> Gateway:
        """Start serving; the addresses are known then."""
        self._thread.start("the session's gateway cannot be served on loopback")
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop serving and wait for the thread to end; who waits for an answer is refused."""
        self.close()
        self._thread.stop()
        self._record_requests()

    @property
    def waiting(self) -> int:
        """How many calls wait to be taken."""
        return len(self._inbox)

    def take(self, wait_s: float, before: Callable[[], None] | None = None) -> bool:
        """Do one thing that a client waits for; False when none came within `wait_s`.

        Called from the thread that drives the episode. A used-up budget is raised here, and the
        client is told. `before` runs when something came, and before it is done.
        """
        try:
            came = self._inbox.take(wait_s, before)
            if not came:
                self._session.run_due_events()  # calls do it by themselves, and are told what comes of it
        except BudgetExceededError:
            # Requests still in the queue will not be carried out: their clients are told, and need not wait.
            self.close()
            raise
        finally:
            self._record_requests()
        return came

    def close(self) -> None:
        """Accept no more calls: those that wait and those that come fail, for the session is over."""
        self._inbox.close()

    def _record_requests(self) -> None:
        """Hand over what the servers saw, in the thread that may."""
        noted = [self._requests.get() for _ in range(self._requests.qsize())]
        if noted:
            self._session.note_requests(noted)
        tried = [self._attempts.get() for _ in range(self._attempts.qsize())]
        if tried:
            self._session.note_attempts(tried)

    @asynccontextmanager
    async def _serving(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            api = HttpApi(self._session, self._inbox, self.token, self._attempts.put)
            application = api.application()
            paths: Mapping[str, str] = {}
            if importlib.util.find_spec("mcp") is not None:
                # Slow to import, and not everybody wants it.
                from sregym_agents.mcp_http import McpEndpoints

                paths = McpEndpoints(self._session, self._inbox).beneath(application)
            url = await stack.enter_async_context(served(application, grace_s=SHUTDOWN_S))
            endpoints = {"gateway": url, **{name: url + path for name, path in paths.items()}}
            if self._upstream is not None:
                guard = Guard(self._upstream, self._session.policy, self.token, self._requests.put)
                endpoints["kubernetes"] = await stack.enter_async_context(guard.serving())
            self.endpoints = endpoints
            self.url = url
            yield
