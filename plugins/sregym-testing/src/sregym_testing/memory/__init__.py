"""A small world in memory, in which faults, noise and oracles are tried in milliseconds.

`MemoryCluster` stores and patches objects and lets pods follow their workloads: rolling updates keep
old pods until new ones are ready, a pod whose ConfigMap is missing does not start. A test says what
runs in containers (`programs`), what answers `exec` (`executor`) and kubectl (`answers`), and when
reads fail (`fail_reads`). Three applications live in it: `Shop`, the smallest; `FullShop` with one
of everything that a fault may hold on to; `ShopWithTraffic`, whose users tell from its objects and
programs whether it works. `AddressedCluster` has a kubeconfig to hand out.

What it does not know: defaulting, validation, admission, networks. Symptoms that need these are the
business of a simulated or real cluster.
"""

from __future__ import annotations

from sregym_testing.memory.addressed import AddressedCluster
from sregym_testing.memory.application import MemoryApplication
from sregym_testing.memory.clock import MemoryClock
from sregym_testing.memory.cluster import MemoryCluster, MemoryProvider, worker_nodes
from sregym_testing.memory.full_shop import FullShop
from sregym_testing.memory.nodes import MemoryNodes
from sregym_testing.memory.pods import Program
from sregym_testing.memory.shop import Shop
from sregym_testing.memory.shop_with_traffic import ShopWithTraffic

__all__ = [
    "AddressedCluster",
    "FullShop",
    "MemoryApplication",
    "MemoryClock",
    "MemoryCluster",
    "MemoryNodes",
    "MemoryProvider",
    "Program",
    "Shop",
    "ShopWithTraffic",
    "worker_nodes",
]
