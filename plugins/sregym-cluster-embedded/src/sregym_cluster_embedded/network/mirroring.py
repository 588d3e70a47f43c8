"""Mirrors Endpoints written by hand into EndpointSlices, which all others read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.controllers.pods import owner_reference
from sregym_cluster_embedded.network.proxies import SLICES
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "network.mirror"
_DELAY_S = 0.02
_SERVICE_LABEL = "kubernetes.io/service-name"
_MANAGER = "endpointslicemirroring-controller.k8s.io"
_MANAGER_LABEL = "endpointslice.kubernetes.io/managed-by"
_SKIP_LABEL = "endpointslice.kubernetes.io/skip-mirror"
_OTHERS_LABEL = "endpoints.kubernetes.io/managed-by"
_LEADER = "control-plane.alpha.kubernetes.io/leader"
_NOT_COPIED = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "endpoints.kubernetes.io/last-change-trigger-time",
)


def follow_endpoints(world: World, change: Change) -> None:
    """Endpoints were written: mirror those that no controller has made."""
    if change.type is not ChangeType.DELETED and _by_hand(change.obj):
        enqueue(world, HANDLER, (change.key.namespace, change.key.name), _DELAY_S)


def follow_services(world: World, change: Change) -> None:
    """A Service without selector came: there may be Endpoints that wait for it."""
    if change.type is ChangeType.ADDED and not change.obj["spec"].get("selector"):
        endpoints = world.store.get(Key("endpoints", change.key.namespace, change.key.name))
        if endpoints is not None and _by_hand(endpoints):
            enqueue(world, HANDLER, (change.key.namespace, change.key.name), _DELAY_S)


def reconcile(world: World, key: tuple[str, str]) -> None:
    """Handler: bring the mirrored slices of one Endpoints object up to date."""
    mark_processing(world, HANDLER, key)
    namespace, name = key
    endpoints = world.store.get(Key("endpoints", namespace, name))
    service = world.store.get(Key("services", namespace, name))
    if endpoints is None or not _by_hand(endpoints):
        return
    if service is None or service["spec"].get("selector"):
        return
    wanted = [
        (_endpoints(subset), [dict(port) for port in subset.get("ports") or ()])
        for subset in endpoints.get("subsets") or ()
    ]
    existing = [
        entry
        for entry in world.store.indexed(SLICES, "service", f"{namespace}/{name}")
        if (entry["metadata"].get("labels") or {}).get(_MANAGER_LABEL) == _MANAGER
    ]
    for position, (listed, ports) in enumerate(wanted):
        body: Object = {
            "endpoints": listed,
            "ports": [{"protocol": "TCP", "name": "", **port} for port in ports],
        }
        if position >= len(existing):
            internal_client.create(
                world, SLICES, {"metadata": _metadata(endpoints), **body, **_IPV4}
            )
            continue
        old = existing[position]
        if old.get("endpoints") != body["endpoints"] or old.get("ports") != body["ports"]:
            internal_client.update(world, SLICES, {**old, **body})
    for surplus in existing[len(wanted) :]:
        internal_client.delete(world, Key(SLICES, namespace, surplus["metadata"]["name"]))


_IPV4: Object = {"addressType": "IPv4"}


def _by_hand(endpoints: Object) -> bool:
    metadata = endpoints["metadata"]
    labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
    skipped = labels.get(_SKIP_LABEL) == "true" or _LEADER in annotations
    return not skipped and _OTHERS_LABEL not in labels and "deletionTimestamp" not in metadata


def _metadata(endpoints: Object) -> Object:
    metadata = endpoints["metadata"]
    labels = {**(metadata.get("labels") or {}), _SERVICE_LABEL: metadata["name"]}
    annotations = {
        name: value
        for name, value in (metadata.get("annotations") or {}).items()
        if name not in _NOT_COPIED
    }
    made: Object = {
        "generateName": f"{metadata['name']}-",
        "namespace": metadata["namespace"],
        "labels": {**labels, _MANAGER_LABEL: _MANAGER},
        "ownerReferences": [
            owner_reference({"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata})
        ],
    }
    return {**made, "annotations": annotations} if annotations else made


def _endpoints(subset: Object) -> list[Object]:
    found: list[Object] = []
    for field, ready in (("addresses", True), ("notReadyAddresses", False)):
        for address in subset.get(field) or ():
            entry: Object = {"addresses": [address["ip"]], "conditions": {"ready": ready}}
            for name in ("hostname", "nodeName", "targetRef"):
                if address.get(name):
                    entry[name] = address[name]
            found.append(entry)
    return found
