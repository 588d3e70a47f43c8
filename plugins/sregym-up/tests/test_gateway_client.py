"""Requests to a session whose process dies or answers something else."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
from sregym_agents.session_folder import SessionAddress
from sregym_core.errors import UsageError
from sregym_up.gateway_client import get_json

Serving = Callable[[bytes], SessionAddress]


@pytest.fixture
def serving() -> Iterator[Serving]:
    """A server that reads one request, gives these bytes back, and hangs up."""
    threads = []
    server = socket.create_server(("127.0.0.1", 0))

    def begin(answer: bytes) -> SessionAddress:
        def once() -> None:
            peer, _ = server.accept()
            # Read whole: who closes with something unread resets the connection.
            with peer, peer.makefile("rb") as asked:
                head = [line.lower() for line in iter(asked.readline, b"\r\n")]
                lengths = (
                    line.split(b":")[1] for line in head if line.startswith(b"content-length")
                )
                asked.read(int(next(lengths, b"0")))
                peer.sendall(answer)

        threads.append(Thread(target=once))
        threads[-1].start()
        return SessionAddress(f"http://127.0.0.1:{server.getsockname()[1]}", "token")

    yield begin
    for thread in threads:
        thread.join()
    server.close()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "Remote end closed connection without response"),
        (
            b'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"text"',
            "IncompleteRead(7 bytes read, 33 more expected)",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "Expecting value: line 1 column 1 (char 0)",
        ),
    ],
    ids=["at once", "in the middle", "no JSON"],
)
def test_a_session_that_goes_away_is_told(serving: Serving, answer: bytes, reason: str) -> None:
    address = serving(answer)
    with pytest.raises(UsageError) as caught:
        get_json(address, "/tools/wait", "call", {"seconds": 5})
    assert str(caught.value) == (
        f"the session at {address.gateway}/tools/wait does not answer: {reason}; "
        "is `sregym up` still running?"
    )


def test_a_refusal_is_told_in_the_words_of_the_session(serving: Serving) -> None:
    address = serving(
        b'HTTP/1.1 410 Gone\r\nContent-Length: 36\r\n\r\n{"message": "the budget is used up"}'
    )
    with pytest.raises(UsageError) as caught:
        get_json(address, "/tools/wait", "call", {})
    assert str(caught.value) == "the session refused the call (410): the budget is used up"
