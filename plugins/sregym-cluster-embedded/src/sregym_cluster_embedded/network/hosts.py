"""What answers on the addresses of nodes themselves: host ports, host-network pods, daemons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.keys import LISTENERS
from sregym_cluster_embedded.machines import control_plane_address
from sregym_cluster_embedded.network import proxies
from sregym_cluster_embedded.network.outcomes import Backend, Outcome, Target

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

API_PORT = 6443
KUBELET_PORT = 10250
PROXY_HEALTH_PORT = 10256


def target(world: World, node: Object, address: str, port: int, protocol: str) -> Target:
    """Where packets for an address of a node go that no Service claims."""
    name = node["metadata"]["name"]
    if port == API_PORT and protocol == "TCP" and daemon_listens(world, name, address, port):
        # Whether or not a pod shows it: what answers there is the API itself.
        return Target(None, (Backend("", "", "", address, port, name),))
    runtime = world.service(LISTENERS)
    for pod in world.store.indexed("pods", "node", name):
        status = pod.get("status", {})
        if not status.get("podIP") or status.get("phase") in ("Succeeded", "Failed"):
            continue
        metadata = pod["metadata"]
        place = (metadata["uid"], metadata["namespace"], metadata["name"])
        if pod["spec"].get("hostNetwork"):
            if runtime.listening(world, metadata["uid"], port):
                return Target(None, (Backend(*place, address, port, name),))
            continue
        for container in pod["spec"]["containers"]:
            for offered in container.get("ports", ()):
                fits = offered.get("protocol", "TCP") == protocol
                if fits and offered.get("hostPort") == port and _bound(offered, address):
                    number = offered["containerPort"]
                    return Target(None, (Backend(*place, status["podIP"], number, name),))
    if protocol == "TCP" and daemon_listens(world, name, address, port):
        return Target(None, (Backend("", "", "", address, port, name),))
    return Target(Outcome.REFUSED)


def daemon_listens(world: World, node: str, address: str, port: int) -> bool:
    """Whether a daemon of the node itself listens: API server, kubelet, kube-proxy."""
    if port == API_PORT:
        return address == control_plane_address(world)
    if port == PROXY_HEALTH_PORT:
        return proxies.works(world, node)
    if port == KUBELET_PORT:
        return True
    # kube-proxy answers there for balancers that look for nodes with endpoints.
    return any(
        service["spec"].get("healthCheckNodePort") == port
        for service in proxies.rules_of(world, node).at("balanced", "yes")
    )


def _bound(offered: Object, address: str) -> bool:
    return offered.get("hostIP", "0.0.0.0") in ("", "0.0.0.0", address)  # noqa: S104 - compared
