"""Load generators: what they send at present, and where it ends."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_apps.model import Client, ServiceProgram, expand, route_of

from sregym_cluster_embedded.traffic.latency import given_up, on_the_way
from sregym_cluster_embedded.traffic.shapes import number, users_of
from sregym_cluster_embedded.traffic.structure import End, Part, Source
from sregym_cluster_embedded.userland.flags import flag_values
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.wiring import targets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_apps.model import LoadGeneratorProgram, MixEntry

    from sregym_cluster_embedded.traffic.building import Builder
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.userland.wiring import Target

# What a load generator calls the ways in which a connection fails.
_WORDS = {
    **dict.fromkeys(("dns", "refused", "unreachable", "no_route", "no_port"), "connect"),
    "timeout": "timeout",
}


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
    url = expand(program.target, facts)
    client = _browser(url or "localhost", program.timeout_s)
    found = targets(builder.world, process, client, builder.footing)
    parts = tuple(
        Part(
            entry.counts_as or name,
            sent[name] / requests if requests else 0.0,
            tuple(_end(builder, target, entry, program.timeout_s, facts) for target in found),
        )
        for name, entry in program.mix.items()
    )
    rate, users = number(expand(program.rate, facts)) * each, users_of(program, facts)
    think_s = program.think_s / each if each else 0.0
    builder.made.sources.append(
        Source(process.ref, rate, users if each else 0.0, think_s, program.timeout_s, parts)
    )


def _end(
    builder: Builder, target: Target, entry: MixEntry, timeout_s: float, facts: Mapping[str, str]
) -> End:
    """Where a request of a load generator ends: the operation, and the status of a failure."""
    transit = None if target.path is None else on_the_way(target.path)
    lost = 0.0 if target.path is None else given_up(target.path, timeout_s * 1000)
    if target.kind or target.ref is None:
        known = target.facts if target.kind == "dns" else {}
        unknown, why = known.get("host", ""), known.get("lookup", "")
        status = _WORDS.get(target.kind, "read")
        return End(target.share, -1, status, transit, lost, unknown, why)
    process = builder.footing.at(process_of, builder.world, target.ref)
    program = None if process is None else builder.runtime.program_of(process)
    if not isinstance(program, ServiceProgram):
        return End(target.share, -1, "404", transit, lost)
    method, _, path = entry.request.partition(" ")
    name = route_of(program, method, path)
    if name is None:
        return End(target.share, -1, "404", transit, lost)
    operation = program.operations[name]
    told = {header.lower(): expand(text, facts) for header, text in entry.headers.items()}
    headers = tuple((header, told[header]) for header in operation.heeds if told.get(header))
    callee = builder.operation(target.ref, name, headers)
    return End(target.share, callee, str(operation.failure.status), transit, lost)


@lru_cache(maxsize=1024)
def _browser(url: str, timeout_s: float) -> Client:
    """What a load generator sends its requests with."""
    return Client(protocol="http", address=url, timeout_s=timeout_s)
