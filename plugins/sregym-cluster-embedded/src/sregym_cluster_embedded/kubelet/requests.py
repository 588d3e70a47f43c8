"""What kubelets ask of the API server: admission may refuse it, or the server give them no seat.

A kubelet keeps what it could not write, and tries again at the next turn of its status loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import dynamic, flowcontrol, internal_client, resources
from sregym_cluster_embedded.api.dynamic.attributes import Attributes, options_of
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.pacing import schedule_sync

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_TURN_S = 10.0
# Uids of pods whose status their kubelets are just writing.
WRITING: TableKey[str, bool] = TableKey("kubelet.writing")


def send_status(world: World, state: PodState, status: Object) -> bool:
    """Write the status of a pod, and try again later when it is refused; whether it was not."""
    writing = world.table(WRITING)
    writing[state.uid] = True
    try:
        _update_status(world, state, status)
    except ApiError:
        schedule_sync(world, state.uid, until_turn(world, state.node))
        return False
    finally:
        del writing[state.uid]
    return True


def _update_status(world: World, state: PodState, status: Object) -> None:
    place = state.key.namespace
    flowcontrol.demand_of_kubelet(world, state.node, "pods", "patch", place, "status")
    if not dynamic.configured(world):
        internal_client.update_status(world, state.key, status)
        return
    with dynamic.dynamic_admission(world, dynamic.kubelet_of(state.node)):
        internal_client.update_status(world, state.key, status)


def confirm_end(world: World, state: PodState) -> bool:
    """Say that nothing of a deleted pod is left; whether the API server takes it."""
    try:
        flowcontrol.demand_of_kubelet(world, state.node, "pods", "delete", state.key.namespace)
    except ApiError:
        return False
    if not dynamic.configured(world):
        internal_client.remove(world, state.key)
        return True
    try:
        with dynamic.dynamic_admission(world, dynamic.kubelet_of(state.node)):
            internal_client.remove(world, state.key)
    except ApiError:
        return False
    return True


def token_refusal(world: World, pod: Object, node: str, volume: Object) -> str:
    """Why admission refuses a token for a volume of a pod; empty when it does not, or none is asked."""
    metadata = pod["metadata"]
    kind, account = resources.named("serviceaccounts"), pod["spec"].get("serviceAccountName", "")
    assert kind is not None
    for source in (volume.get("projected") or {}).get("sources") or ():
        wanted = source.get("serviceAccountToken")
        if wanted is None:
            continue
        pod_reference = {"kind": "Pod", "apiVersion": "v1"}
        sent = {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": account, "namespace": metadata["namespace"]},
            "spec": {
                "audiences": [wanted["audience"]] if wanted.get("audience") else [],
                "expirationSeconds": wanted.get("expirationSeconds", 3600),
                "boundObjectRef": {
                    **pod_reference,
                    "name": metadata["name"],
                    "uid": metadata["uid"],
                },
            },
        }
        asked = Attributes(
            "CREATE",
            kind,
            sent,
            user=dynamic.kubelet_of(node),
            namespace=metadata["namespace"],
            name=account,
            subresource="token",
            options=options_of("CREATE"),
        )
        try:
            dynamic.mutate(world, asked)
            dynamic.validate(world, asked)
        except ApiError as error:
            return error.message
    return ""


def until_turn(world: World, node: str) -> float:
    """Seconds until the kubelet of a node next looks which status it still has to write."""
    phase = world.seed.fraction("status loop", node) * _TURN_S
    return _TURN_S - (world.now - phase) % _TURN_S
