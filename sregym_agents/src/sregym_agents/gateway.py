"""The HTTP gateway of a session: instruction, status and submission for processes outside.

    GET  /instruction   {"instruction": text}
    GET  /status        {"stage": "diagnosis" | "mitigation" | "done"}
    POST /submit        {"text": text, "claims": {...}?} -> {"accepted", "stage", "message"}

Every request carries the session's token as a bearer token. The gateway listens on loopback only,
in a thread of its own; submissions are handed to the session in the thread that drives the
episode, one at a time, so that nothing else has to be safe for threads.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from aiohttp import web
from pydantic import ValidationError
from sregym_core.errors import WorldError
from sregym_core.interfaces import Receipt, Stage
from sregym_core.model import Claims

if TYPE_CHECKING:
    from sregym_core.interfaces import Session

BODY_CAP_BYTES = 1_000_000
START_TIMEOUT_S = 30.0
# How long requests that came at the last moment may take to be answered.
SHUTDOWN_S = 1.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Gateway:
    """Serves one session.

    Args:
        session: Whose submissions are taken.
        token: What clients must present; a fresh secret when none is given.
    """

    def __init__(self, session: Session, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.url = ""
        self._session = session
        self._inbox: SimpleQueue[tuple[str, Claims | None, Future[Receipt]]] = SimpleQueue()
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._serve, name="gateway", daemon=True)

    def __enter__(self) -> Gateway:
        """Start serving; `url` is known then."""
        self._thread.start()
        self._ready.wait(START_TIMEOUT_S)
        if self._failure is not None or not self.url:
            msg = f"the session's gateway cannot be served on loopback: {self._failure}"
            raise WorldError(msg) from self._failure
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop serving and wait for the thread to end; who waits for an answer is refused."""
        while not self._inbox.empty():
            _, _, answer = self._inbox.get_nowait()
            answer.set_result(Receipt(False, self._session.stage, "the session is over"))
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(START_TIMEOUT_S)

    def take(self, wait_s: float) -> bool:
        """Hand one waiting submission to the session; False when none came within `wait_s`.

        Called from the thread that drives the episode.
        """
        try:
            text, claims, answer = self._inbox.get(timeout=wait_s)
        except Empty:
            return False
        try:
            answer.set_result(self._session.submit(text, claims))
        except Exception as error:
            answer.set_exception(error)
            raise
        return True

    def _serve(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as error:
            self._failure = error
            self._ready.set()

    async def _run(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()

        @web.middleware  # marks a function; a bound method cannot be marked
        async def authorise(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._authorise(request, handler)

        application = web.Application(client_max_size=BODY_CAP_BYTES, middlewares=[authorise])
        application.router.add_get("/instruction", self._instruction)
        application.router.add_get("/status", self._status)
        application.router.add_post("/submit", self._submit)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=SHUTDOWN_S)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        address = runner.addresses[0]
        self.url = f"http://{address[0]}:{address[1]}"
        self._ready.set()
        await self._stopping.wait()
        await runner.cleanup()

    async def _authorise(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "")
        if not secrets.compare_digest(given.encode(), f"Bearer {self.token}".encode()):
            return _refuse(401, "the session's token is missing or wrong")
        return await handler(request)

    async def _instruction(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"instruction": self._session.instruction})

    async def _status(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"stage": str(self._session.stage)})

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        try:
            body = await request.json()
        except web.HTTPRequestEntityTooLarge:
            return _refuse(413, f"a submission may have {BODY_CAP_BYTES} bytes at most")
        except ValueError as error:
            return _refuse(400, f"the body is not JSON: {error}")
        if not isinstance(body, dict) or not isinstance(body.get("text"), str):
            return _refuse(400, "the body needs a string field 'text'")
        claims: Claims | None = None
        if body.get("claims") is not None:
            try:
                claims = Claims.model_validate(body["claims"])
            except ValidationError as error:
                first = error.errors()[0]
                field = ".".join(map(str, first["loc"])) or "claims"
                return _refuse(400, f"claims, field {field!r}: {first['msg']}")
        if self._session.stage is Stage.DONE:
            return _refuse(409, "both stages were submitted already")
        answer: Future[Receipt] = Future()
        self._inbox.put((body["text"], claims, answer))
        receipt = await asyncio.wrap_future(answer)
        content: dict[str, Any] = {
            "accepted": receipt.accepted,
            "stage": str(receipt.stage),
            "message": receipt.message,
        }
        return web.json_response(content)


def _refuse(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)
