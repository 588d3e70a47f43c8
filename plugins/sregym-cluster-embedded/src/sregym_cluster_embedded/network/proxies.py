"""kube-proxy on each node: which Services and endpoints it has programmed, and how it spreads.

A proxy that works sees what the API has, so nothing is kept of it. One that is stopped goes on with
the rules that it wrote last; one that is slow has the rules of a while ago. What it wrote stays in
force when it ends, also by which scheduler connections are spread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network import cache
from sregym_cluster_embedded.workqueue import enqueue, forget, mark_processing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sregym_cluster_embedded.network.outcomes import Backend
    from sregym_cluster_embedded.store import Change, Object
    from sregym_cluster_embedded.world import World

SLICES = "endpointslices.discovery.k8s.io"
HANDLER = "network.sync"
_TABLE: TableKey[str, _Proxy] = TableKey("network.proxies")
_SPREAD: TableKey[str, Spread] = TableKey("network.proxies.spread")


class Spread(NamedTuple):
    """How the kernel of a node spreads connections among the endpoints of a Service.

    Attributes:
        mode: Of kube-proxy: `iptables`, `ipvs` or `nftables`.
        scheduler: Of IPVS: `sh` keeps each client, `dh` all clients of an address to one endpoint;
            all others are as good as even here.
    """

    mode: str = "iptables"
    scheduler: str = ""

    def ends(self, world: World, service: str, client: str, ready: list[Backend]) -> list[Backend]:
        """Those of a Service's endpoints to which connections of one client go."""
        kept = {"sh": client, "dh": service}.get(self.scheduler, "")
        if self.mode != "ipvs" or not kept:
            return ready
        return [max(ready, key=lambda one: world.seed.fraction("ipvs", kept, one.ip))]


EVEN = Spread()


class Rules:
    """What the API has at the moment, as every proxy without trouble has programmed it.

    Attributes:
        spread: How connections are spread among endpoints.
    """

    __slots__ = ("spread", "world")

    def __init__(self, world: World, spread: Spread) -> None:
        self.world = world
        self.spread = spread

    def at(self, index: str, value: str) -> Iterable[Object]:
        """The Services with a value under an index: `address`, `node-port` or `balanced`."""
        return self.world.store.indexed("services", index, value)

    def services(self) -> Iterable[Object]:
        """All Services."""
        return self.world.store.list("services")

    def slices(self, service: Object) -> Iterable[Object]:
        """The EndpointSlices of a Service."""
        metadata = service["metadata"]
        place = f"{metadata['namespace']}/{metadata['name']}"
        return self.world.store.indexed(SLICES, "service", place)


class _Proxy(NamedTuple):
    """A proxy in trouble: what it programmed last, and how late it is (None: stopped)."""

    delay_s: float | None
    services: tuple[Object, ...]
    slices: tuple[Object, ...]


class _Written(Rules):
    """The rules that a proxy in trouble wrote last."""

    __slots__ = ("proxy",)

    def __init__(self, world: World, spread: Spread, proxy: _Proxy) -> None:
        super().__init__(world, spread)
        self.proxy = proxy

    def at(self, index: str, value: str) -> Iterator[Object]:
        read = INDEXES[index]
        return (service for service in self.proxy.services if value in read(service))

    def services(self) -> Iterable[Object]:
        return self.proxy.services

    def slices(self, service: Object) -> Iterator[Object]:
        metadata = service["metadata"]
        place = f"{metadata['namespace']}/{metadata['name']}"
        return (entry for entry in self.proxy.slices if place in slice_services(entry))


def rules_of(world: World, node: str) -> Rules:
    """The rules that are in force on a node."""
    proxy: _Proxy | None = world.table(_TABLE).get(node)
    spread: Spread = world.table(_SPREAD).get(node, EVEN)
    return Rules(world, spread) if proxy is None else _Written(world, spread, proxy)


def works(world: World, node: str) -> bool:
    """Whether the proxy of a node runs."""
    proxy: _Proxy | None = world.table(_TABLE).get(node)
    return proxy is None or proxy.delay_s is not None


def delay_of(world: World, node: str) -> float:
    """Seconds by which the proxy of a node is late with new rules."""
    proxy: _Proxy | None = world.table(_TABLE).get(node)
    return 0.0 if proxy is None else proxy.delay_s or 0.0


def stop(world: World, node: str) -> None:
    """The proxy of a node ends: its rules stay as they are."""
    forget(world, HANDLER, node)
    known: _Proxy | None = world.table(_TABLE).get(node)
    if known is None:
        _write(world, node, None)
    else:
        world.table(_TABLE)[node] = known._replace(delay_s=None)


def delay(world: World, node: str, seconds: float) -> None:
    """From now on the proxy of a node needs so long to write new rules."""
    _write(world, node, seconds)


def start(world: World, node: str, spread: Spread | None = None) -> None:
    """The proxy of a node works again: it writes its rules anew, and spreads as before by default."""
    forget(world, HANDLER, node)
    world.table(_TABLE).pop(node, None)
    if spread == EVEN:
        world.table(_SPREAD).pop(node, None)
    elif spread is not None:
        world.table(_SPREAD)[node] = spread
    cache.clear(world)


def follow(world: World, _change: Change) -> None:
    """Services or endpoints have changed: proxies that are late will know later."""
    for node, proxy in world.table(_TABLE).items():
        if proxy.delay_s is not None and node not in world.queue(HANDLER):
            enqueue(world, HANDLER, node, proxy.delay_s)


def sync(world: World, node: str) -> None:
    """Handler: a slow proxy has written what it was told a while ago."""
    mark_processing(world, HANDLER, node)
    proxy: _Proxy | None = world.table(_TABLE).get(node)
    if proxy is not None and proxy.delay_s is not None:
        _write(world, node, proxy.delay_s)


def _write(world: World, node: str, delay_s: float | None) -> None:
    services = tuple(world.store.list("services"))
    world.table(_TABLE)[node] = _Proxy(delay_s, services, tuple(world.store.list(SLICES)))
    cache.clear(world)


def service_addresses(service: Object) -> list[str]:
    """Index values of a Service: its cluster addresses, and those from outside it answers to."""
    spec = service["spec"]
    found = [address for address in spec.get("clusterIPs") or () if address != "None"]
    return [*found, *spec.get("externalIPs", ())]


def node_ports(service: Object) -> list[str]:
    """Index values of a Service: `PROTOCOL/PORT` of its node ports."""
    return [
        f"{entry.get('protocol', 'TCP')}/{entry['nodePort']}"
        for entry in service["spec"].get("ports") or ()
        if entry.get("nodePort")
    ]


def balanced(service: Object) -> list[str]:
    """Index values of a Service: `yes` when addresses of a load balancer may lead to it."""
    return ["yes"] if service["spec"].get("type") == "LoadBalancer" else []


def slice_services(entry: Object) -> list[str]:
    """Index values of an EndpointSlice: `NAMESPACE/SERVICE`."""
    name = (entry["metadata"].get("labels") or {}).get("kubernetes.io/service-name")
    return [f"{entry['metadata']['namespace']}/{name}"] if name else []


INDEXES = {"address": service_addresses, "node-port": node_ports, "balanced": balanced}
