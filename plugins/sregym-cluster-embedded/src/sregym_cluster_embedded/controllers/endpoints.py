"""EndpointSlices and Endpoints: where the traffic of a Service may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.api.errors import ApiError
from sregym_cluster_embedded.controllers import trigger_times, write_errors
from sregym_cluster_embedded.controllers.endpoint_hints import hints_by_node
from sregym_cluster_embedded.controllers.endpoint_ports import (
    Port,
    in_endpoints,
    in_slice,
    ports_of_pod,
)
from sregym_cluster_embedded.controllers.pods import is_ready, owner_reference
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.world import World

HANDLER = "controllers.endpoints"
SLICES = "endpointslices.discovery.k8s.io"
_DELAY_S = 0.02
_SLICE_SIZE = 100
_SERVICE_LABEL = "kubernetes.io/service-name"
_HEADLESS = "service.kubernetes.io/headless"
_MANAGED_BY = "endpointslice.kubernetes.io/managed-by"
_MANAGER = "endpointslice-controller.k8s.io"
# Not empty while the controller itself writes a slice.
_OWN_WRITE: TableKey[str, bool] = TableKey("controllers.endpoints.own")


class Place(NamedTuple):
    """One pod behind a Service.

    Attributes:
        pod: The pod.
        ports: What it offers of the Service's ports.
        serving: Whether the pod is ready.
        terminating: Whether it is being deleted.
        ready: Whether it should get traffic.
    """

    pod: Object
    ports: tuple[Port, ...]
    serving: bool
    terminating: bool
    ready: bool


def selector_values(service: Object) -> list[str]:
    """Index value of a Service: `NAMESPACE/KEY=VALUE` of the first pair of its selector."""
    selector = service["spec"].get("selector")
    if not selector:
        return []
    key = min(selector)
    return [f"{service['metadata']['namespace']}/{key}={selector[key]}"]


def listen(world: World, change: Change) -> None:
    """Services are looked at when they change, or when others touch what was made for them."""
    key = change.key
    if key.resource == "services":
        if change.type is ChangeType.DELETED:
            _remove_endpoints(world, key)
            trigger_times.forget(world, (key.namespace, key.name))
        elif change.old is None or _matters(change.old, change.obj):
            enqueue(world, HANDLER, (key.namespace, key.name), _DELAY_S)
    elif key.resource == SLICES:
        if change.type is ChangeType.DELETED or (
            change.type is ChangeType.MODIFIED and not world.table(_OWN_WRITE)
        ):
            labels = change.obj["metadata"].get("labels") or {}
            if labels.get(_MANAGED_BY) == _MANAGER and _SERVICE_LABEL in labels:
                enqueue(world, HANDLER, (key.namespace, labels[_SERVICE_LABEL]), _DELAY_S)
    elif change.type is ChangeType.DELETED:
        enqueue(world, HANDLER, (key.namespace, key.name), _DELAY_S)


def _matters(old: Object, new: Object) -> bool:
    """Whether a write of a Service shows in its endpoints: they have its labels, too."""
    return bool(
        old["spec"] != new["spec"] or old["metadata"].get("labels") != new["metadata"].get("labels")
    )


def pod_changed(world: World, change: Change) -> None:
    """A pod was written in a way that matters: the Services that select it are looked at."""
    old, new = change.old, change.obj
    if not new["status"].get("podIP") and (old is None or not old["status"].get("podIP")):
        # No endpoint is made of a pod before it has an address.
        return
    _touch_services(world, new)
    if old is not None and old["metadata"].get("labels") != new["metadata"].get("labels"):
        _touch_services(world, old)


def reconcile(world: World, key: tuple[str, str]) -> None:
    """Handler: bring the endpoints of one Service up to date."""
    mark_processing(world, HANDLER, key)
    service = world.store.get(Key("services", *key))
    if service is None or "deletionTimestamp" in service["metadata"]:
        return
    if not service["spec"].get("selector") or service["spec"].get("type") == "ExternalName":
        return
    pods = _selected(world, service)
    places = _places(service, pods)
    trigger = trigger_times.trigger_time(world, service, pods)
    try:
        _write_slices(world, service, places, trigger)
    finally:
        # These are two controllers: what is refused to one does not hinder the other.
        _write_endpoints(world, service, places, trigger)


def _touch_services(world: World, pod: Object) -> None:
    metadata = pod["metadata"]
    labels = metadata.get("labels")
    if not labels:
        return
    namespace = metadata["namespace"]
    for name, value in labels.items():
        for service in world.store.indexed("services", "selector", f"{namespace}/{name}={value}"):
            if service["spec"]["selector"].items() <= labels.items():
                enqueue(world, HANDLER, (namespace, service["metadata"]["name"]), _DELAY_S)


def _selected(world: World, service: Object) -> list[Object]:
    wanted = service["spec"]["selector"].items()
    return [
        pod
        for pod in world.store.indexed("pods", "label", selector_values(service)[0])
        if wanted <= (pod["metadata"].get("labels") or {}).items()
    ]


def _places(service: Object, pods: list[Object]) -> list[Place]:
    anyway = bool(service["spec"].get("publishNotReadyAddresses"))
    places = []
    for pod in pods:
        status = pod["status"]
        if not status.get("podIP"):
            continue
        if status.get("phase") in ("Succeeded", "Failed"):
            continue
        serving = is_ready(pod)
        terminating = "deletionTimestamp" in pod["metadata"]
        ready = anyway or (serving and not terminating)
        places.append(Place(pod, ports_of_pod(service, pod), serving, terminating, ready))
    return places


def _write_slices(world: World, service: Object, places: list[Place], trigger: str) -> None:
    namespace, name = service["metadata"]["namespace"], service["metadata"]["name"]
    existing = [
        entry
        for entry in world.store.owned(SLICES, service["metadata"]["uid"])
        if (entry["metadata"].get("labels") or {}).get(_SERVICE_LABEL) == name
    ]
    order = {
        endpoint.get("targetRef", {}).get("uid"): position
        for position, endpoint in enumerate(
            endpoint for entry in existing for endpoint in entry.get("endpoints") or ()
        )
    }
    groups: dict[tuple[Port, ...], list[Place]] = {}
    for place in places:
        groups.setdefault(place.ports, []).append(place)
    contents: list[tuple[list[Object], list[Object]]] = []
    nodes = {place.pod["spec"].get("nodeName", "") for place in places}
    hinted = hints_by_node(world, service, sorted(nodes))
    for ports, members in groups.items():
        members.sort(key=lambda place: order.get(place.pod["metadata"]["uid"], len(order)))
        listed = [
            _endpoint(place, service, hinted.get(place.pod["spec"].get("nodeName", "")))
            for place in members
        ]
        for start in range(0, len(listed), _SLICE_SIZE):
            contents.append((listed[start : start + _SLICE_SIZE], in_slice(ports)))
    if not contents:
        # A slice without endpoints says that there are none.
        contents.append(([], []))
    labels, write = _labels(service), "create"
    try:
        for position, (endpoints, ports_listed) in enumerate(contents):
            if position < len(existing):
                write = f"update {existing[position]['metadata']['name']}"
                _update_slice(world, existing[position], endpoints, ports_listed, labels, trigger)
            else:
                write = "create"
                _create_slice(world, service, endpoints, ports_listed, labels, trigger)
        for surplus in existing[len(contents) :]:
            write = f"delete {surplus['metadata']['name']}"
            internal_client.delete(world, Key(SLICES, namespace, surplus["metadata"]["name"]))
    except ApiError as error:
        write_errors.slice_refused(world, service, write, error)
        raise


def _create_slice(
    world: World,
    service: Object,
    endpoints: list[Object],
    ports: list[Object],
    labels: dict[str, str],
    trigger: str,
) -> None:
    metadata: Object = {
        "generateName": f"{service['metadata']['name']}-",
        "namespace": service["metadata"]["namespace"],
        "labels": labels,
        "ownerReferences": [owner_reference(service)],
    }
    trigger_times.annotate(metadata, {}, trigger)
    body = {"addressType": "IPv4", "endpoints": endpoints, "ports": ports}
    internal_client.create(world, SLICES, {"metadata": metadata, **body})


def _update_slice(
    world: World,
    old: Object,
    endpoints: list[Object],
    ports: list[Object],
    labels: dict[str, str],
    trigger: str,
) -> None:
    metadata = old["metadata"]
    same = old.get("endpoints") == endpoints and (old.get("ports") or []) == ports
    if same and metadata.get("labels") == labels:
        return
    fresh = {**metadata, "labels": labels}
    trigger_times.annotate(fresh, metadata, trigger)
    new = {**old, "metadata": fresh, "endpoints": endpoints, "ports": ports}
    own = world.table(_OWN_WRITE)
    own[""] = True
    try:
        internal_client.update(world, SLICES, new)
    finally:
        del own[""]


def _labels(service: Object) -> dict[str, str]:
    labels = {
        **(service["metadata"].get("labels") or {}),
        _MANAGED_BY: _MANAGER,
        _SERVICE_LABEL: service["metadata"]["name"],
    }
    if service["spec"].get("clusterIP") == "None":
        labels[_HEADLESS] = ""
    return labels


def _endpoint(place: Place, service: Object, hints: Object | None) -> Object:
    pod = place.pod
    endpoint: Object = {
        "addresses": [pod["status"]["podIP"]],
        "conditions": {
            "ready": place.ready,
            "serving": place.serving,
            "terminating": place.terminating,
        },
        "nodeName": pod["spec"].get("nodeName", ""),
        "targetRef": _reference(pod),
    }
    if _has_name_in(pod, service):
        endpoint["hostname"] = pod["spec"]["hostname"]
    if hints is not None and place.ready:
        endpoint["hints"] = hints
    return endpoint


def _has_name_in(pod: Object, service: Object) -> bool:
    """Whether a pod asks to be called by its hostname among the endpoints of a Service."""
    spec = pod["spec"]
    return bool(spec.get("hostname")) and spec.get("subdomain") == service["metadata"]["name"]


def _reference(pod: Object) -> Object:
    metadata = pod["metadata"]
    return {
        "kind": "Pod",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def _write_endpoints(world: World, service: Object, places: list[Place], trigger: str) -> None:
    metadata = service["metadata"]
    key = Key("endpoints", metadata["namespace"], metadata["name"])
    try:
        _put_endpoints(world, key, service, places, trigger)
    except ApiError as error:
        write_errors.endpoints_refused(world, service, world.store.get(key), error)
        raise


def _put_endpoints(
    world: World, key: Key, service: Object, places: list[Place], trigger: str
) -> None:
    metadata = service["metadata"]
    subsets = _subsets(service, places)
    labels = {
        **(metadata.get("labels") or {}),
        "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    }
    if service["spec"].get("clusterIP") == "None":
        labels[_HEADLESS] = ""
    old = world.store.get(key)
    fields: Object = {"subsets": subsets} if subsets else {}
    if old is None:
        made: Object = {"name": key.name, "namespace": key.namespace, "labels": labels}
        trigger_times.annotate(made, {}, trigger)
        internal_client.create(world, "endpoints", {"metadata": made, **fields})
    elif old.get("subsets", []) != subsets or old["metadata"].get("labels") != labels:
        kept = {name: value for name, value in old.items() if name != "subsets"}
        fresh = {**old["metadata"], "labels": labels}
        trigger_times.annotate(fresh, old["metadata"], trigger)
        internal_client.update(world, "endpoints", {**kept, "metadata": fresh, **fields})


def _subsets(service: Object, places: list[Place]) -> list[Object]:
    """The addresses of Endpoints, one subset for all ports that the same pods offer."""
    listed = [place for place in places if place.ready or not place.terminating]
    subsets = []
    for ports, members in _offers(service, listed):
        subset: Object = {}
        for field, ready in (("addresses", True), ("notReadyAddresses", False)):
            found = [_address(place, service) for place in members if place.ready is ready]
            if found:
                subset[field] = sorted(found, key=_ip)
        if ports:
            subset["ports"] = in_endpoints(ports)
        subsets.append(subset)
    return subsets


def _offers(service: Object, places: list[Place]) -> Iterable[tuple[tuple[Port, ...], list[Place]]]:
    """Sets of ports with the pods that offer just these, each port once.

    Only a Service without ports has addresses without ports.
    """
    offers: dict[tuple[Port, ...], list[Place]] = {}
    for place in places:
        if place.ports or not service["spec"].get("ports"):
            offers.setdefault(place.ports, []).append(place)
    if len(offers) < 2:
        return offers.items()
    by_port: dict[Port, list[int]] = {}
    for number, place in enumerate(places):
        for port in place.ports:
            by_port.setdefault(port, []).append(number)
    groups: dict[tuple[int, ...], list[Port]] = {}
    for port, numbers in by_port.items():
        groups.setdefault(tuple(numbers), []).append(port)
    return [
        (tuple(ports), [places[number] for number in numbers]) for numbers, ports in groups.items()
    ]


def _ip(address: Object) -> str:
    found: str = address["ip"]
    return found


def _address(place: Place, service: Object) -> Object:
    address: Object = {
        "ip": place.pod["status"]["podIP"],
        "nodeName": place.pod["spec"].get("nodeName", ""),
        "targetRef": _reference(place.pod),
    }
    if _has_name_in(place.pod, service):
        address["hostname"] = place.pod["spec"]["hostname"]
    return address


def _remove_endpoints(world: World, key: Key) -> None:
    """Endpoints have no owner; they go with the Service of their name."""
    internal_client.delete(world, Key("endpoints", key.namespace, key.name))
