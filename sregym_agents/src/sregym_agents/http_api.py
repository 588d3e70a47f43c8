"""The HTTP API of a session.

    GET  /instruction    {"instruction": text}
    GET  /status         {"stage": "diagnosis" | "mitigation" | "done", "mode", "submissions", "watching"}
    GET  /alerts-payload the alerts that fired, as a payload of Alertmanager's webhook
    POST /submit         {"text": text, "claims": {...}?} -> {"accepted", "stage", "message"}
    GET  /tools          {"tools": [{"name", "group", "description", "parameters", "reads_only"}]}
    POST /tools/NAME     {arguments} -> {"text", "ok", "page", "pages"}
    GET  /openapi.json   all of this as OpenAPI; the only one that needs no token

Every other request carries the session's token as a bearer token.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from aiohttp import web
from pydantic import ValidationError
from sregym_core.errors import BudgetExceededError
from sregym_core.interfaces import Stage
from sregym_core.model import Attempt, Claims
from sregym_core.model.validation import explain

from sregym_agents.inbox import SessionOverError
from sregym_agents.openapi import document

if TYPE_CHECKING:
    from sregym_core.interfaces import Session

    from sregym_agents.inbox import Inbox

BODY_CAP_BYTES = 1_000_000
OPEN_PATHS = ("/openapi.json",)
# Beneath it stand the MCP servers, where there are any.
MCP_ROOT = "/mcp"
# Malformed, late, repeated, oversized: not of a client that follows the rules.
_OUT_OF_ORDER = (400, 409, 413)
WHAT_CAP = 200

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class HttpApi:
    """The API of one session.

    Args:
        session: What is served.
        inbox: Through which its calls go.
        token: What clients must present.
        note: Called with what was tried without it, and with what was no request.
    """

    def __init__(
        self,
        session: Session,
        inbox: Inbox,
        token: str,
        note: Callable[[Attempt], None] = lambda _attempt: None,
    ) -> None:
        self._note = note
        self._session = session
        self._inbox = inbox
        self._token = token

    def application(self) -> web.Application:
        """The API, which requires the token on whatever else is served beside it."""

        @web.middleware  # marks a function; a bound method cannot be marked
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._guard(request, handler)

        application = web.Application(client_max_size=BODY_CAP_BYTES, middlewares=[guard])
        router = application.router
        router.add_get("/instruction", self._instruction)
        router.add_get("/status", self._status)
        router.add_get("/alerts-payload", self._alerts)
        router.add_post("/submit", self._submit)
        router.add_get("/tools", self._tools)
        router.add_post("/tools/{name}", self._tool)
        router.add_get("/openapi.json", self._openapi)
        return application

    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get("Authorization", "")
        known = secrets.compare_digest(given.encode(), f"Bearer {self._token}".encode())
        if not known and request.path not in OPEN_PATHS:
            return self._noted(request, refuse(401, "the session's token is missing or wrong"))
        try:
            answer = await handler(request)
        except (BudgetExceededError, SessionOverError) as error:
            return self._noted(request, refuse(410, str(error)))
        # What an MCP client gets wrong, its SDK does.
        noted = (413,) if _is_mcp(request) else _OUT_OF_ORDER
        return self._noted(request, answer) if answer.status in noted else answer

    def _noted(self, request: web.Request, answer: web.StreamResponse) -> web.StreamResponse:
        what = f"{request.method} {request.path}"[:WHAT_CAP]
        via = "mcp" if _is_mcp(request) else "gateway"
        self._note(Attempt(via=via, what=what, answer=str(answer.status)))
        return answer

    async def _instruction(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"instruction": self._session.instruction})

    async def _status(self, _request: web.Request) -> web.StreamResponse:
        task = self._session.task
        return web.json_response(
            {
                "stage": str(self._session.stage),
                "mode": task.mode,
                "submissions": [str(stage) for stage in task.submissions],
                "watching": task.watching,
            }
        )

    async def _alerts(self, _request: web.Request) -> web.StreamResponse:
        if self._session.alerts is None:
            return refuse(404, "this session began without an alert")
        return web.json_response(dict(self._session.alerts))

    async def _tools(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response({"tools": [asdict(tool) for tool in self._session.tools]})

    async def _openapi(self, _request: web.Request) -> web.StreamResponse:
        return web.json_response(document(self._session.tools))

    async def _tool(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        arguments = await _body(request)
        if isinstance(arguments, web.Response):
            return arguments
        result = await self._inbox.done(lambda: self._session.call(name, arguments))
        return web.json_response(asdict(result))

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        body = await _body(request)
        if isinstance(body, web.Response):
            return body
        text = body.get("text")
        if not isinstance(text, str):
            return refuse(400, "the body needs a string field 'text'")
        claims: Claims | None = None
        if body.get("claims") is not None:
            try:
                claims = Claims.model_validate(body["claims"])
            except ValidationError as error:
                return refuse(400, f"claims, {explain(error, Claims, body['claims'])}")
        if self._session.stage is Stage.DONE:
            stages = self._session.task.submissions
            which = "both stages were" if len(stages) > 1 else f"the {stages[0]} was"
            return refuse(409, f"{which} submitted already")
        receipt = await self._inbox.done(lambda: self._session.submit(text, claims))
        return web.json_response(
            {
                "accepted": receipt.accepted,
                "stage": str(receipt.stage),
                "message": receipt.message,
            }
        )


async def _body(request: web.Request) -> dict[str, Any] | web.Response:
    """The JSON object that was sent, or what to answer instead."""
    try:
        body = await request.json() if request.can_read_body else {}
    except web.HTTPRequestEntityTooLarge:
        return refuse(413, f"a request may have {BODY_CAP_BYTES} bytes at most")
    except ValueError as error:
        return refuse(400, f"the body is not JSON: {error}")
    except RecursionError:
        return refuse(400, "the body is nested too deeply")
    if not isinstance(body, dict):
        return refuse(400, "the body must be a JSON object")
    try:
        # Half of a surrogate pair is JSON, and cannot be written down as text.
        json.dumps(body, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return refuse(400, "the body holds characters that are no Unicode text")
    except RecursionError:
        return refuse(400, "the body is nested too deeply")
    return body


def _is_mcp(request: web.Request) -> bool:
    return request.path == MCP_ROOT or request.path.startswith(f"{MCP_ROOT}/")


def refuse(status: int, message: str) -> web.Response:
    """An error response of the gateway with its reason."""
    return web.json_response({"message": message}, status=status)
