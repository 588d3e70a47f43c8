"""Warm worlds are kept for those who come again; of too many go those that were not used for longest."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.conductor.worlds import COMPONENTS_KEPT, Worlds
from sregym_core.interfaces import Cluster, ClusterSpec, OperationTraffic, Traffic
from sregym_testing.memory import MemoryProvider, Shop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Component

# So many worlds of the shop are kept.
ROOM = 3


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
    """A large one, whose users are always served."""

    def components(self) -> Sequence[Component]:
        few = super().components()
        return [*few] * (COMPONENTS_KEPT // (ROOM * len(few)))

    def traffic(self, cluster: Cluster, seconds: float) -> Traffic:
        return Traffic(seconds, {"buy": OperationTraffic(requests=100, ok=100)})


def test_those_that_were_used_last_stay_as_far_as_there_is_room() -> None:
    provider, shop = Counted(), ServingShop()
    worlds = Worlds(provider, {}, "salt")
    for seed in (1, 2, 3, 1, 4, 1, 5, 1, 2):
        worlds.make(shop, 60.0, seed, served=False)
    assert provider.made == [1, 2, 3, 4, 5, 2]
