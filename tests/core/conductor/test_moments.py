"""A fault comes at no round second, whenever the world became ready."""

from __future__ import annotations

import pytest
from sregym_core.conductor.injection import ROUND_S, Injection
from sregym_core.model import FaultRef, Namespace, Problem
from sregym_testing import MemoryCluster


class Fault:
    name = "stub"

    def inject(self, context) -> None:
        context.moments.append(context.cluster.clock.now())


class Context:
    seed = 3

    def __init__(self, cluster) -> None:
        self.cluster, self.moments = cluster, []
        self.target = Namespace(name="web")


class Timeline:
    def at_s(self) -> float:
        return 0.0

    def record(self, event) -> None:
        pass


class World:
    def __init__(self, cluster) -> None:
        self.cluster = cluster


PROBLEM = Problem(
    id="stub",
    title="A fault",
    application="none",
    layer="kubernetes",
    faults=(FaultRef(fault="stub", target={"namespace": "web"}),),
)


@pytest.mark.parametrize("offset", range(0, 60, 5))
def test_no_fault_comes_at_a_round_second(offset) -> None:
    cluster = MemoryCluster()
    cluster.clock.advance(-cluster.clock.now() % 60 + offset)
    context = Context(cluster)
    faults = ((Fault(), context),)
    injection = Injection(PROBLEM, faults, World(cluster), None, Timeline())
    injection.plan(0.0)
    injection._inject(0)
    assert int(context.moments[0]) % ROUND_S != 0
