"""Requests of the guard to the API server: connections that are kept, heads and bodies as they are."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

import aiohttp
from yarl import URL

from sregym_agents.aiohttp_server import HEAD_CAP
from sregym_agents.connections import rounds

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator

    from multidict import CIMultiDict

    from sregym_agents.guard.upstream import Upstream

# What aiohttp would add to a request of its own.
_NOTHING_ADDED = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


class Server:
    """Sends requests to an API server.

    Args:
        upstream: Where it is; its credentials are sent along.
        session: The connections to it.
    """

    def __init__(self, upstream: Upstream, session: aiohttp.ClientSession) -> None:
        scheme = "https" if upstream.tls else "http"
        host = f"[{upstream.host}]" if ":" in upstream.host else upstream.host
        self._base = f"{scheme}://{host}:{upstream.port}{upstream.prefix}"
        self._token = upstream.token
        self._session = session
        self._transports: WeakSet[asyncio.Transport] = WeakSet()

    @classmethod
    @asynccontextmanager
    async def of(cls, upstream: Upstream) -> AsyncIterator[Server]:
        """Connections are made when they are needed, and cut at the end of the block."""
        connector = aiohttp.TCPConnector(ssl=upstream.tls or True, limit=0)
        async with aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            # Watches stay open for as long as they like.
            timeout=aiohttp.ClientTimeout(),
            auto_decompress=False,
            skip_auto_headers=_NOTHING_ADDED,
            max_line_size=HEAD_CAP,
            max_field_size=HEAD_CAP,
        ) as session:
            server = cls(upstream, session)
            try:
                yield server
            finally:
                server.cut()
                await rounds()

    def cut(self) -> None:
        """End all connections; one that is being closed may wait for the far side's last word."""
        for transport in tuple(self._transports):
            transport.abort()

    async def ask(
        self, method: str, path: str, headers: CIMultiDict[str], body: bytes
    ) -> aiohttp.ClientResponse:
        """Send a request; its answer as far as the head.

        A kept connection that the server closed meanwhile is replaced if the request may be sent
        twice.

        Args:
            method: Of HTTP.
            path: Path and query, quoted, with a slash at its beginning.
            headers: Without those of the connection.
            body: All of it.

        Raises:
            aiohttp.ClientError: There is no answer.
        """
        if self._token:
            headers.add("Authorization", f"Bearer {self._token}")
        # Nothing is quoted once more, and no dots are resolved: the guard looked at this path.
        url = URL(self._base + path, encoded=True)
        answer = await self._session.request(
            method, url, headers=headers, data=body or None, allow_redirects=False
        )
        if answer.connection is not None and answer.connection.transport is not None:
            self._transports.add(answer.connection.transport)
        return answer
