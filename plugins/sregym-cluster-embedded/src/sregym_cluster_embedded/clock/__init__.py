"""Virtual time, seeded chance, state that forks share: the lowest layer, without Kubernetes."""

from __future__ import annotations

from sregym_cluster_embedded.clock.heap import Event, EventHeap
from sregym_cluster_embedded.clock.seed import Seed
from sregym_cluster_embedded.clock.sharing import SharedCache, SharedGroups

__all__ = ["Event", "EventHeap", "Seed", "SharedCache", "SharedGroups"]
