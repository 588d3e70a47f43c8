"""What is no HTTP is refused as Go's servers refuse it: in two words, and without a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from aiohttp.abc import AbstractStreamWriter

_REFUSAL = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Connection: close\r\n\r\n400 Bad Request"
)


class Refusal(web.StreamResponse):
    """The refusal as bytes: an ordinary answer would say what it is written with."""

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Write all there is."""
        if request.transport is not None:
            request.transport.write(_REFUSAL)
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Nothing is left to write."""


class Handler(web.RequestHandler):
    """Serves one connection."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to what could not be read."""
        refusal = Refusal(status=400)
        refusal.force_close()
        return refusal
