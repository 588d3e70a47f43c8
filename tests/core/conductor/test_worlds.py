"""Warm worlds are kept for those who come again; of too many go those that were not used for longest."""

from __future__ import annotations

from typing import ClassVar

from sregym_core.conductor.worlds import SEEDS_KEPT, Worlds
from sregym_core.interfaces import Cluster, ClusterSpec, OperationTraffic, Traffic
from sregym_testing.memory import MemoryProvider, Shop


class Counted(MemoryProvider):
    """Keeps the seeds of clusters that it made."""

    simulated: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.made: list[int] = []

    def provision(self, spec: ClusterSpec) -> Cluster:
        self.made.append(spec.seed)
        return super().provision(spec)


class ServingShop(Shop):
    """Whose users are always served."""

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        return Traffic(seconds, {"buy": OperationTraffic(requests=100, ok=100)})


def test_the_one_that_is_used_most_stays() -> None:
    provider, shop = Counted(), ServingShop()
    worlds = Worlds(provider, {}, "salt")
    for seed in range(1, SEEDS_KEPT + 1):
        worlds.make(shop, 60.0, seed, served=False)
        worlds.make(shop, 60.0, 0, served=False)
    assert provider.made == [1, 0, *range(2, SEEDS_KEPT + 1)]
