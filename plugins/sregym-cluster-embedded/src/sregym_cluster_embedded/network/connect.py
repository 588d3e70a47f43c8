"""Connections as a process makes them: look the name up, translate, pass, and be let in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api.keys import LISTENERS
from sregym_cluster_embedded.network import cache, dns, services
from sregym_cluster_embedded.network.addresses import holder
from sregym_cluster_embedded.network.dns import Lookup
from sregym_cluster_embedded.network.hosts import daemon_listens
from sregym_cluster_embedded.network.outcomes import Backend, Outcome, Path
from sregym_cluster_embedded.network.paths import packet_path
from sregym_cluster_embedded.network.records import is_address
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Of a look-up that fails: what a caller makes of it.
_STATUSES = {
    "closed": "refused",
    "refused": "servfail",
    "nodata": "nxdomain",
    "unreachable": "timeout",
}


class ConnectResult(NamedTuple):
    """How one connection went.

    Attributes:
        outcome: How it ended.
        address: The address that was dialled; empty when the name was not found.
        backend: The endpoint that was reached, refused, or could not be reached; None: there is
            none.
        seconds: Until the caller knew; infinite when only its own limit ends the waiting.
        lookup: How the name was found, or not.
    """

    outcome: Outcome
    address: str = ""
    backend: Backend | None = None
    seconds: float = 0.0
    lookup: Lookup = Lookup("ok")


class Routes(NamedTuple):
    """Where the connections of a pod to a host go, all of them together.

    Attributes:
        error: Empty, `dns`, `refused`, `timeout`, `unreachable` or `no_route`.
        ip: The address dialled: a cluster address or a pod's; empty when the name was not found.
        dns: Address of the name server that was asked; empty when none was.
        backends: (weight, pod uid, pod address, port) that share the connections. Whether a process
            listens there is not checked.
        dns_status: Why the name was not found: `nxdomain`, `timeout`, `refused`, `servfail`.
        paths: What packets meet on the way to each backend; empty when all ways are clear.
        dns_s: Seconds that the look-up takes.
    """

    error: str
    ip: str = ""
    dns: str = ""
    backends: tuple[tuple[float, str, str, int], ...] = ()
    dns_status: str = ""
    paths: tuple[Path, ...] = ()
    dns_s: float = 0.0


def dial(
    world: World,
    source: Object | None,
    host: str,
    port: int,
    protocol: str = "TCP",
    purpose: object = "",
    node: str = "",
) -> ConnectResult:
    """Open one connection to `host:port`.

    Args:
        world: The cluster.
        source: The pod in which the caller runs; None for one outside of pods, which needs an
            address.
        host: Name or address.
        port: Port.
        protocol: `TCP`, `UDP` or `SCTP`.
        purpose: Tells attempts of one moment apart, which may reach different endpoints.
        node: The node on which a caller outside of pods stands; empty: outside the cluster.
    """
    looked = Lookup("ok", (host,), host)
    if not is_address(host):
        if source is None:
            return ConnectResult(Outcome.NAME, lookup=Lookup("nxdomain", (), host))
        looked = dns.resolve(world, source, host)
        if looked.status != "ok":
            return ConnectResult(Outcome.NAME, seconds=looked.seconds, lookup=looked)
    last = ConnectResult(Outcome.UNREACHABLE, lookup=looked)
    for address in looked.addresses:
        last = _connect(world, source, address, port, protocol, purpose, node, looked)
        if last.outcome is Outcome.CONNECTED:
            break
    return last


def _connect(
    world: World,
    source: Object | None,
    address: str,
    port: int,
    protocol: str,
    purpose: object,
    node: str,
    looked: Lookup,
) -> ConnectResult:
    target = services.backends(world, address, port, source, protocol, node)
    if target.failure is not None:
        seconds = looked.seconds + target.failure.seconds()
        return ConnectResult(target.failure, address, None, seconds, looked)
    backend = target.backends[0]
    if len(target.backends) > 1:
        backend = world.seed.pick(target.backends, "connect", address, port, world.now, purpose)
    path = packet_path(world, source, backend, protocol, node)
    outcome = path.fails or _accepted(world, backend)
    if outcome is Outcome.CONNECTED and path.loss > 0:
        # A handshake that loses one packet after the other is given up.
        spared = world.seed.fraction("loss", address, port, world.now, purpose)
        outcome = Outcome.TIMEOUT if spared < path.loss**4 else outcome
    seconds = looked.seconds + outcome.seconds() + path.latency_ms / 1000
    return ConnectResult(outcome, address, backend, seconds, looked)


def routes(world: World, source: Object, host: str, port: int, protocol: str = "TCP") -> Routes:
    """Where `host:port` leads for a process in a pod: all of its endpoints with their weights.

    The answer is kept for `cache.get` under (uid of the pod, host, port, protocol).
    """
    found, uses = _routes(world, source, host, port, protocol)
    key = (source["metadata"]["uid"], host, port, protocol)
    cache.keep(world, key, found, tuple(dict.fromkeys(uses)))
    return found


def _routes(
    world: World, source: Object, host: str, port: int, protocol: str
) -> tuple[Routes, tuple[str, ...]]:
    looked = looked_up(world, source, host)
    if looked.status != "ok":
        status = _STATUSES.get(looked.status, looked.status)
        failed = Routes("dns", dns=looked.server, dns_status=status, dns_s=looked.seconds)
        return failed, looked.uses
    found: list[tuple[float, Backend]] = []
    failures: list[Outcome] = []
    uses = looked.uses
    # A headless Service: the resolver hands out all addresses, clients use them in turn.
    for address in looked.addresses:
        target = services.backends(world, address, port, source, protocol)
        uses = (*uses, target.service or address)
        if target.failure is not None:
            failures.append(target.failure)
            continue
        share = 1 / len(looked.addresses) / len(target.backends)
        found.extend((share, backend) for backend in target.backends)
    first = looked.addresses[0]
    if not found:
        return Routes(failures[0].value, first, looked.server, dns_s=looked.seconds), uses
    total = sum(share for share, _ in found)
    listed = tuple((share / total, e.pod_uid, e.ip, e.port) for share, e in found)
    paths = tuple(packet_path(world, source, backend, protocol, many=True) for _, backend in found)
    if not any(any(path) for path in paths):
        paths = ()
    known = Routes("", first, looked.server, listed, "", paths, looked.seconds)
    # What was sent to an address that is no Service's depends on who has that address.
    return known, (*uses, *(entry.ip for _, entry in found if not entry.pod_uid))


def looked_up(world: World, source: Object, host: str) -> Lookup:
    """The look-up of a host, which outlives changes of where its address leads."""
    key = (source["metadata"]["uid"], host)
    known: Lookup | None = cache.get(world, key)
    if known is None:
        known = dns.resolve(world, source, host)
        cache.keep(world, key, known, known.uses)
    return known


def _accepted(world: World, backend: Backend) -> Outcome:
    runtime = world.service(LISTENERS)
    if backend.pod_uid:
        pod = world.store.get(Key("pods", backend.namespace, backend.pod))
        if pod is None or pod["metadata"]["uid"] != backend.pod_uid:
            return Outcome.NO_ROUTE
        listens = runtime.listening(world, backend.pod_uid, backend.port)
        return Outcome.CONNECTED if listens else Outcome.REFUSED
    if backend.node and daemon_listens(world, backend.node, backend.ip, backend.port):
        return Outcome.CONNECTED
    # An endpoint written by hand leads to the peer with its address, if there is one.
    pod = holder(world, backend.ip)
    if pod is not None:
        listens = runtime.listening(world, pod["metadata"]["uid"], backend.port)
        return Outcome.CONNECTED if listens else Outcome.REFUSED
    target = services.backends(world, backend.ip, backend.port)
    if target.failure is not None:
        return target.failure
    there = target.backends[0]
    if there.pod_uid or daemon_listens(world, there.node, there.ip, there.port):
        return Outcome.CONNECTED
    return Outcome.REFUSED


def waiting(dialled: ConnectResult, limit_s: float) -> float:
    """How long a caller with a limit of its own waits for a connection."""
    return min(dialled.seconds, limit_s) if math.isfinite(limit_s) else dialled.seconds
