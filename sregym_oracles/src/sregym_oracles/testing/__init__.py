"""A small real cluster in memory, for trying an oracle on healthy and on broken systems.

Objects are stored and versioned as an API server would; readiness, container states and traffic
are derived from them and from the clock, never from what a test expects. It is far from a
Kubernetes: what it cannot do, it refuses with a `ClusterError`.
"""

from __future__ import annotations

from sregym_oracles.testing.application import MemoryApplication
from sregym_oracles.testing.clock import MemoryClock
from sregym_oracles.testing.cluster import MemoryCluster
from sregym_oracles.testing.pods import Program
from sregym_oracles.testing.shop import service_port, shop_application, shop_programs
from sregym_oracles.testing.sides import Side, prove_two_sided

__all__ = [
    "MemoryApplication",
    "MemoryClock",
    "MemoryCluster",
    "Program",
    "Side",
    "prove_two_sided",
    "service_port",
    "shop_application",
    "shop_programs",
]
