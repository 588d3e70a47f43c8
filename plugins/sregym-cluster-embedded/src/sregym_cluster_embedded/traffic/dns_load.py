"""Look-ups that calls make which open a connection each: load of the name servers, and time of its own.

The resolver asks for both kinds of addresses at once and for one name after the other, so that a
look-up is as many pairs of questions as names are tried.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sregym_apps.model import Client, NameServerProgram
from sregym_apps.model.program_capacity import Retry
from sregym_apps.simulation import WireProtocol

from sregym_cluster_embedded.network import coredns
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.traffic.latency import Time
from sregym_cluster_embedded.traffic.structure import CallRoute, CallSite, Operation
from sregym_cluster_embedded.userland.client_errors import error_text, lookup_text
from sregym_cluster_embedded.userland.process import listener_at
from sregym_cluster_embedded.userland.wiring import Target

if TYPE_CHECKING:
    from sregym_apps.model import Call

    from sregym_cluster_embedded.network.nameserver_use import NameserverUse
    from sregym_cluster_embedded.network.outcomes import Path
    from sregym_cluster_embedded.traffic.flow_graph import Builder
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# What resolvers have without options of their own.
_PATIENCE_S, _ATTEMPTS = 5.0, 2
# Both kinds of addresses.
FAMILIES = 2
# What a name server does: code of the answer, and the plugin that gives it.
INSIDE, OUTSIDE = "kubernetes", "forward"
ANSWERS = tuple((code, plugin) for code in ("NOERROR", "NXDOMAIN") for plugin in (INSIDE, OUTSIDE))
_OPERATIONS = tuple(" ".join(answer) for answer in ANSWERS)
_DNS = WireProtocol("dns", 53, call_spans=False, discovery=True)


def lookup_site(
    builder: Builder, process: Process, client: Client, found: tuple[Target, ...], call: Call,
    sites: list[CallSite], stage: int,
) -> CallSite | None:  # fmt: skip
    """The look-up before a call, as a call of its own; None where none is made.

    Args:
        builder: Makes the structure.
        process: Who calls.
        client: Through what; settings filled in.
        found: Where the call leads.
        call: The call.
        sites: Of the operation; gets the place.
        stage: Order within the operation.
    """
    if client.keep_alive or client.pool or not found or found[0].kind == "dns":
        return None
    facts = found[0].facts
    asked = builder.footing.at(_nameserver_use, builder.world, process.ref.pod_uid, facts["host"])
    if asked is None:
        return None
    resolver = _resolver(client.timeout_s)
    facts = {**facts, "lookup": lookup_text("timeout", facts)}
    text = error_text(client, "dns", facts)
    routes = tuple(
        route
        for pod_uid, path in asked.servers
        for name, number in _answers(asked.names)
        for route in _ways(
            builder, pod_uid, name, number / len(asked.names) / len(asked.servers), facts, path,
            resolver,
        )
    )  # fmt: skip
    site = CallSite(
        len(builder.made.sites), "", resolver, "", "", call.on_error, call.times * len(asked.names),
        stage, routes, resolver.timeout_s * 1000, fails_as=("dns", text),
    )  # fmt: skip
    builder.made.sites.append(site)
    sites.append(site)
    return site


def _answers(names: tuple[bool, ...]) -> list[tuple[str, int]]:
    """What the questions of one look-up are answered with, and how often: only the last is found."""
    found: dict[str, int] = {}
    for number, inside in enumerate(names, 1):
        code = "NOERROR" if number == len(names) else "NXDOMAIN"
        answer = f"{code} {INSIDE if inside else OUTSIDE}"
        found[answer] = found.get(answer, 0) + 1
    return list(found.items())


def answering(world: World, process: Process, name: str) -> Operation | None:
    """What a name server does for a pair of questions; None for what it does not do."""
    program = process.behaviour
    if not isinstance(program, NameServerProgram) or name not in _OPERATIONS:
        return None
    blocks = coredns.loaded(world, process.ref.pod_uid)
    cpu_ms = program.query_cpu_ms
    if any(block.named("log") for block in blocks):
        cpu_ms += program.log_cpu_ms
    # What is kept needs no question to others, but now and then.
    kept = any(block.named("cache") for block in blocks if "" in block.zones)
    late = program.upstream_ms if name.endswith(OUTSIDE) and not kept else 0.0
    return Operation(process.ref, name, 0, FAMILIES * cpu_ms, late)


def _ways(
    builder: Builder, pod_uid: str, name: str, share: float, facts: dict[str, str], path: Path,
    resolver: Client,
) -> tuple[CallRoute, ...]:  # fmt: skip
    number, builder.made.routes = builder.made.routes, builder.made.routes + 1
    found = builder.footing.at(listener_at, builder.world, pod_uid, 53)
    server = None if found is None else found[0]
    target = Target(share, "", None if server is None else server.ref, "dns", facts, path)
    if server is None or server.stopped or path.fails is not None:
        took_ms = resolver.timeout_s * 1000
        return (CallRoute(number, share, target, -1, "timeout", took_ms=took_ms),)
    callee = builder.operation(server.ref, name)
    # Nothing sends a datagram again but the resolver.
    there = Time(path.latency_ms, path.jitter_ms**2)
    return (CallRoute(number, share, target, callee, transit=there, lost=path.loss),)


def _nameserver_use(world: World, pod_uid: str, host: str) -> NameserverUse | None:
    return world.service(NETWORK).nameserver_use(world, pod_uid, host)


@lru_cache(maxsize=64)
def _resolver(limit_s: float) -> Client:
    """The resolver of a caller whose deadline is so far away."""
    attempts = _ATTEMPTS if limit_s > _PATIENCE_S else 1
    retry = Retry(attempts=str(attempts), on=("timeout",))
    patience_s = min(_PATIENCE_S, limit_s)
    client = Client(protocol="tcp", address="localhost:53", timeout_s=patience_s, retry=retry)
    client._wire = _DNS
    return client
