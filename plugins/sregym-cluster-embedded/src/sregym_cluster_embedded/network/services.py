"""Connections as the kernel of a node makes them: service addresses, pod addresses, nobody.

Everything is read from Services and EndpointSlices as they are. Whether a process listens is asked
of the runtime, which a higher room provides.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sregym_cluster_embedded.network.addresses import holder, node_with
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_SLICES = "endpointslices.discovery.k8s.io"
_SERVICE_NETWORK = "10.96."
_POD_NETWORKS = ("10.244.", "10.245.", "10.246.")
_API_PORT = 6443


class Listeners(Protocol):
    """What the network asks of the container runtime, `world.room("runtime")`."""

    def listening(self, world: World, pod_uid: str, port: int) -> bool:
        """Whether a process of the pod listens on a TCP port."""


class Outcome(StrEnum):
    """How an attempt to connect ends."""

    CONNECTED = "connected"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"


class Backend(NamedTuple):
    """One endpoint behind an address.

    Attributes:
        pod_uid: Uid of the pod; empty for endpoints that are no pods.
        namespace: Namespace of the pod.
        pod: Its name.
        ip: Where the packets go.
        port: The port there.
        node: The node of the endpoint.
    """

    pod_uid: str
    namespace: str
    pod: str
    ip: str
    port: int
    node: str


class Connection(NamedTuple):
    """The result of `connect`.

    Attributes:
        outcome: How it ended.
        backend: The endpoint that was reached or that refused; None when there was none.
    """

    outcome: Outcome
    backend: Backend | None = None


class Target(NamedTuple):
    """Where packets for an address may go.

    Attributes:
        failure: Set when they go nowhere.
        backends: The endpoints that share the connections evenly.
    """

    failure: Outcome | None
    backends: tuple[Backend, ...] = ()


def service_addresses(service: Object) -> list[str]:
    """Index values of a Service: its cluster addresses."""
    return [address for address in service["spec"].get("clusterIPs", ()) if address != "None"]


def slice_services(entry: Object) -> list[str]:
    """Index values of an EndpointSlice: `NAMESPACE/SERVICE`."""
    name = (entry["metadata"].get("labels") or {}).get("kubernetes.io/service-name")
    return [f"{entry['metadata']['namespace']}/{name}"] if name else []


def connect(
    world: World, source: Object | None, address: str, port: int, purpose: object = ""
) -> Connection:
    """Open a TCP connection to `address` as from a pod (None: from outside the cluster).

    `purpose` tells attempts apart that may reach different endpoints of one Service.
    """
    target = backends(world, address, port, source)
    if target.failure is not None:
        return Connection(target.failure)
    backend = target.backends[0]
    if len(target.backends) > 1:
        backend = world.seed.pick(target.backends, "connect", address, port, world.now, purpose)
    return Connection(_accepted(world, backend), backend)


def backends(
    world: World, address: str, port: int, source: Object | None = None, protocol: str = "TCP"
) -> Target:
    """The endpoints to which the node of `source` sends packets for an address and port."""
    for service in world.store.indexed("services", "address", address):
        return _service_target(world, service, port, source, protocol)
    pod = holder(world, address)
    if pod is not None:
        metadata = pod["metadata"]
        node = pod["spec"].get("nodeName", "")
        direct = Backend(
            metadata["uid"], metadata["namespace"], metadata["name"], address, port, node
        )
        return Target(None, (direct,))
    node_object = node_with(world, address)
    if node_object is not None:
        return _node_target(world, node_object, address, port, source, protocol)
    if address.startswith(_SERVICE_NETWORK):
        # No rule translates the address: the packets leave the node and are lost.
        return Target(Outcome.TIMEOUT)
    if address.startswith(_POD_NETWORKS):
        return Target(Outcome.UNREACHABLE)
    if address.startswith("127."):
        return _loopback(source, address, port)
    # Nodes have no way out of the cluster.
    return Target(Outcome.UNREACHABLE)


def service_backends(
    world: World, service: Object, port: Object, source: Object | None = None
) -> Target:
    """The endpoints of one port of a Service, as kube-proxy programs them on the source's node."""
    metadata, spec = service["metadata"], service["spec"]
    ready: list[Backend] = []
    fallback: list[Backend] = []
    for entry in world.store.indexed(
        _SLICES, "service", f"{metadata['namespace']}/{metadata['name']}"
    ):
        number = _slice_port(entry, port)
        if number is None:
            continue
        for endpoint in entry.get("endpoints") or ():
            conditions = endpoint.get("conditions") or {}
            found = _backend(endpoint, number)
            if conditions.get("ready", True) is not False:
                ready.append(found)
            elif conditions.get("serving") and conditions.get("terminating"):
                fallback.append(found)
    # While nothing is ready, traffic goes to what still serves on its way out.
    chosen = ready or fallback
    if not chosen:
        return Target(Outcome.REFUSED)
    if spec.get("internalTrafficPolicy") == "Local":
        node = source["spec"].get("nodeName", "") if source is not None else ""
        chosen = [backend for backend in chosen if backend.node == node]
        if not chosen:
            return Target(Outcome.TIMEOUT)
    return Target(None, tuple(chosen))


