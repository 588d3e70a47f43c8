"""APIServices behind a Service of the cluster: available while that has endpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.api-services"
RESOURCE = "apiservices.apiregistration.k8s.io"
_SLICES = "endpointslices.discovery.k8s.io"
_BACKED: TableKey[Key, tuple[str, str]] = TableKey("controllers.api-services.backed")
_DELAY_S = 0.05


def listen(world: World, change: Change) -> None:
    """APIServices with a Service are looked at when they come or change."""
    if not change.obj["spec"].get("service"):
        return
    table = world.table(_BACKED)
    if change.type is ChangeType.DELETED:
        table.pop(change.key, None)
        return
    reference = change.obj["spec"]["service"]
    table[change.key] = (reference["namespace"], reference["name"])
    enqueue(world, HANDLER, change.key, _DELAY_S)


def backend_changed(world: World, change: Change) -> None:
    """A Service or an EndpointSlice behind one of them was written."""
    table = world.table(_BACKED)
    if not table:
        return
    name = change.key.name
    if change.key.resource == _SLICES:
        labels = change.obj["metadata"].get("labels") or {}
        name = labels.get("kubernetes.io/service-name", "")
    for key, place in table.items():
        if place == (change.key.namespace, name):
            enqueue(world, HANDLER, key, _DELAY_S)


def reconcile(world: World, key: Key) -> None:
    """Handler: say whether one of them is available."""
    mark_processing(world, HANDLER, key)
    obj = world.store.get(key)
    if obj is None:
        return
    status, reason, message = _verdict(world, obj["spec"]["service"])
    old = next(
        (e for e in obj.get("status", {}).get("conditions", ()) if e["type"] == "Available"), None
    )
    since = world.timestamp()
    if old is not None and old["status"] == status:
        since = old.get("lastTransitionTime", since)
    condition = {
        "lastTransitionTime": since,
        "message": message,
        "reason": reason,
        "status": status,
        "type": "Available",
    }
    internal_client.update_status(world, key, {"conditions": [condition]})


def _verdict(world: World, reference: Object) -> tuple[str, str, str]:
    namespace, name = reference["namespace"], reference["name"]
    place = f'service/{name} in "{namespace}"'
    service = world.store.get(Key("services", namespace, name))
    if service is None:
        return "False", "ServiceNotFound", f"{place} is not present"
    number = reference.get("port", 443)
    port = next((e for e in service["spec"].get("ports") or () if e["port"] == number), None)
    if port is None:
        return "False", "ServicePortError", f"{place} is not listening on port {number}"
    slices = [
        entry
        for entry in world.store.list(_SLICES, namespace)
        if (entry["metadata"].get("labels") or {}).get("kubernetes.io/service-name") == name
    ]
    if not slices:
        text = f'cannot find endpointslices for service/{name} in "{namespace}"'
        return "False", "EndpointsNotFound", text
    ready = any(
        endpoint.get("conditions", {}).get("ready")
        for entry in slices
        for endpoint in entry.get("endpoints") or ()
    )
    if not ready:
        text = f'endpoints for {place} have no addresses with port name "{port.get("name", "")}"'
        return "False", "MissingEndpoints", text
    return "True", "Passed", "all checks passed"
