"""From what a client's configuration says to the processes that answer it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import unquote

from sregym_apps.model import (
    Client,
    DialStep,
    NameServerProgram,
    QueryStep,
    RegisterStep,
    SeedStep,
    expand,
    seconds,
)

from sregym_cluster_embedded.api.identity_cache import Same
from sregym_cluster_embedded.network import cache, coredns
from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.syscalls import RULES, risk
from sregym_cluster_embedded.userland.client_errors import lookup_text
from sregym_cluster_embedded.userland.connect_limits import caller_of
from sregym_cluster_embedded.userland.dependency_tracking import ONCE, UntrackedReads
from sregym_cluster_embedded.userland.etc import CLUSTER_DNS
from sregym_cluster_embedded.userland.keys import RUNTIME
from sregym_cluster_embedded.userland.leading import (
    led,
    listed,
    reads_of,
    server_preference,
    watched,
)
from sregym_cluster_embedded.userland.process import Process, listener_at, process_of
from sregym_cluster_embedded.userland.registering import registered

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.network.outcomes import Path
    from sregym_cluster_embedded.network.subsystem import Routes
    from sregym_cluster_embedded.world import World

# The texts of a client in which settings may stand.
_RESOLVED = (
    *("address", "name", "user", "password", "auth_database", "database", "timeout"),
    *("tls", "trusted", "certificate"),
)
_RETRIED = ("times", "attempts", "backoff", "growth")
_BREAKING = ("rate", "calls", "window", "open", "trials")
_TLS_PORTS = (6443, 10250)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Target:
    """One possible end of a call.

    Attributes:
        share: Fraction of the calls that go there.
        kind: Empty when a process of the right protocol answers, else the kind of failure.
        ref: The process that answers.
        listener: Its listener.
        facts: host, port, ip, dns, name and url of the call.
        path: What packets meet on the way there and back; None when it is clear.
    """

    share: float
    kind: str
    ref: ContainerRef | None
    listener: str
    facts: dict[str, str]
    path: Path | None = None

    def shared(self, share: float) -> Target:
        """The same end for another fraction of the calls."""
        return replace(self, share=share)

    def without_end(self, kind: str) -> Target:
        """A failure of all calls that would have gone there."""
        return Target(1.0, kind, None, "", self.facts)


@dataclass(frozen=True)
class Address:
    """Where a client calls, taken apart."""

    host: str
    port: int
    user: str = ""
    password: str = ""
    path: str = ""


@lru_cache(maxsize=1024)
def parse_address(address: str, usual_port: int = 0) -> Address:
    """Take `scheme://user:password@host:port/path` apart; all but the host may be missing.

    `usual_port` is that of the protocol; 443 where the scheme is `https`.
    """
    rest = address.partition("://")[2] or address
    rest, slash, path = rest.partition("/")
    login, at, place = rest.rpartition("@")
    user, _, password = login.partition(":") if at else ("", "", "")
    host, colon, port = place.rpartition(":")
    if not colon:
        host, port = place, ""
    default = 443 if address.startswith("https:") else usual_port
    number = int(port) if port.isdecimal() else default
    return Address(host, number, unquote(user), unquote(password), slash + path)


def resolve_client(client: Client, facts: dict[str, str]) -> Client:
    """The client with settings filled in, and the credentials that its address holds."""
    texts = tuple([expand(getattr(client, name), facts) for name in _RESOLVED])
    retry = tuple([expand(getattr(client.retry, name), facts) for name in _RETRIED])
    found = _resolved(Same(client), texts, retry)
    breaker = client.breaker
    if breaker is None:
        return found
    own = {name: expand(getattr(breaker, name), facts) for name in _BREAKING}
    return found.model_copy(update={"breaker": breaker.model_copy(update=own)})


@lru_cache(maxsize=1024)
def _resolved(client: Same[Client], texts: tuple[str, ...], again: tuple[str, ...]) -> Client:
    """The client with these texts, which are mostly the same for all pods of a workload."""
    address, name, user, password, auth_database, database, timeout, tls, trusted, certificate = (
        texts
    )
    parsed = parse_address(address, client.value.wire.port)
    retry = client.value.retry
    if again != tuple([getattr(retry, name) for name in _RETRIED]):
        retry = retry.model_copy(update=dict(zip(_RETRIED, again, strict=True)))
    return client.value.model_copy(
        update={
            "address": address,
            "name": name,
            "user": parsed.user or user,
            "password": parsed.password or password,
            "auth_database": auth_database,
            "database": database,
            "timeout_s": seconds(timeout, client.value.timeout_s),
            "tls": tls,
            "trusted": trusted,
            "certificate": certificate,
            "retry": retry,
        }
    )


def dependency_of(step: DialStep | QueryStep | SeedStep | RegisterStep) -> tuple[str, str, str]:
    """Client, command and collection of a step of a start-up; empty where it has none."""
    if isinstance(step, DialStep):
        return step.dial, "", ""
    if isinstance(step, RegisterStep):
        return step.register_at, "", ""
    if isinstance(step, QueryStep):
        name, _, command = step.query.partition(".")
        return name, command, step.collection
    name, _, collection = step.seed.partition(".")
    return name, "insert", collection


def targets(
    world: World, process: Process, client: Client, look: UntrackedReads = ONCE, command: str = ""
) -> tuple[Target, ...]:
    """Where calls of a process through a resolved client end, as things stand.

    `command` is what it asks for, where servers form sets of which one leads.
    """
    if client.registry is None:
        if client.wire.led:

            def at(place: str) -> tuple[Target, ...]:
                where = parse_address(place, client.wire.port)
                return reach(world, process, where.host, where.port, client.protocol, place, look)

            wish = server_preference(client.address, client.wire.port)
            if client.wire.led == "listed":
                return listed(world, wish, look, at)
            if client.wire.led == "watched":
                if wish.watched:
                    return watched(world, wish, look, at)
                return at(client.address)
            return led(world, wish, reads_of(client, command), look, at)
        where = parse_address(client.address, client.wire.port)
        return reach(world, process, where.host, where.port, client.protocol, client.address, look)
    hops = targets(world, process, process.clients[client.registry], look)
    return looked_up(world, process, client, hops, look)


def looked_up(
    world: World,
    process: Process,
    client: Client,
    hops: tuple[Target, ...],
    look: UntrackedReads = ONCE,
) -> tuple[Target, ...]:
    """Where calls of a client end whose registry, or broker, is at `hops`."""
    assert client.registry is not None
    if process.clients[client.registry].wire.messaging:
        return _taking(world, process, client, hops, look)
    known: list[tuple[str, int]] = []
    for hop in hops:
        if hop.kind == "" and hop.ref is not None:
            known = look.at(registered, world, hop.ref, client.name)
    if not known:
        facts = {"host": client.name, "name": client.name, "port": "", "ip": "", "dns": ""}
        return (Target(1.0, "unavailable", None, "", facts),)
    found: list[Target] = []
    for ip, port in known:
        for target in reach(world, process, ip, port, client.protocol, f"{ip}:{port}", look):
            facts = {**target.facts, "name": client.name}
            found.append(replace(target, share=target.share / len(known), facts=facts))
    return tuple(found)


def _taking(
    world: World, process: Process, client: Client, hops: tuple[Target, ...], look: UntrackedReads
) -> tuple[Target, ...]:
    """Those who take from a topic: requests and answers pass the broker, no connection leads there."""
    facts = {"host": client.name, "name": client.name, "port": "", "ip": "", "dns": ""}
    facts |= {"url": client.name, "pod_ip": process.config.pod_ip}
    brokers = tuple(hop.ref for hop in hops if not hop.kind and hop.ref is not None)
    found = look.at(takers, world, brokers, client.name)
    if not found:
        return (Target(1.0, "unavailable", None, "", facts),)
    return tuple(Target(1 / len(found), "", ref, "", facts) for ref in found)


def takers(world: World, brokers: tuple[ContainerRef, ...], topic: str) -> tuple[ContainerRef, ...]:
    """The running programs that take from a topic at one of some brokers, in order of start."""
    found = []
    for process, program in world.service(RUNTIME).consumers(world):
        facts = process.facts()
        for consumer in program.consumers.values():
            if expand(consumer.topic, facts) != topic:
                continue
            reached = targets(world, process, process.clients[consumer.client])
            if any(not end.kind and end.ref in brokers for end in reached):
                found.append(process.ref)
                break
    return tuple(found)


def reach(
    world: World,
    process: Process,
    host: str,
    port: int,
    protocol: str,
    url: str,
    look: UntrackedReads = ONCE,
) -> tuple[Target, ...]:
    """Where connections from a process to an address end."""
    facts = {"host": host, "port": str(port), "ip": host, "dns": "", "name": host, "url": url}
    facts["pod_ip"] = process.config.pod_ip
    if not host:
        facts["dns"] = CLUSTER_DNS
        facts["lookup"] = lookup_text("nxdomain", facts)
        return (Target(1.0, "dns", None, "", facts),)
    if host in _LOOPBACK:
        own = look.at(listener_at, world, process.ref.pod_uid, port)
        if own or not look.at(_on_node, world, process.ref):
            return (_end(world, 1.0, process.ref.pod_uid, port, protocol, facts, look),)
        # In the network of its node a pod shares the loopback with all others there.
        host = process.config.pod_ip
    if look.at(_lookups_fail, world, process.ref) and not _is_address(host):
        facts["dns"] = CLUSTER_DNS
        facts["lookup"] = lookup_text("servfail", facts)
        return (Target(1.0, "dns", None, "", facts),)
    routes = look.at(_routes, world, process.ref.pod_uid, host, port)
    facts |= {"ip": routes.ip or host, "dns": routes.dns or CLUSTER_DNS}
    if routes.error:
        facts["lookup"] = lookup_text(routes.dns_status, facts)
        return (Target(1.0, routes.error, None, "", facts),)
    total = sum(backend[0] for backend in routes.backends) or 1.0
    paths: tuple[Path | None, ...] = routes.paths or (None,) * len(routes.backends)
    return tuple(
        _end(world, share / total, pod_uid, target_port, protocol, facts, look, path)
        for (share, pod_uid, _, target_port), path in zip(routes.backends, paths, strict=True)
    )


def _routes(world: World, pod_uid: str, host: str, port: int) -> Routes:
    return world.service(NETWORK).routes(world, pod_uid, host, port)


@lru_cache(maxsize=4096)
def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _lookups_fail(world: World, ref: ContainerRef) -> bool:
    """Whether a process cannot send its questions to a name server; some that arrive are enough."""
    process = process_of(world, ref) if world.table(RULES) else None
    return process is not None and risk(world, caller_of(process), "sendmmsg")[1] >= 1


def _on_node(world: World, ref: ContainerRef) -> bool:
    """Whether a process runs in the network of its node."""
    pod = world.store.get(Key("pods", ref.namespace, ref.pod))
    return pod is not None and bool(pod["spec"].get("hostNetwork"))


def dns_changed(world: World, ref: ContainerRef) -> None:
    """A process has started, ended or got other files: the answers of the cluster's DNS with it."""
    process = process_of(world, ref)
    if process is None or not isinstance(process.behaviour, NameServerProgram):
        return
    cache.clear(world)
    if process.running:
        world.service(RUNTIME).kind_of(process).files_changed(world, process)
    else:
        coredns.unload(world, ref.pod_uid)


