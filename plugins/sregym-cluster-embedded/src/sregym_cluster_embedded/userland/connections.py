"""The TCP connections that programs hold, derived from the traffic on demand.

Both ends see the same: what a pod holds to others is worked out once, for the caller's side, and a
server's side is what all the callers hold to it. How many there are follows from the requests that
flow: to a datastore what its own figures tell, to other programs as many as requests are under way,
one where a protocol carries them all over the same, from a load generator those that it keeps open.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import (
    DialStep,
    LoadGeneratorProgram,
    QueryStep,
    RegisterStep,
    SeedStep,
    ServiceProgram,
    expand,
)

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.machines import SYSCTLS
from sregym_cluster_embedded.userland.command_counts import connected
from sregym_cluster_embedded.userland.connect_limits import port_range
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW, RUNTIME, Call
from sregym_cluster_embedded.userland.process import PODS, process_of, running_in
from sregym_cluster_embedded.userland.wiring import dependency_of, parse_address, reach, targets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.wiring import Target
    from sregym_cluster_embedded.world import World

LISTEN, ESTABLISHED, SYN_SENT = "LISTEN", "ESTAB", "SYN-SENT"
# Packets of these calls are lost, or wait for a neighbour that does not answer.
_UNANSWERED = ("timeout", "no_route")
_HTTP = 80
_RANGE = "net.ipv4.ip_local_port_range"


class Ending(NamedTuple):
    """An address and a port."""

    ip: str
    port: int


class HeldConnection(NamedTuple):
    """A connection of a program, or its attempt to get one.

    Attributes:
        caller: Who holds it.
        server: Who is at the other end; None while there is no answer.
        state: As `ss` calls it.
        local: The caller's end, as both see it.
        dialled: The other end as the caller sees it: the address that it asked for.
        served: The same end as the server sees it.
    """

    caller: Process
    server: Process | None
    state: str
    local: Ending
    dialled: Ending
    served: Ending


class Socket(NamedTuple):
    """A TCP socket of a pod.

    Attributes:
        process: The process that it belongs to.
        state: As `ss` calls it.
        here: This end; without an address for one that listens on all.
        there: The other end; empty, with port 0, for one that listens.
        is_v6: Whether it belongs to version 6, with addresses of version 4 mapped into it.
        descriptor: Its number in the process.
    """

    process: Process
    state: str
    here: Ending
    there: Ending
    is_v6: bool
    descriptor: int = 0


def sockets(world: World, pod_uid: str) -> list[Socket]:
    """The TCP sockets of a pod: those that listen, what it holds itself, and what others hold to it."""
    found: list[Socket] = []
    running = running_in(world, pod_uid)
    for process in running:
        for port, _ in process.ports:
            found.append(
                Socket(process, LISTEN, Ending("", port), Ending("", 0), _is_v6(world, process))
            )
    book = _Book(world)
    for held in book.of(pod_uid):
        found.append(Socket(held.caller, held.state, held.local, held.dialled, False))
    if any(process.ports for process in running):
        for held in book.to(pod_uid):
            assert held.server is not None
            v6 = _is_v6(world, held.server)
            found.append(Socket(held.server, held.state, held.served, held.local, v6))
    used: dict[ContainerRef, int] = {}
    shown = []
    for socket in found:
        ref = socket.process.ref
        used[ref] = used.get(ref, 2) + 1
        shown.append(socket._replace(descriptor=used[ref]))
    return shown


def connection_sources(world: World, server: Process) -> list[Ending]:
    """Where the connections come from that a datastore counts, in the order of `Counted.held_by`.

    Port 0 where the way to the server is shut and what its figures tell has not changed yet.
    """
    ports: dict[str, list[Ending]] = {}
    for held in _Book(world).to(server.ref.pod_uid):
        if held.server is not None and held.server.ref == server.ref:
            ports.setdefault(held.caller.config.pod_ip, []).append(held.local)
    found = []
    for peer in connected(world, server.ref):
        known = ports.get(peer.address)
        found.append(known.pop(0) if known else Ending(peer.address, 0))
    return found


def first_port(caller: ContainerRef, server: ContainerRef) -> int:
    """The port of the first connection that a program makes to a server, in the usual range."""
    low, high = SYSCTLS[_RANGE].split()
    return int(low) + 2 * _place((caller, server), 0, (int(high) - int(low) + 1) // 2)


def _place(ends: tuple[object, object], number: int, size: int) -> int:
    return int(Seed(0).fraction("connection", *ends, number) * size)


def _is_v6(world: World, process: Process) -> bool:
    if process.behaviour is None:
        return True
    return not world.service(RUNTIME).kind_of(process).ipv4_only


class _Want(NamedTuple):
    """So many connections of a process to one end."""

    caller: Process
    target: Target
    number: int
    state: str


class _Book:
    """What programs hold in one world at this moment."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._peers: dict[ContainerRef, dict[str, int]] = {}
        pods = world.table(PODS)
        self._pods = {p.config.pod_ip for uid in pods for p in running_in(world, uid)}

    def to(self, pod_uid: str) -> Iterator[HeldConnection]:
        """What is held to a pod, by callers in order of their start."""
        for uid in self._world.table(PODS):
            for held in self.of(uid):
                if held.server is not None and held.server.ref.pod_uid == pod_uid:
                    yield held

    def of(self, pod_uid: str) -> Iterator[HeldConnection]:
        """What the programs of a pod hold, and what they wait for."""
        used: dict[Ending, set[int]] = {}
        done: set[ContainerRef] = set()
        for process in running_in(self._world, pod_uid):
            for want in self._wants(process, done):
                yield from self._held(want, used)

    def _wants(self, process: Process, done: set[ContainerRef]) -> Iterator[_Want]:
        program = process.behaviour
        if isinstance(program, LoadGeneratorProgram):
            yield from self._generated(process, program)
        elif isinstance(program, ServiceProgram):
            if process.served_at is None:
                yield from self._tried(process, program)
            yield from self._called(process, done)

    def _generated(self, process: Process, program: LoadGeneratorProgram) -> Iterator[_Want]:
        """A load generator keeps its connections open, each to the end that it first came to."""
        if process.served_at is None:
            return
        facts = process.facts()
        text = expand(program.users or program.connections, facts)
        number = int(text) if text.isdecimal() else 0
        url = expand(program.target, facts) or "localhost"
        where = parse_address(url, _HTTP)
        ends = reach(self._world, process, where.host, where.port, "http", url)
        for end, count in zip(ends, _shared(number, ends), strict=True):
            state = self._state(end)
            if state:
                yield _Want(process, end, count, state)

    def _tried(self, process: Process, program: ServiceProgram) -> Iterator[_Want]:
        """A start-up waits for an answer to its first packet."""
        step = program.startup[process.step] if process.step < len(program.startup) else None
        if isinstance(step, (DialStep, QueryStep, SeedStep, RegisterStep)):
            client = process.clients[dependency_of(step)[0]]
            for end in targets(self._world, process, client)[:1]:
                if self._state(end) == SYN_SENT:
                    yield _Want(process, end, 1, SYN_SENT)

    def _called(self, process: Process, done: set[ContainerRef]) -> Iterator[_Want]:
        """A service calls through its clients; `done` are datastores that a pod has been counted at."""
        traffic = self._world.service_or_none(REQUEST_FLOW)
        segments = () if traffic is None else traffic.served(self._world, process.ref)
        calls = [call for flow in segments[-1].flows for call in flow.calls] if segments else []
        for name, client in process.clients.items():
            if client.registry is not None and process.clients[client.registry].wire.messaging:
                continue  # its requests and their answers pass the broker
            mine = [call for call in calls if call.client == name and call.rate > 0]
            kept = client.pool and (process.served_at is not None or name in process.dialled)
            for end in targets(self._world, process, client) if mine or kept else ():
                state = self._state(end)
                if not state:
                    continue
                server = None if end.ref is None else process_of(self._world, end.ref)
                if server is not None and not isinstance(server.behaviour, ServiceProgram):
                    # Its own figures count what a program holds, over all clients.
                    if server.ref not in done:
                        done.add(server.ref)
                        yield _Want(process, end, self._counted(process, server), state)
                    continue
                if not mine:
                    continue
                count = 1
                if client.pool or client.wire.one_connection_a_call:
                    under_way = sum(_under_way(call) for call in mine if call.callee == end.ref)
                    count = math.ceil(round(under_way, 6))
                most = count if client.pool is None else math.floor(client.pool * end.share)
                yield _Want(process, end, max(1, min(count, most)), state)

    def _state(self, end: Target) -> str:
        """The state of connections to an end; empty where there are none."""
        if end.kind in _UNANSWERED:
            return SYN_SENT
        server = None if end.kind or end.ref is None else process_of(self._world, end.ref)
        return ESTABLISHED if server is not None and server.running else ""

    def _counted(self, caller: Process, server: Process) -> int:
        """How many a datastore counts of a caller."""
        known = self._peers.get(server.ref)
        if known is None:
            known = self._peers[server.ref] = {}
            for peer in connected(self._world, server.ref):
                known[peer.address] = known.get(peer.address, 0) + 1
        return known.get(caller.config.pod_ip, 0)

    def _held(self, want: _Want, used: dict[Ending, set[int]]) -> Iterator[HeldConnection]:
        """The connections, with the ports that they have at the caller's end."""
        end, caller = want.target, want.caller
        server = None if end.ref is None else process_of(self._world, end.ref)
        dialled = Ending(end.facts["ip"], int(end.facts["port"]))
        served, own = dialled, caller.config.pod_ip
        if server is not None:
            port = next((n for n, name in server.ports if name == end.listener), dialled.port)
            served = Ending(server.config.pod_ip, port)
            if dialled.ip in ("localhost", "127.0.0.1", "::1"):
                own = "127.0.0.1"
                served = dialled = Ending(own, port)
            elif dialled.ip in self._pods:
                # Without a cluster address clients use those of all the pods in turn.
                dialled = served
        taken = used.setdefault(dialled, set())
        for port in _ports(self._world, want, dialled, taken):
            yield HeldConnection(caller, server, want.state, Ending(own, port), dialled, served)


def _under_way(call: Call) -> float:
    """How many of some calls are made at a time: their rate times what they take."""
    took_ms = call.ok * call.time.mean_ms + (1 - call.ok) * call.failed_time.mean_ms
    return call.rate * took_ms / 1000


def _shared(count: int, ends: Sequence[Target]) -> list[int]:
    """So many connections shared among ends."""
    borders, total = [0], 0.0
    for end in ends:
        total += end.share
        borders.append(math.floor(count * total + 0.5))
    return [after - before for before, after in pairwise(borders)]


def _ports(world: World, want: _Want, dialled: Ending, taken: set[int]) -> Iterator[int]:
    """Ports of the caller's end; the kernel gives out every other one, whose places are in `taken`.

    They depend on both ends alone: a connection keeps its port when others come and go, and a new
    life of either end gets other ones.
    """
    low, high = port_range(world, want.caller.ref)
    size = max(1, (high - low + 1) // 2)
    ends = (want.caller.ref, want.target.ref or dialled)
    for number in range(min(want.number, size - len(taken))):
        spot = _place(ends, number, size)
        while spot in taken:
            spot = (spot + 1) % size
        taken.add(spot)
        yield low + 2 * spot