def _service_target(
    world: World, service: Object, port: int, source: Object | None, protocol: str
) -> Target:
    for entry in service["spec"].get("ports") or ():
        if entry["port"] == port and entry.get("protocol", "TCP") == protocol:
            return service_backends(world, service, entry, source)
    return Target(Outcome.TIMEOUT)


def _node_target(
    world: World, node: Object, address: str, port: int, source: Object | None, protocol: str
) -> Target:
    name = node["metadata"]["name"]
    for service in world.store.list("services"):
        if service["spec"].get("type") not in ("NodePort", "LoadBalancer"):
            continue
        for entry in service["spec"].get("ports") or ():
            if entry.get("nodePort") == port and entry.get("protocol", "TCP") == protocol:
                return service_backends(world, service, entry, source)
    for pod in world.store.indexed("pods", "node", name):
        for container in pod["spec"]["containers"]:
            for offered in container.get("ports", ()):
                if offered.get("hostPort") == port and pod["status"].get("podIP"):
                    metadata = pod["metadata"]
                    number = offered["containerPort"]
                    place = (metadata["uid"], metadata["namespace"], metadata["name"])
                    return Target(None, (Backend(*place, pod["status"]["podIP"], number, name),))
    if port == _API_PORT:
        return Target(None, (Backend("", "", "", address, port, name),))
    return Target(Outcome.REFUSED)


def _loopback(source: Object | None, address: str, port: int) -> Target:
    if source is None:
        return Target(Outcome.REFUSED)
    metadata = source["metadata"]
    place = (metadata["uid"], metadata["namespace"], metadata["name"])
    return Target(None, (Backend(*place, address, port, source["spec"].get("nodeName", "")),))


def _slice_port(entry: Object, port: Object) -> int | None:
    for offered in entry.get("ports") or ():
        if (offered.get("name") or "") == port.get("name", ""):
            number: int | None = offered.get("port")
            return number
    return None


def _backend(endpoint: Object, port: int) -> Backend:
    reference = endpoint.get("targetRef") or {}
    return Backend(
        reference.get("uid", "") if reference.get("kind") == "Pod" else "",
        reference.get("namespace", ""),
        reference.get("name", ""),
        endpoint["addresses"][0],
        port,
        endpoint.get("nodeName") or "",
    )


def _accepted(world: World, backend: Backend) -> Outcome:
    if not backend.pod_uid:
        known = backend.port == _API_PORT and node_with(world, backend.ip) is not None
        return Outcome.CONNECTED if known else _reach(world, backend)
    pod = world.store.get(Key("pods", backend.namespace, backend.pod))
    if pod is None or pod["metadata"]["uid"] != backend.pod_uid:
        return Outcome.UNREACHABLE
    runtime: Listeners = world.room("runtime")
    if runtime.listening(world, backend.pod_uid, backend.port):
        return Outcome.CONNECTED
    return Outcome.REFUSED


def _reach(world: World, backend: Backend) -> Outcome:
    """An endpoint that someone wrote by hand: a pod by its address, or nobody."""
    pod = holder(world, backend.ip)
    if pod is None:
        return Outcome.UNREACHABLE
    runtime: Listeners = world.room("runtime")
    listens = runtime.listening(world, pod["metadata"]["uid"], backend.port)
    return Outcome.CONNECTED if listens else Outcome.REFUSED
