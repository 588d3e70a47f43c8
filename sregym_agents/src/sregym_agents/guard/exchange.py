"""One request and its answer, between a client and the API server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from aiohttp import ClientError, ClientResponse, hdrs, web
from multidict import CIMultiDict
from sregym_core.model import ApiRequest
from sregym_kubernetes.enforcement import (
    KubernetesRequest,
    KubernetesResponse,
    readable,
    with_metadata,
)
from sregym_kubernetes.filtering import filters

from sregym_agents.guard.splicing import Side, splice

if TYPE_CHECKING:
    from aiohttp.typedefs import RawHeaders
    from sregym_kubernetes.target import Target

    from sregym_agents.guard.proxy import Guard
    from sregym_agents.guard.server import Server

# The number that kubectl gives each of its commands is a UUID.
_LONGEST_CALL = 64
# Of the connection, not of the request: each side has its own.
_OWN = ("host", "authorization", "content-length", "transfer-encoding", "expect")
_FRAMING = ("content-length", "transfer-encoding")
# Bytes of a body that are sent in one packet with the head.
_AT_ONCE = 65_536
# Under which an answer says which headers aiohttp adds to it and the API server did not give.
ADDED = web.ResponseKey("added", tuple)
_ADDED = (hdrs.CONTENT_TYPE, hdrs.DATE)


class Exchange:
    """Passes a request on unless it is refused, and its answer back.

    Args:
        guard: The guard that handles this exchange.
        server: The API server.
        request: As the client sent it.
        target: What it is about.
        path: Path and query for the API server.
        body: All of it.
    """

    def __init__(
        self,
        guard: Guard,
        server: Server,
        request: web.Request,
        target: Target,
        path: str,
        body: bytes,
    ) -> None:
        self._guard = guard
        self._server = server
        self._request = request
        self._target = target
        self._path = path
        self._body = body
        self._began = time.monotonic()
        self._status = 0
        self._refused = ""
        # Looked at once: an answer is filtered by one rule from its beginning to its end.
        self._redacts = guard.policy.redacts

    def noted(self) -> ApiRequest:
        """The exchange for the record."""
        return ApiRequest(
            method=self._request.method,
            path=self._path,
            status=self._status,
            took_s=round(time.monotonic() - self._began, 6),
            refused=self._refused,
            call=self._request.headers.get("Kubectl-Session", "")[:_LONGEST_CALL],
        )

    async def run(self) -> web.StreamResponse:
        """Do it; gives the answer, which may have been sent.

        Raises:
            ConnectionError: The API server does not answer to the end, nor can the client be
                answered then: its connection is cut.
        """
        refusal = self._guard.enforcement.refusal(self._asked())
        if refusal is not None:
            return self._refuse(refusal)
        path = with_metadata(self._path) if self._redacts else self._path
        try:
            asked = await self._server.ask(self._request.method, path, self._headers(), self._body)
            async with asked as answer:
                self._status = answer.status
                if answer.status == 101:
                    return await self._switch(answer)
                if self._filters(answer):
                    return await self._pass_filtered(answer)
                return await self._pass(answer)
        except ClientError as error:
            # No answer of ours stands in for one that is not there.
            self._request.protocol.force_close()
            message = f"the API server closed the connection: {error}"
            raise ConnectionResetError(message) from error

    def _asked(self) -> KubernetesRequest:
        headers: dict[str, str] = {}
        for name, value in self._request.raw_headers:
            key, text = name.decode("latin-1").lower(), value.decode("latin-1")
            # One that comes twice is both: of them a server takes one, which the policy cannot know.
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        return KubernetesRequest(self._request.method, self._target, headers, self._body)

    def _headers(self) -> CIMultiDict[str]:
        # Only what can be read can be filtered: no compression, no protocol buffers.
        dropped = (*_OWN, "accept-encoding") if self._redacts else _OWN
        headers = CIMultiDict[str]()
        for name, value in _as_written(self._request.raw_headers).items():
            if name.lower() in dropped:
                continue
            wanted = self._redacts and name.lower() == "accept"
            headers.add(name, readable(value) if wanted else value)
        identity = self._guard.policy.identity
        if identity is not None:
            headers.add("Impersonate-User", identity.name)
            headers.extend(("Impersonate-Group", group) for group in identity.groups)
        return headers

    def _filters(self, answer: ClientResponse) -> bool:
        kind = answer.headers.get(hdrs.CONTENT_TYPE, "")
        return self._redacts and filters(kind, self._target)

    def _headed(
        self, answer: ClientResponse, passed: web.StreamResponse | None = None
    ) -> web.StreamResponse:
        """With the answer's head; aiohttp frames the body for the version that the client speaks."""
        passed = web.StreamResponse() if passed is None else passed
        headers = _as_written(answer.raw_headers)
        headers.popall(hdrs.TRANSFER_ENCODING, None)
        passed.set_status(answer.status, answer.reason)
        passed.headers.extend(headers)
        passed[ADDED] = tuple(name for name in _ADDED if name not in headers)
        if "close" in headers.get(hdrs.CONNECTION, "").lower():
            passed.force_close()
        return passed

    async def _pass(self, answer: ClientResponse) -> web.StreamResponse:
        size = answer.content_length
        if size is not None and size <= _AT_ONCE and self._request.method != hdrs.METH_HEAD:
            return self._headed(answer, web.Response(body=await answer.read()))
        passed = self._headed(answer)
        await passed.prepare(self._request)
        async for content in answer.content.iter_any():
            await passed.write(content)
        await passed.write_eof()
        return passed

    async def _switch(self, answer: ClientResponse) -> web.StreamResponse:
        """Another protocol is spoken from now on; the connection is used up at its end."""
        connection = answer.connection
        if connection is None or connection.protocol is None:
            message = "the API server closed the connection as it was upgraded"
            raise ConnectionResetError(message)
        client, server = Side(self._request.protocol), Side(connection.protocol)
        # Both know these by their form.
        self._request.protocol.set_parser(client)  # type: ignore[arg-type]
        connection.protocol.set_parser(server, None)
        switched = self._headed(answer)
        switched.force_close()
        await switched.prepare(self._request)
        await splice(client, server)
        answer.close()
        return switched

    async def _pass_filtered(self, answer: ClientResponse) -> web.StreamResponse:
        # What has a length is no stream: not every server watches when it is asked to.
        if self._target.watch and hdrs.CONTENT_LENGTH not in answer.headers:
            return await self._pass_watch(answer)
        enforcement, whole = self._guard.enforcement, await answer.read()
        not_found_if_hidden = (
            enforcement.not_found_if_hidden(whole, self._target) if answer.status < 300 else None
        )
        if not_found_if_hidden is not None:
            return self._refuse(KubernetesResponse(404, not_found_if_hidden, "hidden"))
        less = enforcement.redacted_body(whole, self._target)
        headers = _as_written(answer.raw_headers)
        for name in _FRAMING:
            headers.popall(name, None)
        return web.Response(
            status=answer.status, headers=headers, body=whole if less is None else less
        )

    async def _pass_watch(self, answer: ClientResponse) -> web.StreamResponse:
        passed = self._headed(answer)
        await passed.prepare(self._request)
        rest = b""
        async for content in answer.content.iter_any():
            *lines, rest = (rest + content).split(b"\n")
            for line in lines:
                less = self._guard.enforcement.redacted_event(line, self._target)
                shown = line + b"\n" if less is None else less
                if shown:
                    await passed.write(shown)
        less = self._guard.enforcement.redacted_event(rest, self._target)
        await passed.write(rest if less is None else less)
        await passed.write_eof()
        return passed

    def _refuse(self, answer: KubernetesResponse) -> web.Response:
        self._refused, self._status = answer.reason, answer.status
        headers = {hdrs.CONTENT_TYPE: answer.content_type}
        return web.Response(status=answer.status, body=answer.body, headers=headers)


def _as_written(headers: RawHeaders) -> CIMultiDict[str]:
    """Headers with the small and capital letters that were sent, which `headers` of aiohttp loses."""
    return CIMultiDict(
        (name.decode("ascii"), value.decode("utf-8", "surrogateescape")) for name, value in headers
    )
