"""From a source to one endpoint: policies, the state of nodes, and links, in one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.machines import connection_refused_by_kernel, machine
from sregym_cluster_embedded.network import routing
from sregym_cluster_embedded.network.addresses import holder, node_with
from sregym_cluster_embedded.network.links import LINKS, PathEnd, carried, path_between
from sregym_cluster_embedded.network.outcomes import CLEAR, Backend, Outcome, Path
from sregym_cluster_embedded.network.policies import governs, lets_through
from sregym_cluster_embedded.syscalls import RULES, Caller, failure, risk

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_DROPPED = Path(fails=Outcome.TIMEOUT)
_NO_ROUTE = Path(fails=Outcome.NO_ROUTE)
_UNREACHABLE = Path(fails=Outcome.UNREACHABLE)
_NO_PORT = Path(fails=Outcome.NO_PORT)
_BY_ERROR = {
    "EADDRNOTAVAIL": Outcome.NO_PORT,
    "ECONNRESET": Outcome.RESET,
    "EHOSTUNREACH": Outcome.NO_ROUTE,
    "ENETDOWN": Outcome.UNREACHABLE,
    "ENETUNREACH": Outcome.UNREACHABLE,
    "ETIMEDOUT": Outcome.TIMEOUT,
}


def packet_path(
    world: World,
    source: Object | None,
    backend: Backend,
    protocol: str = "TCP",
    node: str = "",
    *,
    many: bool = False,
) -> Path:
    """What packets meet on the way from a source to an endpoint and back.

    Args:
        world: The cluster.
        source: The pod that sends; None for a sender that is no pod.
        backend: The end.
        protocol: `TCP`, `UDP` or `SCTP`.
        node: The node on which a sender that is no pod stands; empty for one outside the cluster.
        many: Whether it is about many connections: system calls of which only a part fails do
            nothing to the way then. Otherwise chance decides about this one.
    """
    if backend.ip.startswith("127."):
        return CLEAR
    home = "" if source is None else source["metadata"]["namespace"]
    if governs(world, home, backend.namespace or _namespace_at(world, backend.ip)):
        address = _address(world, source, node)
        if not lets_through(world, source, address, backend, protocol):
            return _DROPPED
    begin = _node_of(source, node)
    if backend.node and not runs(world, backend.node):
        return _NO_ROUTE
    if routing.lost(world, begin, backend.node) and not _of_a_node(world, backend.ip):
        return _UNREACHABLE
    if routing.lost(world, backend.node, begin) and not _on_node(source):
        return _DROPPED  # what comes back finds no way
    refusal = connection_refused_by_kernel(world, begin) if begin else ""
    if refusal == "EADDRNOTAVAIL":
        return _NO_PORT
    if world.table(RULES) and (error := _failing_connect(world, source, begin, many=many)):
        return error
    far = backend.node not in ("", begin)
    if refusal or (far and connection_refused_by_kernel(world, backend.node) == "ETIMEDOUT"):
        return _DROPPED
    if not world.table(LINKS) and carried(world, begin, backend.node) == 1.0:
        return CLEAR
    here = PathEnd(
        # What runs on a node itself is no pod of the API.
        "" if source is None else source["metadata"].get("uid", ""),
        "" if source is None else source["metadata"].get("namespace", ""),
        _node_of(source, node),
        _address(world, source, node),
    )
    return path_between(world, here, _end(world, backend))


def outcome_of(error: str) -> Outcome:
    """How connecting ends for a process whose system call fails with an error."""
    return _BY_ERROR.get(error, Outcome.REFUSED)


def _failing_connect(world: World, source: Object | None, node: str, *, many: bool) -> Path | None:
    """How connecting ends for a process whose system call fails."""
    uid = "" if source is None else source["metadata"]["uid"]
    caller = Caller(node, uid, "")
    if many:
        error, share = risk(world, caller, "connect")
        error = error if share >= 1 else ""
    else:
        error = failure(world, caller, "connect")
    return Path(fails=outcome_of(error)) if error else None


def runs(world: World, node: str) -> bool:
    """Whether the machine behind a node is switched on; where none is kept, it is."""
    found = machine(world, node)
    return found is None or found.powered


def _end(world: World, backend: Backend) -> PathEnd:
    if backend.pod_uid:
        return PathEnd(backend.pod_uid, backend.namespace, backend.node, backend.ip)
    pod = holder(world, backend.ip)
    if pod is not None:
        metadata, place = pod["metadata"], pod["spec"].get("nodeName", "")
        return PathEnd(metadata["uid"], metadata["namespace"], place, backend.ip)
    node = node_with(world, backend.ip)
    name = "" if node is None else node["metadata"]["name"]
    return PathEnd("", "", name, backend.ip)


def _namespace_at(world: World, address: str) -> str:
    pod = holder(world, address)
    return "" if pod is None else str(pod["metadata"]["namespace"])


def _of_a_node(world: World, address: str) -> bool:
    return node_with(world, address) is not None


def _on_node(source: Object | None) -> bool:
    """Whether a sender has the address of its node, to which there always is a way."""
    return source is None or bool(source["spec"].get("hostNetwork"))


def _node_of(source: Object | None, node: str) -> str:
    return node if source is None else str(source["spec"].get("nodeName", ""))


def _address(world: World, source: Object | None, node: str) -> str:
    if source is not None:
        return str(source.get("status", {}).get("podIP", ""))
    return node_address(world, node)


def node_address(world: World, node: str) -> str:
    """The InternalIP of a node; empty when there is none of that name."""
    for entry in world.store.list("nodes", ""):
        if entry["metadata"]["name"] == node:
            for address in entry.get("status", {}).get("addresses", ()):
                if address["type"] == "InternalIP":
                    return str(address["address"])
    return ""
