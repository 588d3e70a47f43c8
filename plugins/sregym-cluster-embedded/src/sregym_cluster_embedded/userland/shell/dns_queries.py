"""Questions to name servers, as the tools of a container ask them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.network.keys import NETWORK
from sregym_cluster_embedded.network.records import Reply, is_address

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.records import Record
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.userland.shell.session import Session

CODES = {"nxdomain": "NXDOMAIN", "servfail": "SERVFAIL", "refused": "REFUSED"}
SILENT = ("timeout", "closed", "unreachable")
CAUSES = {"closed": "Connection refused", "unreachable": "Network is unreachable"}


class Place(NamedTuple):
    """Who asks: the pod, and what its /etc/resolv.conf says now."""

    pod: Object
    servers: tuple[str, ...]
    searches: tuple[str, ...]
    ndots: int


class DnsQuery(NamedTuple):
    """A question of one command, and how it was answered."""

    name: str
    kind: str
    reply: Reply


def place_of(session: Session) -> Place:
    """Who asks."""
    pod = session.files.container.pod
    servers: list[str] = []
    searches: tuple[str, ...] = ()
    ndots = 1
    # Tools read the file: it may have been changed.
    for line in (session.files.read("/etc/resolv.conf") or "").splitlines():
        words = line.split()
        if words[:1] == ["nameserver"] and len(words) > 1:
            servers.append(words[1])
        elif words[:1] == ["search"]:
            searches = tuple(words[1:])
        elif words[:1] == ["options"]:
            for option in words[1:]:
                name, _, value = option.partition(":")
                ndots = int(value) if name == "ndots" and value.isdecimal() else ndots
    return Place(pod, tuple(servers) or ("127.0.0.1",), searches, ndots)


def query_server(session: Session, place: Place, server: str, name: str, kind: str) -> Reply:
    """One question to one server."""
    return session.world.service(NETWORK).query(session.world, place.pod, server, name, kind)


def address_of(session: Session, place: Place, server: str) -> str:
    """The address of a server that may be given by name; empty when that is not found."""
    if is_address(server):
        return server
    found = session.world.service(NETWORK).lookup(session.world, place.pod, server)
    return found.addresses[0] if found.status == "ok" else ""


def candidates(place: Place, name: str) -> list[str]:
    """The names that a search list makes of one, in the order in which they are tried."""
    if name.endswith("."):
        return [name.rstrip(".")]
    searched = [f"{name}.{zone}" for zone in place.searches]
    return [name, *searched] if name.count(".") >= place.ndots else [*searched, name]


def searched(session: Session, place: Place, server: str, name: str, kind: str) -> DnsQuery:
    """Ask for a name with the search list until one is found."""
    asked = DnsQuery(name, kind, Reply("timeout"))
    for candidate in candidates(place, name):
        asked = DnsQuery(candidate, kind, query_server(session, place, server, candidate, kind))
        if asked.reply.status != "nxdomain":
            return asked
    return asked


def dotted(record: Record) -> str:
    """What a record says, names with the final dot."""
    return f"{record.data}." if record.kind in ("CNAME", "PTR", "SRV", "NS", "MX") else record.data


def resolve_failure(session: Session, name: str) -> tuple[str, float]:
    """Why the C library cannot resolve a name, and after how many seconds it says so."""
    routes = session.world.service(NETWORK).routes(
        session.world, session.process.ref.pod_uid, name, 0
    )
    return routes.dns_status, routes.dns_s


def unresolved(session: Session, name: str) -> str:
    """What the C library says of a name that it cannot resolve: glibc, or musl of Alpine."""
    status, _ = resolve_failure(session, name)
    passing = status not in ("", "nxdomain", "nodata", "ok")
    if session.busybox:
        return "Try again" if passing else "Name does not resolve"
    return "Temporary failure in name resolution" if passing else "Name or service not known"