def _end(
    world: World,
    share: float,
    pod_uid: str,
    port: int,
    protocol: str,
    facts: dict[str, str],
    look: UntrackedReads,
    path: Path | None = None,
) -> Target:
    if path is not None and path.fails is not None:
        return Target(share, path.fails.value, None, "", facts)
    if not pod_uid:
        return _daemon(world, share, port, protocol, facts, look)
    found = look.at(listener_at, world, pod_uid, port)
    if found is None:
        return Target(share, "refused", None, "", facts)
    process, listener = found
    if process.stopped:
        # The kernel takes connections for it until too many were not accepted.
        return Target(share, "timeout", None, "", facts)
    spoken = world.service(RUNTIME).protocol_of(process, listener)
    if protocol not in ("tcp", spoken) and spoken != "tcp":
        return Target(share, "protocol", process.ref, listener, facts)
    return Target(share, "", process.ref, listener, facts, path)


def _daemon(
    world: World,
    share: float,
    port: int,
    protocol: str,
    facts: dict[str, str],
    look: UntrackedReads,
) -> Target:
    """What is no pod: the API server and the kubelets, which speak TLS, or any host with the address."""
    outcome = look.at(_dialled, world, facts["ip"], int(facts["port"]))
    if outcome != "connected":
        return Target(share, outcome, None, "", facts)
    kind = "" if protocol == "tcp" else "protocol"
    return Target(share, kind, None, "https" if port in _TLS_PORTS else "", facts)


def _dialled(world: World, ip: str, port: int) -> str:
    """How a connection to what is no pod ends."""
    return str(world.service(NETWORK).dial(world, None, ip, port).outcome.value)
