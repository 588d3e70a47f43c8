"""An ASGI application that answers requests of aiohttp's server, such as the MCP SDK's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import unquote_to_bytes

from aiohttp import web
from multidict import CIMultiDict

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class _Conversation:
    """One request and its answer, as ASGI tells them."""

    def __init__(self, request: web.Request, body: bytes) -> None:
        self._request = request
        self._unread: bytes | None = body
        self._over = asyncio.Event()
        self.answer: web.StreamResponse | None = None

    def scope(self) -> MutableMapping[str, Any]:
        """What is known of the request before its body."""
        request = self._request
        path, _, query = request.raw_path.partition("?")
        host, port, *_ = request.transport.get_extra_info("peername") if request.transport else ("", 0)  # fmt: skip
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": f"{request.version.major}.{request.version.minor}",
            "method": request.method,
            "scheme": request.scheme,
            "path": unquote_to_bytes(path).decode("utf-8", "replace"),
            "raw_path": path.encode("utf-8", "surrogateescape"),
            "query_string": query.encode("utf-8", "surrogateescape"),
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.raw_headers],
            "client": (host, port),
            "server": None,
            "state": {},
        }

    async def receive(self) -> Message:
        """The body, whole; then nothing until the answer is complete.

        Who hangs up is not waited for: the task of the request is cancelled.
        """
        if self._unread is not None:
            body, self._unread = self._unread, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take the head of the answer, or a piece of its body."""
        if message["type"] == "http.response.start":
            headers = CIMultiDict(
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in message.get("headers", ())
            )
            self.answer = web.StreamResponse(status=message["status"], headers=headers)
        elif message["type"] == "http.response.body" and self.answer is not None:
            if not self.answer.prepared:
                await self.answer.prepare(self._request)
            if content := message.get("body", b""):
                await self.answer.write(content)
            if not message.get("more_body", False):
                await self.answer.write_eof()
                self._over.set()


async def answered(
    application: Application, request: web.Request, body: bytes
) -> web.StreamResponse:
    """Let an application answer a request; gives the answer, which was sent.

    Args:
        application: Of ASGI 3, for HTTP only.
        request: The request in whose task this runs, which is cancelled when the client hangs up.
        body: Of the request, whole.

    Raises:
        RuntimeError: The application gave no answer.
    """
    conversation = _Conversation(request, body)
    await application(conversation.scope(), conversation.receive, conversation.send)
    if conversation.answer is None:
        message = f"no answer was given to {request.method} {request.path}"
        raise RuntimeError(message)
    return conversation.answer
