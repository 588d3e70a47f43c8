"""What is said of a problem before it is played, and where that needs a cluster."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.conductor.offline import ground_truths_and_fixes, instruction
from sregym_core.errors import UsageError
from sregym_core.interfaces import FaultContext
from sregym_core.model import Change, GroundTruth, Problem
from sregym_mode_basic.modes import mode_named

PROBLEM = Problem.model_validate(
    {
        "id": "wrong-currency-shop",
        "title": "Prices in a currency that does not exist",
        "application": "shop",
        "layer": "kubernetes",
        "faults": [{"fault": "wrong-currency", "target": "cart"}],
    }
)


def test_truth_and_fix_follow_from_the_problem_alone(theatre: Any) -> None:
    [(truth, [fix])] = ground_truths_and_fixes(theatre.factory(), PROBLEM)
    changed = Change(what="data[cart.json].currency", before="EUR", after="XXX")
    assert truth.changed == changed
    assert fix.startswith("kubectl patch configmap cart-settings -n shop --type=merge -p ")


def test_without_a_simulated_cluster_a_truth_that_needs_one_is_not_told(theatre: Any) -> None:
    [wrong_currency] = theatre.components["injectors"]

    class Looks(wrong_currency):
        def ground_truth(self, context: FaultContext) -> GroundTruth:
            context.cluster.get(context.component.workload)
            return super().ground_truth(context)

    theatre.components["injectors"] = [Looks]
    factory = theatre.factory()
    with pytest.raises(UsageError) as refused:
        ground_truths_and_fixes(factory, PROBLEM)
    assert str(refused.value) == (
        "problem 'wrong-currency-shop': its ground truth depends on the nodes of a cluster, and no "
        "simulated one is installed: pip install sregym-cluster-embedded"
    )
    # Only who is told the cause needs it.
    assert "Namespace: shop" in instruction(factory, PROBLEM, mode_named("standard"))
    with pytest.raises(UsageError):
        instruction(factory, PROBLEM, mode_named("mitigation-only"))
