"""Names: what a pod gets when it looks one up, through the state of the cluster's DNS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_cluster_embedded.api.keys import LISTENERS
from sregym_cluster_embedded.network import answers, cache, coredns, upstream
from sregym_cluster_embedded.network.ends import Outcome
from sregym_cluster_embedded.network.records import Question, Reply, is_address
from sregym_cluster_embedded.network.resolver import NODE_DNS, Resolver, hosts_of, resolver_of
from sregym_cluster_embedded.network.services import backends
from sregym_cluster_embedded.network.ways import way

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.corefile import ServerBlock
    from sregym_cluster_embedded.network.ends import Backend
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Resolvers ask each server twice and wait five seconds for an answer.
_PATIENCE_S = 5.0
_ATTEMPTS = 2
_MOST_HOPS = 4

# Answers after which a resolver asks the next server.
_UNHELPFUL = ("timeout", "closed", "unreachable", "servfail", "refused")


class Lookup(NamedTuple):
    """The result of a look-up.

    Attributes:
        status: `ok`, `nodata`, `nxdomain`, `servfail`, `refused`, `closed` (nobody listens where the
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
    return _query(world, source, server, Question(name.rstrip(".").lower(), kind), 0, heard)[0]


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
    for candidate in resolver.candidates(name):
        reply = Reply("timeout")
        for server in resolver.servers:
            reply, delay_s = _query(world, source, server, Question(candidate, kind), 0, heard)
            if heard is not None and kind == "A":
                # The C library asks for both families at once.
                _query(world, source, server, Question(candidate, "AAAA"), 0, heard)
            waited += delay_s
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


def _query(
    world: World,
    source: Object | None,
    server: str,
    question: Question,
    hops: int,
    heard: Replies | None = None,
) -> tuple[Reply, float]:
    """The reply of a server and the seconds until it is there."""
    target = backends(world, server, 53, source, "UDP")
    uses = (target.service,) if target.service else (server,)
    if target.failure is Outcome.REFUSED:
        return Reply("closed", server=server, uses=uses), 0.0
    if target.failure is not None:
        if server == NODE_DNS:
            return upstream.answer(world, question)._replace(server=server), 0.0
        if target.failure is Outcome.UNREACHABLE:
            return Reply("unreachable", server=server, uses=uses), 0.0
        return Reply("timeout", server=server, uses=uses), _PATIENCE_S * _ATTEMPTS
    lost, silent = 0, Reply("timeout", server=server, uses=uses)
    runtime = world.room(LISTENERS)
    best: tuple[Backend, float] | None = None
    for backend in target.backends:
        path = way(world, source, backend, "UDP")
        if path.fails is Outcome.TIMEOUT:
            lost += 1
        elif path.fails is not None or not runtime.listening(world, backend.pod_uid, 53):
            silent = silent._replace(status="closed")
        elif best is None:
            best = (backend, path.latency_ms / 1000 + _PATIENCE_S * path.loss)
    if best is None:
        waited = _PATIENCE_S * _ATTEMPTS if lost == len(target.backends) else 0.0
        return silent, waited
    # Who meets a server that is lost waits, asks again and meets another one.
    seconds = best[1] + _PATIENCE_S * lost / len(target.backends)
    reply = _answered(world, best[0], question, hops)
    if heard is not None:
        heard.append((question, reply))
    return reply._replace(server=server, uses=(*uses, *reply.uses)), seconds


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
            reply, _ = _query(world, from_pod, server, asked, hops + 1)
            if reply.status not in ("timeout", "closed", "unreachable"):
                return reply
        return reply

    return answers.answer(world, blocks, question, forward, port=backend.port), alone


def _named_servers(given: tuple[str, ...], pod: Object) -> list[str]:
    """The servers that a `forward` names: addresses, or a file like /etc/resolv.conf."""
    found: list[str] = []
    for word in given:
        if word.startswith("/"):
            found.extend(resolver_of(pod).servers)
        else:
            found.append(word.rpartition("://")[2].partition(":")[0])
    return found
