"""`/metrics` of the API server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.keys import METRICS
from sregym_cluster_embedded.api.request import Response
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def answer(world: World) -> Response | None:
    """The text, where the cluster keeps metrics."""
    querying = world.service_or_none(METRICS)
    endpoints = world.store.get(Key("endpoints", "default", "kubernetes"))
    if querying is None or endpoints is None:
        return None
    for subset in endpoints.get("subsets") or ():
        for address in subset.get("addresses") or ():
            text = querying.metrics(world, f"https://{address['ip']}:6443/metrics")
            if text is not None:
                return Response(200, text.encode(), _TYPE)
    return None
