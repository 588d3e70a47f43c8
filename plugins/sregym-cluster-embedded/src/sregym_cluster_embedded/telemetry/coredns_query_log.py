"""What name servers are asked, and what CoreDNS' plugin `log` writes of it.

A program looks a name up when it connects: now and then while calls succeed, and with each call
whose name is not found. A command asks when it runs.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import LoadGeneratorProgram, expand

from sregym_cluster_embedded.clock import Seed
from sregym_cluster_embedded.kubelet.runtime import LogLine
from sregym_cluster_embedded.network.dns_queries import QUESTIONS
from sregym_cluster_embedded.network.resolver import CLUSTER_DOMAIN
from sregym_cluster_embedded.telemetry.container_instances import ContainerInstance, instances
from sregym_cluster_embedded.telemetry.event_times import moments
from sregym_cluster_embedded.traffic.segments import SENT, segments
from sregym_cluster_embedded.userland.kinds.nameserver import logged_classes
from sregym_cluster_embedded.userland.wiring import parse_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_apps.model import NameServerProgram

    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.traffic.segments import Segment
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# A program that holds connections makes new ones about so often.
_RECONNECTS_S = 30.0
_STEP_S = 0.0004
_FIRST_LOOK_S = 60.0
_CLASSES = {
    "NOERROR": "success",
    "NXDOMAIN": "denial",
    "SERVFAIL": "error",
    "REFUSED": "error",
}
# Bytes that a start of authority adds, of the cluster's zone and of the root's.
_CLUSTER_SOA, _ROOT_SOA = 93, 75


class QueriedName(NamedTuple):
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
    known = [*instances(world)]
    servers = sorted(
        Server(instance.ref, instance.process.started_at, instance.ended(world.now))
        for instance in known
        if instance.process.program == server.program
    )
    asked = [one for instance in known for one in _asked(world, instance) if one.end > first]
    length = until - first if wanted is None else _FIRST_LOOK_S
    while True:
        start = max(first, until - length)
        found = _between(world, asked, switches, start, until, (server.ref, servers))
        if wanted is None or len(found) >= wanted or start <= first:
            yield from found
            return
        length *= 4


def _between(
    world: World,
    asked: list[QueriedName],
    switches: list[tuple[float, tuple[str, ...]]],
    first: float,
    until: float,
    place: tuple[ContainerRef, list[Server]],
) -> list[LogLine]:
    streams = [_lines(one, first, until, *place) for one in asked]
    streams.append(iter(_of_commands(world, first, until, *place)))
    found = []
    for at, answer, text in heapq.merge(*streams):
        classes = next((names for since, names in reversed(switches) if since <= at), ())
        if "all" in classes or _CLASSES[answer] in classes:
            found.append(LogLine(at, "stdout", text))
    return found


def _asked(world: World, instance: ContainerInstance) -> Iterator[QueriedName]:
    sent = segments(world, SENT, instance.ref)
    for segment, end in ContainerInstance(instance.process, sent or instance.served).spans(
        world.now
    ):
        for host, answer, rate in rates(instance.process, segment):
            yield QueriedName(
                instance.process, host, answer, rate, segment.start, end, segment.seed
            )


def rates(caller: Process, segment: Segment, *, each: bool = True) -> list[tuple[str, str, float]]:
    """(host, `NOERROR`, `NXDOMAIN` or `SERVFAIL`, lookups a second) while a segment lasts.

    Args:
        caller: Who asks.
        segment: What it does.
        each: Whether those that clients make for each of their calls are among them; name servers
            have these in what they served.
    """
    found: dict[tuple[str, str], float] = {}
    if isinstance(caller.behaviour, LoadGeneratorProgram):
        url = expand(caller.behaviour.target, caller.facts())
        host = parse_address(url or "localhost").host
        if _is_name(host) and any(flow.rate > 0 and not flow.calls for flow in segment.flows):
            found[(host, "NOERROR")] = 1 / _RECONNECTS_S
    for flow in segment.flows:
        for call in flow.calls:
            host, rate = call.host, call.rate
            if not _is_name(host) or rate <= 0:
                continue
            client = caller.clients.get(call.client)
            kept = client is None or client.keep_alive or bool(client.pool)
            if call.ok > 0 and kept:
                found[(host, "NOERROR")] = 1 / _RECONNECTS_S
            elif not kept and each:
                missed = sum(share for kind, _, share in call.errors if kind == "dns")
                often = found.get((host, "NOERROR"), 0.0) + rate * (1 - missed)
                found[(host, "NOERROR")] = often
            for kind, words, share in call.errors:
                if kind == "dns" and "i/o timeout" not in words and share > 0:
                    answer = "SERVFAIL" if "misbehaving" in words else "NXDOMAIN"
                    found[(host, answer)] = found.get((host, answer), 0.0) + rate * share
    return [(host, answer, rate) for (host, answer), rate in sorted(found.items()) if rate > 0]


def _is_name(host: str) -> bool:
    return bool(host) and host != "localhost" and not host.replace(".", "").isdigit()


def _lines(
    asked: QueriedName, first: float, until: float, own: ContainerRef, servers: list[Server]
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
    asked: QueriedName, at: float, seed: Seed, name: tuple[object, ...]
) -> Iterator[tuple[float, str, str]]:
    port = 32768 + int(seed.fraction(*name, "port") * 28232)
    caller = asked.caller
    several = questions(caller.ref.namespace, asked.host, asked.answer)
    for index, (question, answer) in enumerate(several):
        for kind in FAMILIES:
            drawn = seed.fraction(*name, index, kind)
            place = f"{caller.config.pod_ip}:{port + index}"
            found = answer == "NOERROR" and kind == "A"
            yield at + index * _STEP_S, answer, _line(place, kind, question, answer, found, drawn)


def _line(place: str, kind: str, question: str, answer: str, found: bool, drawn: float) -> str:
    """One line.

    Args:
        place: Address and port of who asks.
        kind: Type of the question.
        question: The name, without the final dot.
        answer: The code of the answer.
        found: Whether there is a record in it.
        drawn: In [0, 1), for the number of the question and the time that it took.
    """
    size = len(question) + 18
    inside = question.endswith(CLUSTER_DOMAIN)
    flags = "qr,aa,rd" if inside else "qr,rd,ra"
    added = 0 if answer in ("SERVFAIL", "REFUSED") else _CLUSTER_SOA if inside else _ROOT_SOA
    if found:
        added = len(question) + 16
    return (
        f'[INFO] {place} - {int(drawn * 65536)} "{kind} IN {question}. udp {size} false 512" '
        f"{answer} {flags} {size + added} {0.00006 + drawn * 0.0002:.9f}s"
    )


def _of_commands(
    world: World, first: float, until: float, own: ContainerRef, servers: list[Server]
) -> list[tuple[float, str, str]]:
    """(moment, answer, line) of what commands asked one of several servers."""
    found = []
    for (kind, answer), (before, latest) in world.table(QUESTIONS).items():
        for number, heard in enumerate(latest, before):
            if first <= heard.at < until and answering(servers, number, heard.at) == own:
                drawn = world.seed.fraction("question", kind, answer, number)
                place = f"{heard.address}:{32768 + int(drawn * 28232)}"
                text = _line(place, kind, heard.name, answer, heard.found, drawn)
                found.append((heard.at, answer, text))
    return sorted(found)


def answering(servers: list[Server], number: int, at: float) -> ContainerRef | None:
    """Which of several servers answers a question; they take turns."""
    there = [one.ref for one in servers if one.start <= at < one.end or one.start <= at == one.end]
    return there[number % len(there)] if there else None


# A resolver asks for both kinds of addresses.
FAMILIES = ("A", "AAAA")


def questions(namespace: str, host: str, answer: str) -> list[tuple[str, str]]:
    """The names that a resolver with the usual search list tries, and what each is answered.

    Args:
        namespace: Of who asks.
        host: What is looked up.
        answer: What it comes to.
    """
    searches = (f"{namespace}.svc.{CLUSTER_DOMAIN}", f"svc.{CLUSTER_DOMAIN}", CLUSTER_DOMAIN)
    host = host.rstrip(".")
    names = [*(f"{host}.{domain}" for domain in searches), host]
    if answer == "SERVFAIL":
        return [(names[0], "SERVFAIL")]
    if answer == "NXDOMAIN":
        return [(name, "NXDOMAIN") for name in names]
    dots = host.count(".")
    hit = 3 if host.endswith(CLUSTER_DOMAIN) or dots > 2 else dots
    return [*((name, "NXDOMAIN") for name in names[:hit]), (names[hit], "NOERROR")]


def background(
    world: World,
    instance: ContainerInstance,
    program: NameServerProgram,  # noqa: ARG001 - what it logs stands in its Corefile
    first: float,
    until: float,
    wanted: int | None = None,
) -> Iterator[LogLine]:
    """What a name server wrote of the lookups that came to it."""
    yield from logged_lookups(world, instance.process, first, until, wanted)
