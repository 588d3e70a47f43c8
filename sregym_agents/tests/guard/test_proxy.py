"""What passes the guard byte for byte, and what is cut, before an API server of plain sockets."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from sregym_agents.guard.background import BackgroundGuard
from sregym_agents.guard.upstream import Upstream
from sregym_core.model import ApiRequest
from sregym_core.policy import Policy

Serve = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: today\r\n"


class Far:
    """An API server that treats each connection as it is told; the last one again and again."""

    def __init__(self, *serve: Serve) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.heard: list[bytes] = []
        self._serve = list(serve)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            serve = self._serve.pop(0) if len(self._serve) > 1 else self._serve[0]
            with closing(line):
                serve(line)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(30)


def head_of(line: socket.socket) -> bytes:
    """The head of a request or an answer; one byte at a time, to leave what follows."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = line.recv(1)
        if not byte:
            break
        head += byte
    return head


@contextmanager
def guarded(*serve: Serve) -> Iterator[tuple[Far, Callable[[], socket.socket], str, list[ApiRequest]]]:  # fmt: skip
    far = Far(*serve)
    notes: list[ApiRequest] = []
    upstream = Upstream("127.0.0.1", far.port, "/root", None, "secret", "default")
    try:
        with BackgroundGuard(upstream, Policy(), notes.append) as guard:
            host, _, rest = guard.url.removeprefix("http://").partition("/")
            address = host.split(":")

            def connect() -> socket.socket:
                return socket.create_connection((address[0], int(address[1])), 30)

            yield far, connect, rest, notes
    finally:
        far.close()


def until_closed(line: socket.socket) -> bytes:
    said = b""
    while content := line.recv(65_536):
        said += content
    return said


def test_a_request_and_its_answer_are_passed_as_they_are() -> None:
    """Capitals, order, quoting, dots and compression are the client's and the server's."""
    heard: list[bytes] = []
    body = b"\x1f\x8b is not unpacked"

    def serve(line: socket.socket) -> None:
        heard.append(head_of(line) + line.recv(len(body)))
        line.sendall(
            OK.replace(b"OK", b"All Right") + b"ETag: 1\r\nwArNiNg: 299 - \"gr\xc3\xbc\xc3\x9fe\"\r\n"
            b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n\x1f\x8bxyz"
        )  # fmt: skip

    with guarded(serve) as (_, connect, token, notes), closing(connect()) as line:
        line.sendall(
            f"POST /{token}/api/../a%2Fb//c?x=%2f&y=a+b&z HTTP/1.1\r\nHost: guard\r\n".encode()
            + b"X-UPPER: 1\r\nx-lower: 2\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
            + b"Content-Length: %d\r\n\r\n" % len(body)
            + body
        )
        said = until_closed(line)
        port = _.port
    assert heard == [
        b"POST /root/api/../a%2Fb//c?x=%2f&y=a+b&z HTTP/1.1\r\n"
        + f"Host: 127.0.0.1:{port}\r\n".encode()
        + b"X-UPPER: 1\r\nx-lower: 2\r\nContent-Encoding: gzip\r\nConnection: close\r\n"
        + b"Authorization: Bearer secret\r\n"
        + b"Content-Length: %d\r\n\r\n" % len(body)
        + body
    ]
    assert said == (
        b"HTTP/1.1 200 All Right\r\nContent-Type: text/plain\r\nDate: today\r\nETag: 1\r\n"
        b"wArNiNg: 299 - \"gr\xc3\xbc\xc3\x9fe\"\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n"
        b"Connection: close\r\n\r\n\x1f\x8bxyz"
    )  # fmt: skip
    assert [(note.path, note.status) for note in notes] == [("/api/../a%2Fb//c?x=%2f&y=a+b&z", 200)]


@pytest.mark.parametrize(
    ("target", "asked"),
    [
        (b"http://127.0.0.9/x", b"/root/http://127.0.0.9/x"),
        (b"//127.0.0.9/x", b"/root//127.0.0.9/x"),
        (b"*", b"/root/*"),
        (b"/x#/../y", b"/root/x%23/../y"),
    ],
)
def test_no_path_chooses_another_server(target: bytes, asked: bytes) -> None:
    heard: list[bytes] = []

    def serve(line: socket.socket) -> None:
        heard.append(head_of(line).split(b" ")[1])
        line.sendall(OK + b"Content-Length: 0\r\n\r\n")

    with guarded(serve) as (_, connect, token, _notes), closing(connect()) as line:
        line.sendall(
            b"OPTIONS " + target + b" HTTP/1.1\r\nHost: guard\r\nConnection: close\r\n"
            + f"Authorization: Bearer {token}\r\n\r\n".encode()
        )  # fmt: skip
        said = until_closed(line)
    assert (heard, said[:12]) == ([asked], b"HTTP/1.1 200")


