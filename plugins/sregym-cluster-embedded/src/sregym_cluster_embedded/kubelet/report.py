"""What a kubelet says about a pod: events and status writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.requests import send_status
from sregym_cluster_embedded.kubelet.state import EPHEMERAL, INIT, SIDECAR, PodState
from sregym_cluster_embedded.kubelet.status import pod_status
from sregym_cluster_embedded.store import Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.static_pods import Static
    from sregym_cluster_embedded.world import World

# By the key of its mirror in the API: each static pod.
STATIC: TableKey[Key, Static] = TableKey("kubelet.static")
MIRROR = "kubernetes.io/config.mirror"
_GROUPS = {
    INIT: "initContainers",
    SIDECAR: "initContainers",
    EPHEMERAL: "ephemeralContainers",
}


def pod_of(world: World, state: PodState) -> Object | None:
    """The API object of a pod, None when it is gone or another pod has its name."""
    pod = world.store.get(state.key)
    if pod is None or pod["metadata"]["uid"] != state.uid:
        return None
    return pod


def remembered(state: PodState) -> Object:
    """What events need to know of a pod whose API object is gone."""
    key = state.key
    metadata = {"name": key.name, "namespace": key.namespace, "uid": state.uid}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}


def host_ip(world: World, node: str) -> str:
    """The InternalIP of a node."""
    obj = world.store.get(Key("nodes", "", node))
    if obj is not None:
        for address in obj.get("status", {}).get("addresses", ()):
            if address["type"] == "InternalIP":
                ip: str = address["address"]
                return ip
    return ""


def write_status(world: World, pod: Object, state: PodState) -> bool:
    """Write the pod's status as it is now; nothing is written when nothing changed.

    Returns False when admission refused it: the pod will be synced again.
    """
    return send_status(world, state, pod_status(world, pod, state, host_ip(world, state.node)))


def record_pod_event(
    world: World,
    pod: Object,
    state: PodState,
    type_: str,
    reason: str,
    message: str,
    container: str = "",
    times: int = 1,
) -> None:
    """Record an event about a pod, or about one of its containers, that happened so many times."""
    field = None
    if container:
        known = state.containers.get(container)
        group = _GROUPS.get(known.role, "containers") if known is not None else "containers"
        field = f"spec.{group}{{{container}}}"
    if world.table(STATIC):
        pod = _as_its_kubelet_knows_it(pod)
    events.record(world, pod, "pods", type_, reason, message, "kubelet", state.node, field, times)


def _as_its_kubelet_knows_it(pod: Object) -> Object:
    """A pod as events name it: those of a static pod bear its uid, not that of its mirror."""
    digest = (pod["metadata"].get("annotations") or {}).get(MIRROR)
    if digest is None:
        return pod
    return {**pod, "metadata": {**pod["metadata"], "uid": digest}}
