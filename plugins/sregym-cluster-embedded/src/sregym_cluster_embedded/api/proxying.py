"""The subresource `proxy`: requests that the API server passes on to pods, Services and nodes.

Where they end is the affair of higher layers: the network finds the end, the runtime answers there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol
from urllib.parse import urlencode

from sregym_cluster_embedded.api import dynamic, errors
from sregym_cluster_embedded.api.dynamic import writes as dynamic_writes
from sregym_cluster_embedded.api.keys import PASSAGE
from sregym_cluster_embedded.api.request import Request, Response
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.api.target import Target
    from sregym_cluster_embedded.world import World

_SCHEMES = ("http", "https")


class Passed(NamedTuple):
    """What came of a request that was passed on.

    Attributes:
        error: Why no back end was reached, as Go words it; empty when one answered.
        status: HTTP status of the answer.
        body: Its body.
        content_type: Its type.
    """

    error: str = ""
    status: int = 200
    body: str = ""
    content_type: str = "text/plain; charset=utf-8"


class Passage(Protocol):
    """Found by `world.service(PASSAGE)`."""

    def pass_on(self, world: World, request: Passing) -> Passed:
        """Send a request from the API server to an address of the cluster."""


class Passing(NamedTuple):
    """A request that is passed on.

    Attributes:
        method: HTTP method.
        scheme: `http` or `https`.
        address: IP address.
        port: Port.
        path: Path with query.
        node: Set when the kubelet of this node is meant.
    """

    method: str
    scheme: str
    address: str
    port: int
    path: str
    node: str = ""


_OPTIONS = {
    "nodes": "NodeProxyOptions",
    "pods": "PodProxyOptions",
    "services": "ServiceProxyOptions",
}


def proxy(world: World, request: Request, found: Target) -> Response:
    """Pass a request on to what the target names: `[SCHEME:]NAME[:PORT]`."""
    kind = found.resource.plural
    scheme, name, port = _place(kind, found.name)
    obj = world.store.get(Key(kind, found.namespace, name))
    if obj is None:
        raise errors.not_found(found.resource, name)
    query = f"?{urlencode(request.query, errors='surrogateescape')}" if request.query else ""
    if dynamic.configured(world):
        wish = {"kind": _OPTIONS[kind], "apiVersion": "v1", "path": f"/{found.rest}"}
        dynamic_writes.connected(world, request, found, wish, [])
    slash = "/" if found.rest and request.path.endswith("/") else ""
    path = f"/{found.rest}{slash}{query}"
    ends = {"pods": _pod, "services": _service, "nodes": _node}[kind]
    address, number, node = ends(world, obj, port)
    passing = Passing(request.method, scheme or "http", address, number, path, node)
    service: Passage | None = world.service_or_none(PASSAGE)
    passed = Passed("no passage") if service is None else service.pass_on(world, passing)
    if passed.error:
        raise _unavailable(f"error trying to reach service: {passed.error}")
    return Response(
        passed.status, passed.body.encode(errors="surrogateescape"), passed.content_type
    )


def _place(kind: str, given: str) -> tuple[str, str, str]:
    parts = given.split(":")
    if len(parts) == 1:
        return "", given, ""
    if len(parts) == 2 and parts[0]:
        return "", parts[0], parts[1]
    if len(parts) == 3 and parts[0] in (*_SCHEMES, "") and parts[1]:
        return parts[0], parts[1], parts[2]
    raise errors.bad_request(f'invalid {kind.removesuffix("s")} request "{given}"')


def _pod(_world: World, pod: Object, port: str) -> tuple[str, int, str]:
    address = pod.get("status", {}).get("podIP", "")
    if not address:
        raise errors.bad_request("address not allowed")
    offered = [
        entry for container in pod["spec"]["containers"] for entry in container.get("ports", ())
    ]
    if port and not port.isdecimal():
        raise errors.bad_request(f'invalid pod request "{pod["metadata"]["name"]}:{port}"')
    number = int(port) if port else (offered[0]["containerPort"] if offered else 80)
    return str(address), number, ""


def _service(world: World, service: Object, port: str) -> tuple[str, int, str]:
    """One of the ready endpoints, in Endpoints as the API server reads them."""
    metadata = service["metadata"]
    name = metadata["name"]
    if port.isdecimal():
        named = [entry for entry in service["spec"].get("ports", ()) if entry["port"] == int(port)]
        if not named:
            raise _unavailable(f'no service port {port} found for service "{name}"')
        port = named[0].get("name", "")
    endpoints = world.store.get(Key("endpoints", metadata["namespace"], name))
    if endpoints is None:
        text = f'endpoints "{name}" not found'
        raise errors.ApiError(404, "NotFound", text, {"name": name, "kind": "endpoints"})
    found = [
        (str(address["ip"]), int(entry["port"]))
        for subset in endpoints.get("subsets") or ()
        for entry in subset.get("ports") or ()
        if entry.get("name", "") == port
        for address in subset.get("addresses") or ()
    ]
    if not found:
        raise _unavailable(f'no endpoints available for service "{name}"')
    address, number = world.seed.pick(found, "proxy", metadata["name"], world.now)
    return address, number, ""


def _node(_world: World, node: Object, port: str) -> tuple[str, int, str]:
    addresses = node.get("status", {}).get("addresses", ())
    internal = [entry["address"] for entry in addresses if entry["type"] == "InternalIP"]
    kubelet = node["status"].get("daemonEndpoints", {}).get("kubeletEndpoint", {}).get("Port", 0)
    number = int(port) if port.isdecimal() else int(kubelet)
    name = str(node["metadata"]["name"])
    return (internal[0] if internal else ""), number, name if number == kubelet else ""


def _unavailable(text: str) -> errors.ApiError:
    return errors.ApiError(503, "ServiceUnavailable", text)
