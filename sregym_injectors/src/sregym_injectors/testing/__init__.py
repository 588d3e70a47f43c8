"""A small cluster in memory for tests of faults: real objects, no network, no simulation.

`MemoryCluster` implements the core's `Cluster`: it stores objects, patches them, journals nothing
by itself, and keeps the pods of workloads in step with their templates each time its clock
advances. It can fail on demand before any given write, so that a test can prove that a fault
leaves enough in its journal to be undone from every point. `MemoryJournal` records undo steps and
replays them. `shop` is an application of four components that has one of everything.

What it does not know: defaulting, validation, networking, processes. Symptoms are the business of
a simulated or real cluster; here a test looks at state.
"""

from __future__ import annotations

from sregym_injectors.testing.application import Shop, component, context_for
from sregym_injectors.testing.clock import MemoryClock
from sregym_injectors.testing.cluster import DemandedError, MemoryCluster
from sregym_injectors.testing.journal import MemoryJournal

__all__ = [
    "DemandedError",
    "MemoryClock",
    "MemoryCluster",
    "MemoryJournal",
    "Shop",
    "component",
    "context_for",
]
