"""The IPAddress objects, by which the API server remembers which Service has which address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

RESOURCE = "ipaddresses.networking.k8s.io"


def follow(world: World, change: Change) -> None:
    """Each address of a Service has an IPAddress for as long as the Service has it."""
    before = _addresses(change.old)
    after = [] if change.type is ChangeType.DELETED else _addresses(change.obj)
    if before == after:
        return
    for address in before:
        if address not in after:
            internal_client.delete(world, Key(RESOURCE, "", address))
    for address in after:
        if world.store.get(Key(RESOURCE, "", address)) is None:
            internal_client.create(world, RESOURCE, _claim(address, change.key))


def _addresses(service: Object | None) -> list[str]:
    if service is None:
        return []
    listed: list[str] = service["spec"].get("clusterIPs", [])
    return [address for address in listed if address and address != "None"]


def _claim(address: str, service: Key) -> Object:
    return {
        "metadata": {
            "name": address,
            "labels": {
                "ipaddress.kubernetes.io/ip-family": "IPv6" if ":" in address else "IPv4",
                "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
            },
        },
        "spec": {
            "parentRef": {
                "group": "",
                "name": service.name,
                "namespace": service.namespace,
                "resource": "services",
            }
        },
    }
