"""Names: what a pod gets when it looks one up, through the state of the cluster's DNS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api.keys import LISTENERS
from sregym_cluster_embedded.network import cache, coredns, coredns_plugins, upstream
from sregym_cluster_embedded.network.outcomes import Outcome
from sregym_cluster_embedded.network.paths import packet_path
from sregym_cluster_embedded.network.records import Question, Reply, is_address
from sregym_cluster_embedded.network.resolver import NODE_DNS, Resolver, hosts_of, resolver_of
from sregym_cluster_embedded.network.services import backends
from sregym_cluster_embedded.syscalls import RULES

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.corefile import ServerBlock
    from sregym_cluster_embedded.network.outcomes import Backend
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Resolvers ask each server twice and wait five seconds for an answer.
_PATIENCE_S = 5.0
_ATTEMPTS = 2
_MOST_HOPS = 4

# Answers after which a resolver asks the next server.
_UNHELPFUL = ("timeout", "closed", "unreachable", "servfail", "refused")


class _Server(NamedTuple):
    """What questions of a caller to one address come to.

    Attributes:
        address: The address.
        uses: See `Reply.uses`.
        backend: The name server that gets them; None when none does.
        seconds: Until its reply is there, or until the caller knows that none comes.
        silent: What stands for its reply when there is none; None where others outside answer.
    """

    address: str
    uses: tuple[str, ...]
    backend: Backend | None
    seconds: float = 0.0
    silent: Reply | None = None


class Lookup(NamedTuple):
    """The result of a look-up.

    Attributes:
        status: `ok`, `nodata`, `nxdomain`, `servfail`, `refused`, `closed` (no process listens where the
            name server should be), `unreachable` or `timeout`.
        addresses: IPv4 addresses, when `ok`.
        name: The absolute name that was found, or the last that was tried.
        server: Address of the name server that was asked; empty when none was.
        aliases: Names that the found one is an alias of, in order.
        seconds: How long it took.
        uses: See `Reply.uses`.
    """

    status: str
    addresses: tuple[str, ...] = ()
    name: str = ""
    server: str = ""
    aliases: tuple[str, ...] = ()
    seconds: float = 0.0
    uses: tuple[str, ...] = ()


# Questions with the replies of name servers of the cluster to them.
Replies = list[tuple[Question, Reply]]


def resolve(
    world: World, source: Object, name: str, kind: str = "A", heard: Replies | None = None
) -> Lookup:
    """Look up a name as a process in the pod `source` does; `heard` gets what servers answered."""
    if is_address(name):
        return Lookup("ok", (name,), name)
    bare = name.rstrip(".").lower()
    hosts = hosts_of(world, source)
    if bare in hosts and kind == "A":
        return Lookup("ok", (hosts[bare],), bare)
    return _ask(world, source, resolver_of(source), name.lower(), kind, heard)


def query(
    world: World,
    source: Object | None,
    server: str,
    name: str,
    kind: str = "A",
    heard: Replies | None = None,
) -> Reply:
    """Ask one name server for the records of an absolute name, without search domains."""
    question = Question(name.rstrip(".").lower(), kind)
    return _query(world, _server(world, source, server), question, 0, heard)


def _ask(
    world: World,
    source: Object,
    resolver: Resolver,
    name: str,
    kind: str,
    heard: Replies | None,
) -> Lookup:
    """As the resolvers of C libraries do it."""
    last = Lookup("timeout", (), name, "")
    waited, failed, known = 0.0, False, False
    uses: tuple[str, ...] = ()
    servers: dict[str, _Server] = {}
    for candidate in resolver.candidates(name):
        reply = Reply("timeout")
        for address in resolver.servers:
            server = servers.get(address)
            if server is None or world.table(RULES):  # a rule may strike by chance, or not
                server = servers[address] = _server(world, source, address)
            waited += server.seconds
            reply = _query(world, server, Question(candidate, kind), 0, heard)
            if heard is not None and kind == "A":
                # The C library asks for both families at once.
                if world.table(RULES):
                    server = _server(world, source, address)
                _query(world, server, Question(candidate, "AAAA"), 0, heard)
            uses = (*uses, *reply.uses)
            if reply.status not in _UNHELPFUL:
                break
        aliases = tuple(record.data for record in reply.aliases())
        found = reply.addresses()
        status = "nodata" if reply.status == "ok" and not found else reply.status
        last = Lookup(status, found, candidate, reply.server, aliases, waited, uses)
        if status in ("ok", "timeout", "closed", "unreachable"):
            return last
        failed = failed or status in ("servfail", "refused")
        known = known or status == "nodata"
    if failed:
        return last._replace(status="servfail")
    return last._replace(status="nodata" if known else last.status)


def _server(world: World, source: Object | None, address: str) -> _Server:
    """Which name server gets the questions of a caller to an address."""
    target = backends(world, address, 53, source, "UDP")
    uses = (target.service,) if target.service else (address,)
    if target.failure is Outcome.REFUSED:
        return _Server(address, uses, None, 0.0, Reply("closed", server=address, uses=uses))
    if target.failure is not None:
        if address == NODE_DNS:
            return _Server(address, uses, None)
        unreachable = target.failure is Outcome.UNREACHABLE
        silent = Reply("unreachable" if unreachable else "timeout", server=address, uses=uses)
        waited = 0.0 if unreachable else _PATIENCE_S * _ATTEMPTS
        return _Server(address, uses, None, waited, silent)
    lost, silent = 0, Reply("timeout", server=address, uses=uses)
    runtime = world.service(LISTENERS)
    best: tuple[Backend, float] | None = None
    for backend in target.backends:
        path = packet_path(world, source, backend, "UDP")
        if path.fails is Outcome.TIMEOUT:
            lost += 1
        elif path.fails is not None or not runtime.listening(world, backend.pod_uid, 53):
            silent = silent._replace(status="closed")
        elif best is None:
            best = (backend, path.latency_ms / 1000 + _PATIENCE_S * path.loss)
    if best is None:
        waited = _PATIENCE_S * _ATTEMPTS if lost == len(target.backends) else 0.0
        return _Server(address, uses, None, waited, silent)
    # Who meets a server that is lost waits, asks again and meets another one.
    seconds = best[1] + _PATIENCE_S * lost / len(target.backends)
    return _Server(address, uses, best[0], seconds)


def _query(
    world: World, server: _Server, question: Question, hops: int, heard: Replies | None = None
) -> Reply:
    """The reply of a server, which is there after `server.seconds`."""
    if server.silent is not None:
        return server.silent
    if server.backend is None:
        return upstream.answer(world, question)._replace(server=server.address)
    reply = _answered(world, server.backend, question, hops)
    if heard is not None:
        heard.append((question, reply))
    return reply._replace(server=server.address, uses=(*server.uses, *reply.uses))


def _answered(world: World, backend: Backend, question: Question, hops: int) -> Reply:
    """What a name server answers; about Services it is kept, which many ask for."""
    blocks = coredns.loaded(world, backend.pod_uid)
    if question.kind != "A" or ".svc." not in question.name:
        return _worked_out(world, backend, blocks, question, hops)[0]
    key = ("answer", backend.pod_uid, backend.port, question)
    known: tuple[Any, Reply] | None = cache.get(world, key)
    if known is not None and known[0] is blocks:
        return known[1]
    reply, alone = _worked_out(world, backend, blocks, question, hops)
    if alone:
        cache.keep(world, key, (blocks, reply), reply.uses)
    return reply


def _worked_out(
    world: World,
    backend: Backend,
    blocks: tuple[ServerBlock, ...],
    question: Question,
    hops: int,
) -> tuple[Reply, bool]:
    """The answer of a name server, and whether it needed no other server for it."""
    alone = True
    from_pod = world.store.get(coredns.key_of(backend))

    def forward(servers: tuple[str, ...], asked: Question) -> Reply:
        nonlocal alone
        alone = False
        reply = Reply("servfail")
        if hops >= _MOST_HOPS or from_pod is None:
            return reply
        for server in _named_servers(servers, from_pod):
            reply = _query(world, _server(world, from_pod, server), asked, hops + 1)
            if reply.status not in ("timeout", "closed", "unreachable"):
                return reply
        return reply

    return coredns_plugins.answer(world, blocks, question, forward, port=backend.port), alone


def _named_servers(given: tuple[str, ...], pod: Object) -> list[str]:
    """The servers that a `forward` names: addresses, or a file like /etc/resolv.conf."""
    found: list[str] = []
    for word in given:
        if word.startswith("/"):
            found.extend(resolver_of(pod).servers)
        else:
            found.append(word.rpartition("://")[2].partition(":")[0])
    return found
