"""What listens on the ports of a pod, as a connection from its own loopback finds it.

Programs of service models answer HTTP/1.1. A port that speaks anything else takes the connection
and closes it, because no program here speaks other protocols byte by byte.
"""

from __future__ import annotations

import re
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.kinds.kind import WebRequest
from sregym_cluster_embedded.userland.process import listener_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.http.live import LiveWorld
    from sregym_cluster_embedded.userland.kinds.kind import WebAnswer
    from sregym_cluster_embedded.world import World

_HEAD_LIMIT = 64 * 1024
_REQUEST_LINE = re.compile(r"([A-Z]+) (\S+) HTTP/1\.([01])")


class PodPort(NamedTuple):
    """A port of one pod."""

    namespace: str
    pod: str
    uid: str
    port: int


def pod_port(world: World, namespace: str, pod: str, port: int) -> PodPort | None:
    """A port of a pod that runs, or None when the pod does not."""
    obj = world.store.get(Key("pods", namespace, pod))
    if obj is None or obj.get("status", {}).get("phase") != "Running":
        return None
    return PodPort(namespace, pod, obj["metadata"]["uid"], port)


def listening(world: World, where: PodPort) -> bool:
    """Whether a process listens there."""
    return listener_at(world, where.uid, where.port) is not None


def http_response(
    world: World, where: PodPort, method: str, path: str, headers: dict[str, str]
) -> WebAnswer | None:
    """The answer of a pod's server to an HTTP request; None when it closes the connection."""
    found = listener_at(world, where.uid, where.port)
    if found is None:
        return None
    server, _ = found
    runtime = world.service(RUNTIME)
    program = runtime.program_of(server)
    if program is None:
        return None
    host = headers.get("host", "").partition(":")[0]
    request = WebRequest(method, path, host, where.port, "127.0.0.1", headers)
    answer: WebAnswer | None = runtime.kind_of(server).respond(world, server, program, request)
    return answer


class ServerConnection:
    """The server's side of one TCP connection to a port.

    Args:
        live: The cluster.
        where: The port.
        shift_s: How far the client's clock is ahead of the world's.
    """

    def __init__(self, live: LiveWorld, where: PodPort, shift_s: int = 0) -> None:
        self._live = live
        self._where = where
        self._shift_s = shift_s
        self._buffer = b""
        self.closed = False

    def feed(self, data: bytes) -> bytes:
        """What the server sends when it has received `data`; `closed` tells that it hung up."""
        self._buffer += data
        return b"".join(self._answers())

    def _answers(self) -> Iterator[bytes]:
        while not self.closed and b"\r\n\r\n" in self._buffer:
            head, _, rest = self._buffer.partition(b"\r\n\r\n")
            line, headers = _parsed(head)
            size = int(headers.get("content-length", "0") or 0)
            if len(rest) < size:
                return
            self._buffer = rest[size:]
            yield self._answer(line, headers)
        if len(self._buffer) > _HEAD_LIMIT or (self._buffer and not self._buffer[:1].isalpha()):
            self.closed = True

    def _answer(self, line: str, headers: dict[str, str]) -> bytes:
        found = _REQUEST_LINE.fullmatch(line)
        if found is None:
            self.closed = True
            return b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        method, path, minor = found.groups()
        with self._live.open() as world:
            answer = http_response(world, self._where, method, path, headers)
            moment = world.epoch + world.now + self._shift_s
        wish = headers.get("connection", "").lower()
        keep = wish != "close" and (minor == "1" or wish == "keep-alive")
        if answer is None:
            self.closed = True
            return b""
        self.closed = not keep
        return _encoded(answer, formatdate(moment, usegmt=True), method, keep)


def _parsed(head: bytes) -> tuple[str, dict[str, str]]:
    lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines[1:])
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if not headers.get("content-length", "0").isdecimal():
        headers["content-length"] = "0"
    return lines[0], headers


def _encoded(answer: WebAnswer, date: str, method: str, keep: bool) -> bytes:
    body = answer.body.encode(errors="surrogateescape")
    try:
        phrase = HTTPStatus(answer.status).phrase
    except ValueError:
        phrase = ""
    if answer.headers is not None:
        given = {
            **dict(answer.headers),
            "Date": date,
            "Connection": "keep-alive" if keep else "close",
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return f"HTTP/1.1 {answer.status} {phrase}\r\n{lines}\r\n".encode() + (
            b"" if method == "HEAD" else body
        )
    head = (
        f"HTTP/1.1 {answer.status} {phrase}\r\nDate: {date}\r\n"
        f"Connection: {'keep-alive' if keep else 'close'}\r\n"
        f"Content-Type: {answer.content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + (b"" if method == "HEAD" else body)
