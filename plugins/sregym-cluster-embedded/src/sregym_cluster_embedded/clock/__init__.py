"""Virtual time and seeded chance: the lowest room; it knows nothing of Kubernetes."""

from __future__ import annotations

from sregym_cluster_embedded.clock.heap import Event, EventHeap
from sregym_cluster_embedded.clock.seed import Seed

__all__ = ["Event", "EventHeap", "Seed"]
