"""What is asked of the whole structure for one part after the other: looked up once for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.traffic.flow_state import FlowState
    from sregym_cluster_embedded.traffic.structure import Structure


def pulled_operations(structure: Structure) -> frozenset[int]:
    """Operations that are done for each message taken from a queue."""
    return frozenset(
        consumer.operation for queue in structure.queues for consumer in queue.consumers
    )


def pooled_rates(structure: Structure, numbers: FlowState) -> dict[int, float]:
    """Server -> requests a second that reach it through pools of connections."""
    found: dict[int, float] = {}
    for site in structure.sites:
        for route in site.routes if site.client.pool else ():
            if route.callee >= 0:
                server = structure.operations[route.callee].server
                rate = numbers.calls[site.index] * route.share * (1 - numbers.shed[site.index])
                found[server] = found.get(server, 0.0) + rate
    return found
