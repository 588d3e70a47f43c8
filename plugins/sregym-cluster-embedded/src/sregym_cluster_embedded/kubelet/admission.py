"""What a kubelet refuses to run: pods that were bound to its node past the scheduler, sysctls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.pod_requests import counted, requests_of
from sregym_cluster_embedded.api.quality import qos_class
from sregym_cluster_embedded.kubelet.report import pod_of, record_pod_event
from sregym_cluster_embedded.kubelet.requests import confirm_end, send_status, until_turn
from sregym_cluster_embedded.kubelet.state import pod_states, state_of
from sregym_cluster_embedded.kubelet.unresponsive import SYNC
from sregym_cluster_embedded.placement import matches_affinity, untolerated
from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.workqueue import forget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

REJECT = "kubelet.reject"
_SAFE_SYSCTLS = frozenset(
    {
        "kernel.shm_rmid_forced",
        "net.ipv4.ip_local_port_range",
        "net.ipv4.ip_local_reserved_ports",
        "net.ipv4.ip_unprivileged_port_start",
        "net.ipv4.ping_group_range",
        "net.ipv4.tcp_fin_timeout",
        "net.ipv4.tcp_keepalive_intvl",
        "net.ipv4.tcp_keepalive_probes",
        "net.ipv4.tcp_keepalive_time",
        "net.ipv4.tcp_rmem",
        "net.ipv4.tcp_syncookies",
        "net.ipv4.tcp_wmem",
    }
)


def reject(world: World, uid: str, reason: str, message: str, again: bool = False) -> None:
    """Handler: refuse to run a pod that has just arrived; nothing of it is ever started."""
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    pod_states(world).pop(uid, None)
    if state is None or pod is None:
        return
    if not again:
        record_pod_event(world, pod, state, "Warning", reason, message)
    status = {
        "observedGeneration": pod["metadata"].get("generation", 1),
        "phase": "Failed",
        "message": f"Pod was rejected: {message}",
        "reason": reason,
        "startTime": world.timestamp(),
        "qosClass": pod.get("status", {}).get("qosClass") or qos_class(pod["spec"]),
    }
    written = send_status(world, state, status)
    if written and "deletionTimestamp" in pod["metadata"]:
        # It was to go before it had come: there is nothing to wait for.
        written = confirm_end(world, state)
    if not written:
        # Held back meanwhile: whatever wakes it, it is not to be run.
        pod_states(world)[uid] = state._replace(busy=True)
        forget(world, SYNC, uid)
        world.after(until_turn(world, state.node), REJECT, uid, reason, message, True)


def forbidden_sysctl(pod: Object) -> tuple[str, str] | None:
    """Reason and message for a pod with a sysctl that the node does not allow."""
    wanted = (pod["spec"].get("securityContext") or {}).get("sysctls") or ()
    for entry in wanted:
        if entry["name"].replace("/", ".") not in _SAFE_SYSCTLS:
            return ("SysctlForbidden", f'forbidden sysctl: "{entry["name"]}" not allowlisted')
    return None


def mismatch_reason(world: World, pod: Object, node: Object) -> tuple[str, str] | None:
    """Reason and message for a pod that the scheduler did not place and that does not fit."""
    name = node["metadata"]["name"]
    others = list(_others(world, pod, name))
    lacking = _lacking(pod, node, others)
    if lacking is not None:
        return lacking
    if not matches_affinity(pod, node):
        text = "node(s) didn't match Pod's node affinity/selector"
        return ("NodeAffinity", f"Predicate NodeAffinity failed: {text}")
    taken = {port for other in others for port in _ports(other)}
    if any(port in taken for port in _ports(pod)):
        text = "node(s) didn't have free ports for the requested pod ports"
        return ("NodePorts", f"Predicate NodePorts failed: {text}")
    if untolerated(pod, node, ("NoExecute",)) is not None:
        text = "node(s) had taints that the pod didn't tolerate"
        return ("TaintToleration", f"Predicate TaintToleration failed: {text}")
    return None


def shortage(world: World, pod: Object, node: str) -> tuple[str, str] | None:
    """Reason and message when the pod's node cannot give what its spec asks for now.

    `Infeasible` when it never can, `Deferred` when others have to go before.
    """
    found = world.store.get(Key("nodes", "", node))
    if found is None:
        return None
    allocatable = found.get("status", {}).get("allocatable", {})
    asked = requests_of(pod["spec"])
    for resource in ("memory", "cpu"):
        capacity = counted(resource, allocatable.get(resource, "0"))
        if asked.get(resource, 0) > capacity:
            text = f"{resource}, requested: {asked[resource]}, capacity: {capacity}"
            return ("Infeasible", f"Node didn't have enough capacity: {text}")
    lacking = _lacking(pod, found, list(_others(world, pod, node)))
    return ("Deferred", lacking[1]) if lacking is not None else None


def _others(world: World, pod: Object, node: str) -> Iterator[Object]:
    for uid, state in pod_states(world).items():
        if state.node == node and uid != pod["metadata"]["uid"] and not state.ended:
            other = world.store.get(state.key)
            if other is not None:
                yield other


def _lacking(pod: Object, node: Object, others: list[Object]) -> tuple[str, str] | None:
    allocatable = node.get("status", {}).get("allocatable", {})
    used: dict[str, int] = {"pods": len(others)}
    for other in others:
        for resource, amount in requests_of(other["spec"]).items():
            used[resource] = used.get(resource, 0) + amount
    for resource, asked in {"pods": 1, **requests_of(pod["spec"])}.items():
        if resource not in allocatable and "/" in resource:
            continue  # resources that no node has are the cluster's
        capacity = counted(resource, allocatable.get(resource, "0"))
        if asked and used.get(resource, 0) + asked > capacity:
            message = (
                f"Node didn't have enough resource: {resource}, requested: {asked}, "
                f"used: {used.get(resource, 0)}, capacity: {capacity}"
            )
            return (f"OutOf{resource}", message)
    return None


def _ports(pod: Object) -> Iterator[tuple[int, str]]:
    for container in pod["spec"]["containers"]:
        for port in container.get("ports", ()):
            if port.get("hostPort"):
                yield (port["hostPort"], port.get("protocol", "TCP"))
