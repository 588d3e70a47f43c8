"""What CoreDNS' plugin `log` writes: the lookups that the calls of other programs make.

A program looks a name up when it connects: now and then while calls succeed, and with each call
whose name is not found.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.network.resolver import CLUSTER_DOMAIN
from sregym_cluster_embedded.telemetry.lives import Life, lives
from sregym_cluster_embedded.telemetry.spreading import moments
from sregym_cluster_embedded.userland.kinds.nameserver import logged_classes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_apps.model import NameServerProgram

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# A program that holds connections makes new ones about so often.
_RECONNECTS_S = 30.0
_STEP_S = 0.0004
_FIRST_LOOK_S = 60.0
_CLASSES = {"NOERROR": "success", "NXDOMAIN": "denial", "SERVFAIL": "error"}
# Bytes that a start of authority adds, of the cluster's zone and of the root's.
_CLUSTER_SOA, _ROOT_SOA = 93, 75


class Asked(NamedTuple):
    """Lookups of one name by one process while nothing changes.

    Attributes:
        caller: Who asks.
        host: What it dials.
        answer: `NOERROR`, `NXDOMAIN` or `SERVFAIL`.
        rate: Lookups a second.
        start: Virtual second.
        end: Virtual second.
        seed: Of the time.
    """

    caller: Process
    host: str
    answer: str
    rate: float
    start: float
    end: float
    seed: int


class Server(NamedTuple):
    """One CoreDNS: from when to when it was there."""

    ref: ContainerRef
    start: float
    end: float


def logged_lookups(
    world: World, server: Process, first: float, until: float, wanted: int | None
) -> Iterator[LogLine]:
    """The lines of the plugin `log` of one CoreDNS, oldest first; none without the plugin."""
    switches = logged_classes(server)
    if not any(classes for _, classes in switches):
        return
    known = [*lives(world)]
    servers = sorted(
        Server(life.ref, life.process.started_at, life.ended(world.now))
        for life in known
        if life.process.program == server.program
    )
    asked = [one for life in known for one in _asked(world, life) if one.end > first]
    length = until - first if wanted is None else _FIRST_LOOK_S
    while True:
        start = max(first, until - length)
        found = _between(asked, switches, start, until, (server.ref, servers))
        if wanted is None or len(found) >= wanted or start <= first:
            yield from found
            return
        length *= 4


def _between(
    asked: list[Asked],
    switches: list[tuple[float, tuple[str, ...]]],
    first: float,
    until: float,
    place: tuple[ContainerRef, list[Server]],
) -> list[LogLine]:
    streams = [_lines(one, first, until, *place) for one in asked]
    found = []
    for at, answer, text in heapq.merge(*streams):
        classes = next((names for since, names in reversed(switches) if since <= at), ())
        if "all" in classes or _CLASSES[answer] in classes:
            found.append(LogLine(at, "stdout", text))
    return found


def _asked(world: World, life: Life) -> Iterator[Asked]:
    for segment, end in life.spans(world.now):
        for host, answer, rate in _rates(
            (call.host, call.ok, call.rate, call.errors)
            for flow in segment.flows
            for call in flow.calls
        ):
            yield Asked(life.process, host, answer, rate, segment.start, end, segment.seed)


def _rates(
    calls: Iterable[tuple[str, float, float, tuple[tuple[str, str, float], ...]]],
) -> list[tuple[str, str, float]]:
    found: dict[tuple[str, str], float] = {}
    for host, ok, rate, errors in calls:
        if not host or host.replace(".", "").isdigit() or rate <= 0:
            continue
        if ok > 0:
            found[(host, "NOERROR")] = 1 / _RECONNECTS_S
        for kind, words, share in errors:
            if kind == "dns" and "i/o timeout" not in words:
                answer = "SERVFAIL" if "misbehaving" in words else "NXDOMAIN"
                found[(host, answer)] = found.get((host, answer), 0.0) + rate * share
    return [(host, answer, rate) for (host, answer), rate in sorted(found.items())]


def _lines(
    asked: Asked, first: float, until: float, own: ContainerRef, servers: list[Server]
) -> Iterator[tuple[float, str, str]]:
    """(moment, answer, line) of the lookups that one of several servers answers."""
    seed = Seed(asked.seed)
    name = ("lookup", asked.caller.ref, asked.host, asked.answer, asked.start)
    offset = seed.fraction(*name)
    # A lookup takes a moment: one that began before `first` may write behind it.
    times = moments(asked.rate, asked.start, first - 1 / asked.rate, until, offset)
    for number, at in times:
        there = [one.ref for one in servers if one.start <= at < one.end]
        if at < asked.end and there and there[number % len(there)] == own:
            for line in _lookup(asked, at, seed, (*name, number)):
                if first <= line[0] < until:
                    yield line


def _lookup(
    asked: Asked, at: float, seed: Seed, name: tuple[object, ...]
) -> Iterator[tuple[float, str, str]]:
    port = 32768 + int(seed.fraction(*name, "port") * 28232)
    for index, (question, answer) in enumerate(_questions(asked)):
        for kind in ("A", "AAAA"):
            drawn = seed.fraction(*name, index, kind)
            size = len(question) + 18
            inside = question.endswith(CLUSTER_DOMAIN)
            flags = "qr,aa,rd" if inside else "qr,rd,ra"
            added = (_CLUSTER_SOA if inside else _ROOT_SOA) if answer != "SERVFAIL" else 0
            if answer == "NOERROR" and kind == "A":
                added = len(question) + 16
            text = (
                f"[INFO] {asked.caller.config.pod_ip}:{port + index} - {int(drawn * 65536)} "
                f'"{kind} IN {question}. udp {size} false 512" {answer} {flags} {size + added} '
                f"{0.00006 + drawn * 0.0002:.9f}s"
            )
            yield at + index * _STEP_S, answer, text


def _questions(asked: Asked) -> list[tuple[str, str]]:
    """The names that a resolver with the usual search list tries, and what each is answered."""
    namespace = asked.caller.ref.namespace
    searches = (f"{namespace}.svc.{CLUSTER_DOMAIN}", f"svc.{CLUSTER_DOMAIN}", CLUSTER_DOMAIN)
    host = asked.host.rstrip(".")
    names = [*(f"{host}.{domain}" for domain in searches), host]
    if asked.answer == "SERVFAIL":
        return [(names[0], "SERVFAIL")]
    if asked.answer == "NXDOMAIN":
        return [(name, "NXDOMAIN") for name in names]
    dots = host.count(".")
    hit = 3 if host.endswith(CLUSTER_DOMAIN) or dots > 2 else dots
    return [*((name, "NXDOMAIN") for name in names[:hit]), (names[hit], "NOERROR")]


def background(
    world: World,
    life: Life,
    program: NameServerProgram,  # noqa: ARG001 - what it logs stands in its Corefile
    first: float,
    until: float,
    wanted: int | None = None,
) -> Iterator[LogLine]:
    """What a name server wrote of the lookups that came to it."""
    yield from logged_lookups(world, life.process, first, until, wanted)
