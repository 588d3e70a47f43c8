"""Connections from containers: who answers, or how the kernel's error is called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.userland.httpd import is_httpd, root_of
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.shell.dns_queries import unresolved
from sregym_cluster_embedded.userland.shell.httpd_answers import response_bytes
from sregym_cluster_embedded.userland.shell.session import OpenSocket
from sregym_cluster_embedded.userland.wiring import Target, reach

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Session

# How long a TCP connection is tried without an answer where the command sets no limit.
CONNECT_S = 131.0

_LOOPBACK = ("", "localhost", "127.0.0.1", "::1")

WORDS = {
    "refused": "Connection refused",
    "timeout": "Connection timed out",
    "unreachable": "Network is unreachable",
    "no_route": "No route to host",
    "no_port": "Cannot assign requested address",
    "reset": "Connection reset by peer",
}


def connect(session: Session, host: str, port: int, protocol: str = "tcp", url: str = "") -> Target:
    """Where one connection ends: one of several ends, as kube-proxy would choose."""
    targets = reach(session.world, session.process, host, port, protocol, url or host)
    if session.process.ref.pod_uid and host not in _LOOPBACK:
        network = session.world.service(NETWORK)
        network.looked_up(session.world, session.process.ref.pod_uid, host)
    count = session.connections
    session.connections += 1
    point = session.world.seed.fraction(
        "connect", session.process.ref, url or host, session.world.now, count
    )
    chosen = targets[-1]
    for target in targets:
        point -= target.share
        if point < 0:
            chosen = target
            break
    if chosen.facts["ip"] == "localhost":
        return replace(chosen, facts={**chosen.facts, "ip": "127.0.0.1"})
    return chosen


def wait_for(session: Session, limit_s: float | None) -> None:
    """Let the time of a connection without an answer pass."""
    session.slept_s += CONNECT_S if limit_s is None else limit_s


def socket_error(session: Session, target: str, descriptor: int | None = None) -> str:
    """What bash says of `/dev/tcp/HOST/PORT`; empty when the connection stands, and is kept."""
    _, _, _, host, port = (*target.split("/"), "", "")[:5]
    shell = session.arguments[0].rpartition("/")[2]
    if shell != "bash":
        return f"{shell}: can't create {target}: nonexistent directory\n"
    found = connect(session, host, int(port) if port.isdecimal() else 0)
    if found.kind in ("", "protocol"):
        if descriptor is not None:
            session.sockets[descriptor] = OpenSocket(found)
        return ""
    if found.kind == "dns":
        why = unresolved(session, host)
        return f"bash: {host}: {why}\nbash: line 1: {target}: Invalid argument\n"
    if found.kind == "timeout":
        wait_for(session, None)
    words = WORDS.get(found.kind, "Connection refused")
    return f"bash: connect: {words}\nbash: line 1: {target}: {words}\n"


def server_reply(session: Session, target: Target, text: str) -> str:
    """What the server at the end of a connection answers to what it was sent."""
    server = process_of(session.world, target.ref) if target.ref is not None else None
    if server is None:
        return ""
    program = session.runtime.program_of(server)
    if program is None:
        return ""
    if is_httpd(session.world, server) and root_of(server) is not None:
        return response_bytes(session, server, text) if "\n" in text else ""
    kind: Any = session.runtime.kind_of(server)
    answer: str = kind.talk(session.world, server, program, text)
    if not answer and text.startswith(("GET ", "HEAD ")):
        path = text.split(" ")[1] if text.count(" ") else "/"
        web = kind.web(session.world, server, program, "GET", path)
        if web is not None:
            size = len(web.body.encode(errors="surrogateescape"))
            head = f"HTTP/1.1 {web.status} {'OK' if web.status == 200 else 'Error'}\r\n"
            answer = f"{head}Content-Type: {web.content_type}\r\nContent-Length: {size}\r\n\r\n{web.body}"
    return answer


def read_connection(session: Session, descriptor: int, *, line: bool) -> str:
    """What is read from a connection that the shell holds: one line, or all that there is."""
    held = session.sockets[descriptor]
    held.closed = held.closed or any(word in held.sent for word in _LAST_WORDS)
    known = held.answer + (server_reply(session, held.target, held.sent) if held.sent else "")
    held.sent = ""
    end = known.find("\n") + 1 if line and "\n" in known else len(known)
    answer, held.answer = known[:end], known[end:]
    session.blocked = not line and not held.closed
    return answer


# After these a server closes the connection.
_LAST_WORDS = ("quit", "QUIT", "HTTP/1.0", "Connection: close", "Connection: Close")


def served_port(name: str, words: list[str]) -> int:
    """The port that `nc -l` or `httpd -f` would serve; 0 when it is none of them."""
    letters = "".join(word for word in words[1:] if word.startswith("-"))
    if (name, "l" in letters) != ("nc", True) and (name, "f" in letters) != ("httpd", True):
        return 0
    numbers = [word.rpartition(":")[2] for word in words[1:]]
    numbers = [word for word in numbers if word.isdecimal()]
    return int(numbers[0]) if numbers else 80 if name == "httpd" else 0
