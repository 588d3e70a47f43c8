"""Names: what a pod gets when it looks one up, through the state of the cluster's DNS."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from sregym_cluster_embedded.network import corefile
from sregym_cluster_embedded.network.resolver import NODE_DNS, Resolver, hosts_of, resolver_of
from sregym_cluster_embedded.network.services import Outcome, backends
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_SLICES = "endpointslices.discovery.k8s.io"
_MOST_ALIASES = 8


class MountedFiles(Protocol):
    """What the network asks of the kubelets, `world.room("kubelet")`."""

    def mounted_files(self, world: World, pod_uid: str) -> dict[str, str]:
        """All ConfigMap files in a pod's volumes, by file name."""


class Listeners(Protocol):
    """What the network asks of the container runtime, `world.room("runtime")`."""

    def listening(self, world: World, pod_uid: str, port: int) -> bool:
        """Whether a process of the pod listens on a port."""


class Resolution(NamedTuple):
    """The answer to a look-up.

    Attributes:
        status: `ok`, `nxdomain`, `servfail`, `refused` (nobody listens) or `timeout`.
        addresses: IPv4 addresses, when `ok`.
        name: The absolute name that was found, or the last that was tried.
        server: Address of the name server that was asked; empty when /etc/hosts answered.
    """

    status: str
    addresses: tuple[str, ...] = ()
    name: str = ""
    server: str = ""


def resolve(world: World, source: Object, name: str) -> Resolution:
    """Look up a name as a process in the pod `source` does."""
    if _is_address(name):
        return Resolution("ok", (name,), name)
    hosts = hosts_of(world, source)
    if name.rstrip(".") in hosts:
        return Resolution("ok", (hosts[name.rstrip(".")],), name)
    return _ask(world, source, resolver_of(source), name)


def query(world: World, source: Object | None, server: str, name: str) -> Resolution:
    """Ask one name server for the A records of an absolute name."""
    return _answered(world, _server(world, source, server), name)


class _Server(NamedTuple):
    """A name server as one pod reaches it now.

    Attributes:
        address: Its address.
        failure: What every question to it ends with; empty when it answers.
        blocks: Its Corefile, when it answers.
    """

    address: str
    failure: str = ""
    blocks: tuple[corefile.ServerBlock, ...] = ()


def _ask(world: World, source: Object, resolver: Resolver, name: str) -> Resolution:
    servers = [_server(world, source, address) for address in resolver.servers]
    answer = Resolution("timeout", (), name, resolver.servers[0] if resolver.servers else "")
    for candidate in resolver.candidates(name):
        for server in servers:
            answer = _answered(world, server, candidate)
            if answer.status not in ("timeout", "refused", "servfail"):
                break
        if answer.status != "nxdomain":
            return answer
    return answer


def _server(world: World, source: Object | None, address: str) -> _Server:
    target = backends(world, address, 53, source, "UDP")
    if target.failure is Outcome.REFUSED:
        return _Server(address, "refused")
    if target.failure is not None:
        # The resolver of the nodes knows no name; any other address is silent.
        return _Server(address, "nxdomain" if address == NODE_DNS else "timeout")
    runtime: Listeners = world.room("runtime")
    for backend in target.backends:
        if runtime.listening(world, backend.pod_uid, backend.port):
            kubelet: MountedFiles = world.room("kubelet")
            files = kubelet.mounted_files(world, backend.pod_uid)
            return _Server(address, "", corefile.parse(files.get("Corefile", "")))
    return _Server(address, "refused")


def _answered(world: World, server: _Server, name: str) -> Resolution:
    if server.failure:
        return Resolution(server.failure, (), name, server.address)
    status, addresses = _answer(world, server.blocks, name, 0)
    return Resolution(status, addresses, name, server.address)


def _answer(
    world: World, blocks: tuple[corefile.ServerBlock, ...], name: str, depth: int
) -> tuple[str, tuple[str, ...]]:
    block = corefile.server_for(blocks, name.lower())
    if block is None:
        return "refused", ()
    asked = corefile.rewritten(block, name.lower())
    code = corefile.template_code(block, asked)
    if code is not None:
        return code.lower(), ()
    for plugin in block.named("hosts"):
        found = [line[0] for line in plugin.block if asked in line[1:]]
        if found:
            return "ok", tuple(found)
    for plugin in block.named("kubernetes"):
        for zone in plugin.arguments:
            if corefile.within(asked, zone.rstrip(".")):
                labels = asked[: -len(zone.rstrip(".")) - 1].split(".")
                return _in_cluster(world, blocks, labels, depth)
    if block.named("forward"):
        # Upstream is the resolver of the node, which knows no name.
        return "nxdomain", ()
    return "servfail", ()


def _in_cluster(
    world: World, blocks: tuple[corefile.ServerBlock, ...], labels: list[str], depth: int
) -> tuple[str, tuple[str, ...]]:
    if labels[-1] == "pod" and len(labels) == 3:
        return "ok", (labels[0].replace("-", "."),)
    if labels[-1] != "svc" or len(labels) not in (3, 4):
        return "nxdomain", ()
    namespace, name = labels[-2], labels[-3]
    host = labels[0] if len(labels) == 4 else ""
    service = world.store.get(Key("services", namespace, name))
    if service is None:
        return "nxdomain", ()
    spec = service["spec"]
    if spec.get("type") == "ExternalName":
        if depth >= _MOST_ALIASES:
            return "servfail", ()
        return _answer(world, blocks, spec["externalName"].rstrip("."), depth + 1)
    if spec.get("clusterIP") != "None" and not host:
        return "ok", (spec["clusterIP"],)
    addresses = _endpoint_addresses(world, service, host)
    return ("ok", addresses) if addresses else ("nxdomain", ())


def _endpoint_addresses(world: World, service: Object, host: str) -> tuple[str, ...]:
    metadata = service["metadata"]
    place = f"{metadata['namespace']}/{metadata['name']}"
    found: list[str] = []
    for entry in world.store.indexed(_SLICES, "service", place):
        for endpoint in entry.get("endpoints") or ():
            if (endpoint.get("conditions") or {}).get("ready", True) is False:
                continue
            names = (endpoint.get("hostname"), endpoint["addresses"][0].replace(".", "-"))
            if not host or host in names:
                found.extend(endpoint["addresses"])
    return tuple(found)


def _is_address(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 4 and all(part.isdigit() and int(part) < 256 for part in parts)
