"""After an episode the world is as before, also where copies of a store follow later."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.readiness import take_baseline
from sregym_core.conductor.recovery import recover, remaining_difference
from sregym_core.conductor.worlds import World
from sregym_testing import FullShop, MemoryCluster, Program

PROGRAMS = {part.image: Program(start_s=1.0, memory_mib=32.0) for part in FullShop().components()}


class Copied(MemoryCluster):
    """A cluster in which a copy holds something else until a moment."""

    behind_until_s = 0.0

    def hidden_state(self) -> Mapping[str, str]:
        return {"copy of the store": "old" if self.clock.now() < self.behind_until_s else "new"}


@pytest.mark.parametrize(("behind_s", "left"), [(30.0, ""), (600.0, "copy of the store differs")])
def test_copies_are_waited_for_and_not_for_ever(behind_s: float, left: str) -> None:
    cluster, shop = Copied(PROGRAMS), FullShop()
    shop.deploy(cluster)
    cluster.clock.advance(60.0)
    world = World(cluster, take_baseline(cluster, shop), forked=False)
    cluster.behind_until_s = (began := cluster.clock.now()) + behind_s
    recover(world, shop, (), UndoJournal())
    assert remaining_difference(world, shop) == left
    assert cluster.clock.now() - began == min(behind_s, 120.0)
