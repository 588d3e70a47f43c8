"""Requests that nginx passes on: to which address, and what comes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.commands import Target, reach
from sregym_cluster_embedded.sdk.servers import (
    RUNTIME,
    Process,
    is_address,
    note_request,
    process_of,
    query,
)

from sregym_server_nginx.loading import Loaded, place_of

if TYPE_CHECKING:
    from sregym_cluster_embedded.sdk.servers import Object, Runtime, WebAnswer, WebRequest, World

_CONNECTING, _READING = (
    "while connecting to upstream",
    "while reading response header from upstream",
)
# By kind of failure: nginx's words, and the code with which it answers.
_FAILURES = {
    "refused": (f"connect() failed (111: Connection refused) {_CONNECTING}", 502),
    "no_route": (f"connect() failed (113: Host is unreachable) {_CONNECTING}", 502),
    "unreachable": (f"connect() failed (101: Network is unreachable) {_CONNECTING}", 502),
    "timeout": (f"upstream timed out (110: Connection timed out) {_CONNECTING}", 504),
    "reset": (f"recv() failed (104: Connection reset by peer) {_READING}", 502),
    "protocol": (f"upstream sent no valid HTTP/1.0 header {_READING}", 502),
    "closed": (f"upstream prematurely closed connection {_READING}", 502),
    "late": (f"upstream timed out (110: Connection timed out) {_READING}", 504),
}


class Limits(NamedTuple):
    """How long nginx waits for a server behind it, in seconds."""

    connect_s: float = 60.0
    read_s: float = 60.0


class Passed(NamedTuple):
    """What came of a request that was passed on.

    Attributes:
        status: The code.
        answer: What the server behind answered; None when it did not.
        errors: What is written to the log of errors: words, and the URL behind.
        upstream: Address and port of those that were asked.
        seconds: How long it took.
    """

    status: int
    answer: WebAnswer | None
    errors: tuple[tuple[str, str], ...] = ()
    upstream: tuple[str, ...] = ()
    seconds: float = 0.0


def pass_on(
    world: World, process: Process, pod: Object, loaded: Loaded, url: str, sent: WebRequest,
    limits: Limits, resolver: str,
) -> Passed:  # fmt: skip
    """Pass a request on to where a URL, without path, leads.

    Args:
        world: The cluster.
        process: nginx.
        pod: Its pod.
        loaded: Its configuration.
        url: Scheme, host and port.
        sent: What is asked there.
        limits: How long it waits.
        resolver: The name server for hosts that are known only now; empty when it has none.
    """
    place = place_of(url)
    if place is None:
        return Passed(500, None, ((f'invalid URL prefix in "{url}"', ""),))
    host, port, _ = place
    ends, error = _ends(world, pod, loaded, host, port, resolver)
    if error:
        return Passed(502, None, ((error, ""),))
    errors: list[tuple[str, str]] = []
    asked: list[str] = []
    seconds, status = 0.0, 502
    for ip, number in ends:
        asked.append(f"{ip}:{number}")
        kind, answer, took_s = _ask(world, process, ip, number, sent, limits)
        seconds += took_s
        if answer is not None:
            return Passed(answer.status, answer, tuple(errors), tuple(asked), seconds)
        words, status = _FAILURES.get(kind, _FAILURES["closed"])
        scheme = url.partition("://")[0].lower()
        errors.append((words, f"{scheme}://{ip}:{number}{sent.path}"))
    return Passed(status, None, tuple(errors), tuple(asked), seconds)


def _ends(
    world: World, pod: Object, loaded: Loaded, host: str, port: int, resolver: str
) -> tuple[list[tuple[str, int]], str]:
    """The addresses in the order in which they are tried, or why there are none."""
    if host in loaded.upstreams:
        members = loaded.upstreams[host]
        first = [(ip, number) for ip, number, backup in members if not backup]
        spare = [(ip, number) for ip, number, backup in members if backup]
    else:
        known = loaded.addresses.get(host, (host,) if is_address(host) else ())
        first, spare = [(ip, port) for ip in known], []
    if not first and not spare:
        return _found_now(world, pod, host, port, resolver)
    turn = loaded.requests % len(first) if first else 0
    return [*first[turn:], *first[:turn], *spare], ""


def _found_now(
    world: World, pod: Object, host: str, port: int, resolver: str
) -> tuple[list[tuple[str, int]], str]:
    """Of a host that stands in a variable: its name server is asked for just this name."""
    if not resolver:
        return [], f"no resolver defined to resolve {host}"
    reply = query(world, pod, resolver, host)
    found = [(record, port) for record in reply.addresses()]
    if not found:
        return [], f"{host} could not be resolved (3: Host not found)"
    return found, ""


def _ask(
    world: World, process: Process, ip: str, port: int, sent: WebRequest, limits: Limits
) -> tuple[str, WebAnswer | None, float]:
    """How a request to an address fails, or its answer; and after how many seconds."""
    ends = reach(world, process, ip, port, "http", f"{ip}:{port}")
    end: Target = world.seed.pick(ends, "upstream", ip, port, world.now, sent.path)
    if end.kind == "timeout":
        return "timeout", None, limits.connect_s
    server = process_of(world, end.ref) if end.ref is not None else None
    if end.kind or server is None:
        return end.kind or "protocol", None, 0.0
    runtime: Runtime = world.service(RUNTIME)
    program = runtime.program_of(server)
    if program is None:
        return "closed", None, 0.0
    there = next((number for number, name in server.ports if name == end.listener), port)
    answer = runtime.kind_of(server).respond(world, server, program, sent._replace(port=there))
    if answer is None:
        return "protocol", None, 0.0
    if answer.seconds + server.wait_s > limits.read_s:
        return "late", None, limits.read_s
    note_request(world, server, sent.client, sent.path, answer.status)
    return "", answer, answer.seconds + server.wait_s
