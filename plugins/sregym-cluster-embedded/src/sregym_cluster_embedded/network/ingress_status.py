"""What an ingress controller writes about the Ingresses it serves: an event, and its addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import events, internal_client
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network.ingress import CLASSES, INGRESSES, served
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "network.ingress"
_RUNNING: TableKey[str, str] = TableKey("network.ingress.controllers")
_TOLD: TableKey[str, dict[str, str]] = TableKey("network.ingress.told")
_COMPONENT = "nginx-ingress-controller"
_DELAY_S = 0.2
_PERIOD_S = 60.0


def started(world: World, pod_uid: str, controller: str) -> None:
    """A controller serves in a pod: it looks at its Ingresses now, and every minute."""
    world.table(_RUNNING)[pod_uid] = controller
    enqueue(world, HANDLER, pod_uid, _DELAY_S)


def follow(world: World, change: Change) -> None:
    """A changed Ingress or class is looked at by all controllers."""
    running = world.table(_RUNNING)
    if not running:
        return
    old = change.old
    if old is not None and change.type is not ChangeType.DELETED:
        same = old["spec"] == change.obj["spec"]
        if same and old["metadata"].get("annotations") == change.obj["metadata"].get("annotations"):
            return
    for pod_uid in running:
        enqueue(world, HANDLER, pod_uid, _DELAY_S)


def sync(world: World, pod_uid: str) -> None:
    """Handler: one controller tells what it serves, and where it can be met."""
    mark_processing(world, HANDLER, pod_uid)
    pod = next(world.store.indexed("pods", "uid", pod_uid), None)
    if pod is None or pod["status"].get("phase") != "Running":
        world.table(_RUNNING).pop(pod_uid, None)
        world.table(_TOLD).pop(pod_uid, None)
        return
    enqueue(world, HANDLER, pod_uid, _PERIOD_S)
    controller = world.table(_RUNNING)[pod_uid]
    addresses = _addresses(world, controller)
    told = dict(world.table(_TOLD).get(pod_uid, {}))
    for ingress in served(world, controller):
        uid = ingress["metadata"]["uid"]
        content = str((ingress["spec"], ingress["metadata"].get("annotations")))
        if told.get(uid) != content:
            told[uid] = content
            text = "Scheduled for sync"
            events.record(world, ingress, INGRESSES, "Normal", "Sync", text, _COMPONENT)
        _address(world, ingress, addresses)
    world.table(_TOLD)[pod_uid] = told


def _addresses(world: World, controller: str) -> list[str]:
    """The addresses of the nodes on which the controllers of a kind run."""
    found = set()
    for pod_uid, name in world.table(_RUNNING).items():
        pod = next(world.store.indexed("pods", "uid", pod_uid), None)
        if name == controller and pod is not None and pod["status"].get("hostIP"):
            found.add(pod["status"]["hostIP"])
    return sorted(found)


def _address(world: World, ingress: Object, addresses: list[str]) -> None:
    metadata = ingress["metadata"]
    balancer: Object = {"ingress": [{"ip": address} for address in addresses]} if addresses else {}
    key = Key(INGRESSES, metadata["namespace"], metadata["name"])
    internal_client.update_status(
        world, key, {**ingress.get("status", {}), "loadBalancer": balancer}
    )


FOLLOWED = (INGRESSES, CLASSES)
