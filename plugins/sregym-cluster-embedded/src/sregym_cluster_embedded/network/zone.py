"""The zone of the cluster: what CoreDNS's plugin `kubernetes` answers from Services and pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.network.corefile import Plugin, within
from sregym_cluster_embedded.network.records import (
    MOST_ALIASES,
    Question,
    Record,
    Reply,
    is_address,
    number,
    reversed_address,
)
from sregym_cluster_embedded.network.resolver import CLUSTER_DNS
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sregym_cluster_embedded.world import World

_SLICES = "endpointslices.discovery.k8s.io"
_VERSION = "1.1.0"


class Zone(NamedTuple):
    """The settings of one `kubernetes` block.

    Attributes:
        name: The zone that the question lies in, without final dot.
        primary: The first zone that is not one of addresses: pointers lead there.
        pods: `disabled`, `insecure` or `verified`.
        ttl: Of its records, in seconds.
        namespaces: The only ones that are shown; empty for all.
        no_endpoints: Whether endpoints are left out.
        hide_empty: Whether Services without ready endpoints do not exist.
        pod_names: Whether endpoints are called after their pods.
    """

    name: str
    primary: str = "cluster.local"
    pods: str = "disabled"
    ttl: int = 5
    namespaces: tuple[str, ...] = ()
    no_endpoints: bool = False
    hide_empty: bool = False
    pod_names: bool = False


class Entry(NamedTuple):
    """One thing that a name stands for: an address, a name elsewhere, a port there."""

    owner: str
    host: str
    port: int


def zone_of(plugin: Plugin, name: str, server_zones: tuple[str, ...]) -> Zone | None:
    """The settings under which a `kubernetes` block answers for a name; None when it does not."""
    zones = [argument.rstrip(".") for argument in plugin.arguments] or list(server_zones)
    fitting = [zone for zone in zones if within(name, zone)]
    if not fitting:
        return None
    options = {line[0]: line[1:] for line in plugin.block}
    ttl = options.get("ttl", ("5",))[:1]
    forward = [zone for zone in zones if not zone.endswith("arpa")]
    return Zone(
        max(fitting, key=len),
        forward[0] if forward else "",
        (options.get("pods") or ("disabled",))[0],
        number(ttl[0], 5) if ttl else 5,
        tuple(options.get("namespaces", ())),
        "noendpoints" in options,
        "empty_service" in options.get("ignore", ()),
        "endpoint_pod_names" in options,
    )


def answer(
    world: World,
    zone: Zone,
    question: Question,
    elsewhere: Callable[[Question, int], Reply],
    depth: int = 0,
) -> Reply:
    """Answer a question in the zone; `elsewhere` looks up names outside of it."""
    if zone.name.endswith("arpa"):
        return _pointer(world, zone, question)
    if question.name == zone.name:
        return _apex(world, zone, question)
    labels = question.name[: -len(zone.name) - 1].split(".")
    if labels == ["dns-version"] and question.kind == "TXT":
        return Reply("ok", (Record(question.name, "TXT", f'"{_VERSION}"', zone.ttl),))
    if labels[-1] == "pod":
        return _pod(world, zone, question, labels[:-1])
    if labels[-1] != "svc":
        return Reply("nxdomain")
    if len(labels) <= 2:
        known = len(labels) == 1 or _exposed(world, zone, labels[0])
        return Reply("nodata" if known else "nxdomain")
    return _service(world, zone, question, labels[:-1], elsewhere, depth)


def _apex(world: World, zone: Zone, question: Question) -> Reply:
    """The zone itself: who is in charge of it."""
    if question.kind == "SOA":
        # The serial is the moment: the zone may be another one at any time.
        serial = int(world.epoch + world.now)
        text = f"ns.dns.{zone.name}. hostmaster.{zone.name}. {serial} 7200 1800 86400 {zone.ttl}"
        return Reply("ok", (Record(zone.name, "SOA", text, zone.ttl),))
    if question.kind != "NS":
        return Reply("nodata")
    for service in world.store.indexed("services", "address", CLUSTER_DNS):
        metadata = service["metadata"]
        name = f"{metadata['name']}.{metadata['namespace']}.svc.{zone.name}"
        glue = Record(name, "A", CLUSTER_DNS, zone.ttl)
        return Reply("ok", (Record(zone.name, "NS", name, zone.ttl),), (glue,))
    return Reply("ok", (Record(zone.name, "NS", f"ns.dns.{zone.name}", zone.ttl),))


def _service(
    world: World,
    zone: Zone,
    question: Question,
    labels: list[str],
    elsewhere: Callable[[Question, int], Reply],
    depth: int,
) -> Reply:
    namespace, name = labels[-1], labels[-2]
    service = world.store.get(Key("services", namespace, name))
    before = labels[:-2]
    if service is None or len(before) > 2 or not _exposed(world, zone, namespace):
        return Reply("nxdomain")
    place = f"{namespace}/{name}"
    spec = service["spec"]
    if spec.get("type") == "ExternalName":
        if before:
            return Reply("nxdomain")
        return _alias(world, zone, question, spec["externalName"], elsewhere, depth)
    host = before[0] if len(before) == 1 else ""
    port, protocol = ("", "")
    if len(before) == 2:
        port, protocol = before[0].removeprefix("_"), before[1].removeprefix("_")
    uses: tuple[str, ...] = ()
    if spec.get("clusterIP") == "None" or host:
        entries = [] if zone.no_endpoints else _endpoints(world, zone, service, host)
        found = [entry for entry, *named in entries if _named(named, port, protocol)]
        uses = (place,)
    else:
        if zone.hide_empty:
            uses = (place,)
            if not _endpoints(world, zone, service, ""):
                return Reply("nxdomain", uses=uses)
        owner = f"{name}.{namespace}.svc.{zone.name}"
        found = [
            Entry(owner, address, entry["port"])
            for entry in spec.get("ports") or ()
            if _named([entry.get("name", ""), entry.get("protocol", "TCP")], port, protocol)
            for address in spec.get("clusterIPs") or (spec["clusterIP"],)
        ]
    if not found:
        return Reply("nxdomain", uses=uses)
    if question.kind == "SRV":
        return _places(question, zone, found)._replace(uses=uses)
    return _addresses(question, zone, found)._replace(uses=uses)


def _addresses(question: Question, zone: Zone, found: list[Entry]) -> Reply:
    if question.kind != "A":
        return Reply("nodata")
    hosts = dict.fromkeys(entry.host for entry in found)
    return Reply("ok", tuple(Record(question.name, "A", host, zone.ttl) for host in hosts))


def _places(question: Question, zone: Zone, found: list[Entry]) -> Reply:
    """SRV records share a weight of 100 among them."""
    named = [entry for entry in found if entry.port > 0]
    weight = max(100 // max(len(found), 1), 1)
    records = tuple(
        Record(question.name, "SRV", f"0 {weight} {entry.port} {entry.owner}", zone.ttl)
        for entry in named
    )
    owners = dict.fromkeys((entry.owner, entry.host) for entry in named)
    glue = tuple(Record(owner, "A", host, zone.ttl) for owner, host in owners)
    return Reply("ok", records, glue) if records else Reply("nodata")


def _alias(
    world: World,
    zone: Zone,
    question: Question,
    target: str,
    elsewhere: Callable[[Question, int], Reply],
    depth: int,
) -> Reply:
    target = target.rstrip(".").lower()
    if is_address(target):
        # An address for a name is served as one.
        kind = question.kind
        return (
            _addresses(question, zone, [Entry("", target, 0)]) if kind == "A" else Reply("nodata")
        )
    alias = Record(question.name, "CNAME", target, zone.ttl)
    if question.kind == "CNAME":
        return Reply("ok", (alias,))
    if question.kind not in ("A", "AAAA") or target == question.name or depth >= MOST_ALIASES:
        return Reply("nodata")
    following = Question(target, question.kind)
    if within(target, zone.name):
        inside = answer(world, zone, following, elsewhere, depth + 1)
        # A name of the zone that leads nowhere is left out together with its alias.
        records = (alias, *inside.records) if inside.records else ()
        return Reply("ok" if records else "nodata", records, uses=inside.uses)
    outside = elsewhere(following, depth + 1)
    if outside.status in ("timeout", "servfail", "closed", "unreachable"):
        return Reply("nodata", uses=outside.uses)
    return Reply("ok", (alias, *outside.records), uses=outside.uses)


def _pod(world: World, zone: Zone, question: Question, labels: list[str]) -> Reply:
    if zone.pods == "disabled" and labels:
        return Reply("nxdomain")
    if not labels:
        return Reply("nodata")
    if len(labels) == 1:
        return Reply("nodata" if _exposed(world, zone, labels[0]) else "nxdomain")
    address = labels[0].replace("-", ".")
    if len(labels) > 2 or not is_address(address) or not _exposed(world, zone, labels[1]):
        return Reply("nxdomain")
    if zone.pods == "verified":
        pods = world.store.list("pods", labels[1])
        if not any(pod.get("status", {}).get("podIP") == address for pod in pods):
            return Reply("nxdomain", uses=("*",))
    return _addresses(question, zone, [Entry(question.name, address, 0)])


def _pointer(world: World, zone: Zone, question: Question) -> Reply:
    address = reversed_address(question.name)
    if address is None:
        return Reply("nxdomain")
    domain = f"svc.{zone.primary}"
    names: list[str] = []
    for service in world.store.indexed("services", "address", address):
        metadata = service["metadata"]
        names.append(f"{metadata['name']}.{metadata['namespace']}.{domain}")
    if not names:
        for sliced in world.store.list(_SLICES):
            service_name = (sliced["metadata"].get("labels") or {}).get(
                "kubernetes.io/service-name"
            )
            for endpoint in _ready(sliced):
                if service_name and address in endpoint["addresses"]:
                    host = _host(zone, endpoint)
                    place = f"{service_name}.{sliced['metadata']['namespace']}"
                    names.append(f"{host}.{place}.{domain}")
    if not names:
        return Reply("nxdomain", uses=("*",))
    if question.kind != "PTR":
        return Reply("nodata", uses=("*",))
    records = tuple(Record(question.name, "PTR", name, zone.ttl) for name in dict.fromkeys(names))
    return Reply("ok", records, uses=("*",))


def _endpoints(
    world: World, zone: Zone, service: Object, host: str
) -> list[tuple[Entry, str, str]]:
    """(entry, name of its port, protocol) of the ready endpoints, of one host if asked so."""
    metadata = service["metadata"]
    place = f"{metadata['name']}.{metadata['namespace']}.svc.{zone.name}"
    found: list[tuple[Entry, str, str]] = []
    for sliced in world.store.indexed(
        _SLICES, "service", f"{metadata['namespace']}/{metadata['name']}"
    ):
        if sliced.get("addressType", "IPv4") != "IPv4":
            continue
        ports = sliced.get("ports") or [{"name": "", "port": -1}]
        for endpoint in _ready(sliced):
            called = _host(zone, endpoint)
            if host and host != called:
                continue
            for address in endpoint["addresses"]:
                for port in ports:
                    entry = Entry(f"{called}.{place}", address, port.get("port") or -1)
                    name, protocol = port.get("name") or "", port.get("protocol", "TCP")
                    found.append((entry, name, protocol))
    return found


def _ready(sliced: Object) -> Iterator[Object]:
    for endpoint in sliced.get("endpoints") or ():
        ready = (endpoint.get("conditions") or {}).get("ready", True) is not False
        if ready and endpoint.get("addresses"):
            yield endpoint


def _host(zone: Zone, endpoint: Object) -> str:
    if endpoint.get("hostname"):
        return str(endpoint["hostname"])
    reference = endpoint.get("targetRef") or {}
    if zone.pod_names and reference.get("name"):
        return str(reference["name"])
    return str(endpoint["addresses"][0]).replace(".", "-")


def _named(port: list[str], name: str, protocol: str) -> bool:
    fits = not name or port[0].lower() == name
    return fits and (not protocol or port[1].lower() == protocol)


def _exposed(world: World, zone: Zone, namespace: str) -> bool:
    if zone.namespaces and namespace not in zone.namespaces:
        return False
    return world.store.get(Key("namespaces", "", namespace)) is not None
