"""Hints in EndpointSlices: for whom an endpoint is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

_ZONE = "topology.kubernetes.io/zone"


def hints_by_node(world: World, service: Object, nodes: Iterable[str]) -> dict[str, Object]:
    """By node, for whom endpoints there are meant; empty unless the Service asks for it.

    Zones are only told when every endpoint has one.
    """
    wish = service["spec"].get("trafficDistribution")
    if not wish:
        return {}
    zones: dict[str, str] = {}
    for node in nodes:
        found = world.store.get(Key("nodes", "", node))
        labels = (found["metadata"].get("labels") or {}) if found is not None else {}
        zones[node] = labels.get(_ZONE, "")
    if wish == "PreferSameNode":
        return {node: {"forNodes": [{"name": node}]} for node in zones}
    if not all(zones.values()):
        return {}
    return {node: {"forZones": [{"name": zone}]} for node, zone in zones.items()}
