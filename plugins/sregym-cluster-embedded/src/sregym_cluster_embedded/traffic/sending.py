"""Load generators: what they send at present, and where it ends, behind ingress controllers too."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from sregym_apps.model import Client, IngressProgram, ServiceProgram, expand

from sregym_cluster_embedded.traffic import ingress_requests
from sregym_cluster_embedded.traffic.latency import Time, network_time, timed_out_share
from sregym_cluster_embedded.traffic.load_schedules import number, users_of
from sregym_cluster_embedded.traffic.reached import reached
from sregym_cluster_embedded.traffic.structure import Destination, Part, Source
from sregym_cluster_embedded.userland.flags import flag_values
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.request_attributes import request_attributes
from sregym_cluster_embedded.userland.wiring import parse_address, targets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import LoadGeneratorProgram, MixEntry

    from sregym_cluster_embedded.traffic.flow_graph import Builder
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.wiring import Target

# What a load generator calls the ways in which a connection fails.
_WORDS = {
    **dict.fromkeys(("dns", "refused", "unreachable", "no_route", "no_port"), "connect"),
    "timeout": "timeout",
}


class _Sender(NamedTuple):
    """A load generator that sends.

    Attributes:
        builder: Of the structure.
        process: The load generator.
        asked: What all its requests are like.
        timeout_s: Its timeout, in seconds.
        facts: Its settings.
    """

    builder: Builder
    process: Process
    asked: ingress_requests.IngressRequest
    timeout_s: float
    facts: Mapping[str, str]


def add_source(builder: Builder, process: Process, program: LoadGeneratorProgram) -> None:
    """Add a load generator, and all that its requests lead to, to a structure.

    Each time an entry of the mix is chosen, its requests follow upon each other and only then a
    user thinks: per request there is less to think the more requests that are.
    """
    facts = process.facts()
    if program.flags:
        facts |= dict(builder.footing.at(flag_values, builder.world, process.ref))
    chosen = {name: number(expand(e.weight, facts)) for name, e in program.mix.items()}
    sent = {n: chosen[n] * number(expand(e.times, facts)) for n, e in program.mix.items()}
    whole, requests = sum(chosen.values()), sum(sent.values())
    each = requests / whole if whole else 0.0
    url = expand(program.target, facts) or "localhost"
    client = _browser(url, program.timeout_s)
    found = targets(builder.world, process, client, builder.footing)
    asked = ingress_requests.request_shape(
        program, process, url, parse_address(url, client.wire.port)
    )
    sender = _Sender(builder, process, asked, program.timeout_s, facts)
    parts = tuple(
        Part(
            entry.counts_as or name,
            sent[name] / requests if requests else 0.0,
            tuple(end for target in found for end in _ends(sender, target, entry)),
        )
        for name, entry in program.mix.items()
    )
    rate, users = number(expand(program.rate, facts)) * each, users_of(program, facts)
    think_s = program.think_s / each if each else 0.0
    builder.made.sources.append(
        Source(process.ref, rate, users if each else 0.0, think_s, program.timeout_s, parts)
    )


def _ends(sender: _Sender, target: Target, entry: MixEntry) -> tuple[Destination, ...]:
    """Where a kind of request ends that goes to a target."""
    builder, server = sender.builder, None
    if not target.kind and target.ref is not None:
        server = builder.footing.at(process_of, builder.world, target.ref)
    if server is None or not isinstance(server.behaviour, IngressProgram):
        return (_end(sender, target, entry),)
    method, _, path = entry.request.partition(" ")
    path = sender.asked.url.path.rstrip("/") + path
    passed = ingress_requests.passed(
        builder.world, sender.process, server, target.listener, sender.asked, path, builder.footing
    )
    transit, lost = _way(target, sender.timeout_s)
    if passed.status:
        return (Destination(target.share, -1, passed.status, transit, lost),)
    found = []
    for backend, sent in passed.backends:
        rest = _end(sender, backend, entry.model_copy(update={"request": f"{method} {sent}"}))
        found.append(
            rest._replace(
                share=rest.share * target.share,
                status=ingress_requests.gateway_status(backend.kind)
                if backend.kind
                else rest.status,
                transit=_both(transit, rest.transit),
                lost=1 - (1 - lost) * (1 - rest.lost),
                unknown="",
                why="",
            )
        )
    return tuple(found)


def _way(target: Target, timeout_s: float) -> tuple[Time | None, float]:
    """Time of packets to a target and back, None when the way is clear, and the part that is lost."""
    if target.path is None:
        return None, 0.0
    return network_time(target.path), timed_out_share(target.path, timeout_s * 1000)


def _both(first: Time | None, second: Time | None) -> Time | None:
    return second if first is None else first if second is None else first.then(second)


def _end(sender: _Sender, target: Target, entry: MixEntry) -> Destination:
    """Where a request of a load generator ends: the operation, and the status of a failure."""
    builder, facts = sender.builder, sender.facts
    transit, lost = _way(target, sender.timeout_s)
    if target.kind or target.ref is None:
        known = target.facts if target.kind == "dns" else {}
        unknown, why = known.get("host", ""), known.get("lookup", "")
        status = _WORDS.get(target.kind, "read")
        return Destination(target.share, -1, status, transit, lost, unknown, why)
    process = builder.footing.at(process_of, builder.world, target.ref)
    program = None if process is None else builder.runtime.program_of(process)
    if not isinstance(program, ServiceProgram):
        return Destination(target.share, -1, "404", transit, lost)
    path = entry.request.partition(" ")[2]
    name = reached(builder.world, program, entry.request)
    if name is None:
        return Destination(target.share, -1, "404", transit, lost)
    operation = program.operations[name]
    headers = {header.lower(): expand(text, facts) for header, text in entry.headers.items()}
    callee = builder.operation(
        target.ref, name, request_attributes(operation, expand(path, facts), headers)
    )
    return Destination(target.share, callee, str(operation.failure.status), transit, lost)


@lru_cache(maxsize=1024)
def _browser(url: str, timeout_s: float) -> Client:
    """What a load generator sends its requests with."""
    return Client(protocol="http", address=url, timeout_s=timeout_s)