@pytest.mark.parametrize("protocol", [b"SPDY/3.1", b"websocket"])
def test_what_was_said_last_arrives_on_an_upgraded_connection(protocol: bytes) -> None:
    """The server speaks first, in the packet of its answer; then each side says much and leaves."""
    many, heard = b"0123456789" * 200_000, bytearray()

    def serve(line: socket.socket) -> None:
        head_of(line)
        line.sendall(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: " + protocol
            + b"\r\nConnection: Upgrade\r\n\r\nfirst"
        )  # fmt: skip
        while len(heard) < len(many):
            heard.extend(line.recv(65_536))
        line.sendall(many)

    with guarded(serve) as (_, connect, token, notes), closing(connect()) as line:
        line.sendall(
            f"POST /{token}/api/v1/namespaces/a/pods/b/exec HTTP/1.1\r\nHost: guard\r\n".encode()
            + b"Connection: Upgrade\r\nUpgrade: " + protocol + b"\r\nContent-Length: 0\r\n\r\n"
        )  # fmt: skip
        assert head_of(line) == (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: " + protocol
            + b"\r\nConnection: Upgrade\r\n\r\n"
        )  # fmt: skip
        line.sendall(many)
        assert until_closed(line) == b"first" + many
    assert bytes(heard) == many
    assert [note.status for note in notes] == [101]


def test_who_leaves_an_upgraded_connection_has_said_all() -> None:
    many, heard, ended = b"0123456789" * 200_000, bytearray(), threading.Event()

    def serve(line: socket.socket) -> None:
        head_of(line)
        line.sendall(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
        heard.extend(until_closed(line))
        ended.set()

    with guarded(serve) as (_, connect, token, _notes):
        with closing(connect()) as line:
            line.sendall(
                f"GET /{token}/api HTTP/1.1\r\nHost: guard\r\nConnection: Upgrade\r\n".encode()
                + b"Upgrade: x\r\n\r\n"
            )
            head_of(line)
            line.sendall(many)
        assert ended.wait(30)
    assert bytes(heard) == many


def test_who_hangs_up_ends_the_watch_at_the_api_server() -> None:
    ended = threading.Event()

    def serve(line: socket.socket) -> None:
        head_of(line)
        line.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")
        until_closed(line)
        ended.set()

    with guarded(serve) as (_, connect, token, notes):
        with closing(connect()) as line:
            line.sendall(f"GET /{token}/api/v1/pods?watch=true HTTP/1.1\r\nHost: x\r\n\r\n".encode())  # fmt: skip
            head_of(line)
        assert ended.wait(30)
    assert [(note.path, note.status) for note in notes] == [("/api/v1/pods?watch=true", 200)]


def test_an_answer_that_breaks_off_breaks_off() -> None:
    def serve(line: socket.socket) -> None:
        head_of(line)
        line.sendall(OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n")

    with guarded(serve) as (_, connect, token, notes), closing(connect()) as line:
        line.sendall(f"GET /{token}/api HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert until_closed(line) == OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
    assert [note.status for note in notes] == [200]


@pytest.mark.parametrize(("method", "again"), [("GET", 2), ("POST", 1)])
def test_a_request_that_may_not_be_sent_twice_is_not(method: str, again: int) -> None:
    """The server takes a second request on a kept connection, and dies of it."""
    heard: list[bytes] = []

    def once(line: socket.socket) -> None:
        head_of(line)
        line.sendall(OK + b"Content-Length: 2\r\n\r\nok")
        heard.append(head_of(line)[:4].strip())

    def good(line: socket.socket) -> None:
        heard.append(head_of(line)[:4].strip())
        line.sendall(OK + b"Content-Length: 2\r\n\r\nok")

    with guarded(once, good) as (_, connect, token, notes):
        for asked in ("GET", method):
            with closing(connect()) as line:
                line.sendall(
                    f"{asked} /{token}/api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n".encode()
                    + b"Content-Length: 0\r\n\r\n"
                )
                said = until_closed(line)
    assert heard == [method.encode()] * again
    assert said[-2:] == (b"ok" if again == 2 else b"")
    assert [note.status for note in notes] == [200, 200 if again == 2 else 0]


@pytest.mark.parametrize("chunked", [True, False])
def test_an_endless_body_is_not_read_to_its_end(chunked: bool, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.setattr("sregym_agents.guard.proxy.BODY_CAP", 1000)
    framing = b"Transfer-Encoding: chunked\r\n\r\n3e9\r\n" if chunked else b"Content-Length: 1001\r\n\r\n"  # fmt: skip

    with guarded(lambda line: None) as (_, connect, token, _notes), closing(connect()) as line:
        line.sendall(f"POST /{token}/api HTTP/1.1\r\nHost: x\r\n".encode() + framing + b"x" * 1001)
        line.sendall(b"\r\n0\r\n\r\n" if chunked else b"")
        head, _, body = until_closed(line).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b'"message":"more than 1000 bytes were sent"' in body.replace(b'": "', b'":"')


@pytest.mark.parametrize(
    "content",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
        b"GET @127.0.0.9:80/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /\xc3\xbc HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_as_api_servers_do(content: bytes) -> None:
    with guarded(lambda line: None) as (_, connect, _token, notes), closing(connect()) as line:
        line.sendall(content)
        assert until_closed(line) == (
            b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
            b"Connection: close\r\n\r\n400 Bad Request"
        )
    assert notes == []
