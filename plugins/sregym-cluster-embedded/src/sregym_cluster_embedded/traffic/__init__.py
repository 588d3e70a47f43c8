"""Requests between programs: rates, errors and times, derived whenever something changes."""

from __future__ import annotations

from sregym_cluster_embedded.api.keys import USAGE
from sregym_cluster_embedded.network import keys as network
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.traffic.counting import Totals
from sregym_cluster_embedded.traffic.service import WATCHED, OperationWindow, Traffic
from sregym_cluster_embedded.traffic.usage import ContainerUsage
from sregym_cluster_embedded.userland.keys import REQUEST_FLOW

__all__ = ["OperationWindow", "Totals", "Traffic", "subsystem"]


def subsystem() -> Subsystem:
    """The service `traffic`."""
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
        services={
            **REQUEST_FLOW.offer(traffic),
            **network.REQUEST_FLOW.offer(traffic),
            **USAGE.offer(ContainerUsage()),
        },
    )
