"""A problem that needs what the cluster cannot do to its nodes is skipped, with the reason."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from sregym_core.conductor.journal import UndoJournal
from sregym_core.conductor.targets import demand_capabilities
from sregym_core.errors import MissingCapabilityError
from sregym_core.interfaces import FaultContext
from sregym_core.model import Capability, Outcome
from sregym_testing import MemoryCluster, MemoryNodes, Shop, choose_target, worker_nodes

from .conftest import WrongCurrency


class NeedsPower(WrongCurrency):
    name: ClassVar[str] = "wrong-currency"
    needs: ClassVar[tuple[Capability, ...]] = (Capability.POWER,)


def test_an_episode_without_access_to_nodes_is_skipped(theatre: Any) -> None:
    theatre.components["injectors"] = [NeedsPower]
    record = theatre.play(lambda session: None)
    assert (record.outcome, record.reason, record.recovered) == (
        Outcome.SKIP,
        "fault 'wrong-currency' needs node-power, and this cluster gives no access to its nodes",
        True,
    )


def test_a_node_that_refuses_a_capability_is_named() -> None:
    class Refusing(MemoryNodes):
        def examine(self, node: str, capability: Capability) -> str:
            return f"node {node!r}: {capability} is guarded; ask who guards it"

    class Guarded(MemoryCluster):
        @property
        def nodes(self) -> MemoryNodes | None:
            return Refusing(worker_nodes(1))

    cluster = Guarded(nodes=worker_nodes(1))
    target = choose_target(Shop(), {"node": "worker-1"}, cluster)
    context = FaultContext(cluster, Shop(), target, None, UndoJournal())
    with pytest.raises(MissingCapabilityError) as caught:
        demand_capabilities(cluster, ((NeedsPower(), context),))
    assert str(caught.value) == (
        "fault 'wrong-currency' needs node-power: node 'worker-1': node-power is guarded; ask who "
        "guards it"
    )
