"""Requests between programs: rates, errors and times, derived whenever something changes."""

from __future__ import annotations

from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.network import keys as network
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.traffic.counting import Totals
from sregym_cluster_embedded.traffic.room import WATCHED, OperationWindow, Traffic
from sregym_cluster_embedded.traffic.usage import ContainerUsage
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW

__all__ = ["OperationWindow", "Totals", "Traffic", "contribution"]


def contribution() -> Subsystem:
    """The room `traffic`."""
    traffic = Traffic()
    return Subsystem(
        name="traffic",
        handlers={
            "traffic.solve": traffic.solve,
            "traffic.step": traffic.step,
            "traffic.load": traffic.load,
            "traffic.panic": traffic.panic,
        },
        followers=dict.fromkeys(WATCHED, (traffic.watch,)),
        rooms={
            **REQUEST_FLOW.offer(traffic),
            **network.REQUEST_FLOW.offer(traffic),
            **USAGE.offer(ContainerUsage()),
        },
    )
