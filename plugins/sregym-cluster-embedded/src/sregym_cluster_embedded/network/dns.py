"""Names: what a pod gets when it looks one up, through the state of the cluster's DNS."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sregym_cluster_embedded.network import corefile
from sregym_cluster_embedded.network.resolver import Resolver, hosts_of, resolver_of
from sregym_cluster_embedded.network.services import Backend, Outcome, backends
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
    try:
        ip_address(name)
    except ValueError:
        pass
    else:
        return Resolution("ok", (name,), name)
    hosts = hosts_of(world, source)
    if name.rstrip(".") in hosts:
        return Resolution("ok", (hosts[name.rstrip(".")],), name)
    return _ask(world, source, resolver_of(source), name)


def _ask(world: World, source: Object, resolver: Resolver, name: str) -> Resolution:
    answer = Resolution("timeout", (), name, resolver.servers[0] if resolver.servers else "")
    for candidate in resolver.candidates(name):
        for server in resolver.servers:
            answer = query(world, source, server, candidate)
            if answer.status not in ("timeout", "refused", "servfail"):
                break
        if answer.status != "nxdomain":
            return answer
    return answer


def query(world: World, source: Object | None, server: str, name: str) -> Resolution:
    """Ask one name server for the A records of an absolute name."""
    target = backends(world, server, 53, source, "UDP")
    if target.failure is Outcome.REFUSED:
        return Resolution("refused", (), name, server)
    if target.failure is not None:
        # The resolver of the nodes knows no name; any other address is silent.
        status = "nxdomain" if server == "10.77.0.1" else "timeout"
        return Resolution(status, (), name, server)
    runtime: Listeners = world.room("runtime")
    serving = [
        entry for entry in target.backends if runtime.listening(world, entry.pod_uid, entry.port)
    ]
    if not serving:
        return Resolution("refused", (), name, server)
    status, addresses = _answer(world, serving[0], name, 0)
    return Resolution(status, addresses, name, server)


def _answer(world: World, backend: Backend, name: str, depth: int) -> tuple[str, tuple[str, ...]]:
    kubelet: MountedFiles = world.room("kubelet")
    text = kubelet.mounted_files(world, backend.pod_uid).get("Corefile", "")
    server = corefile.server_for(corefile.parse(text), name.lower())
    if server is None:
        return "refused", ()
    asked = corefile.rewritten(server, name.lower())
    code = corefile.template_code(server, asked)
    if code is not None:
        return code.lower(), ()
    for plugin in server.named("hosts"):
        found = [line[0] for line in plugin.block if asked in line[1:]]
        if found:
            return "ok", tuple(found)
    for plugin in server.named("kubernetes"):
        for zone in plugin.arguments:
            if corefile.within(asked, zone.rstrip(".")):
                labels = asked[: -len(zone.rstrip(".")) - 1].split(".")
                return _in_cluster(world, backend, labels, depth)
    if server.named("forward"):
        # Upstream is the resolver of the node, which knows no name.
        return "nxdomain", ()
    return "servfail", ()


def _in_cluster(
    world: World, backend: Backend, labels: list[str], depth: int
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
        return _answer(world, backend, spec["externalName"].rstrip("."), depth + 1)
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
