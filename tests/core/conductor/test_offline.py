"""What is said of a problem without a cluster, and of a fault that wants one all the same."""

from __future__ import annotations

from typing import Any

import pytest
from sregym_core.conductor.offline import truth_and_fix
from sregym_core.interfaces import FaultContext
from sregym_core.model import FaultRef, GroundTruth

REF = FaultRef(fault="wrong-currency", target="cart")


def test_truth_and_fix_follow_from_the_problem_alone(theatre: Any) -> None:
    bench = theatre.bench()
    known = truth_and_fix(bench, bench.application("shop"), REF)
    assert known["ground_truth"]["changed"] == {
        "what": "data[cart.json].currency",
        "before": "EUR",
        "after": "XXX",
    }
    [fix] = known["reference_fix"]
    assert fix.startswith("kubectl patch configmap cart-settings -n shop --type=merge -p ")


def test_a_fault_that_asks_the_cluster_is_told(theatre: Any) -> None:
    [wrong_currency] = theatre.components["injectors"]

    class Looks(wrong_currency):
        def ground_truth(self, context: FaultContext) -> GroundTruth:
            context.cluster.get(context.component.workload)
            return super().ground_truth(context)

    theatre.components["injectors"] = [Looks]
    bench = theatre.bench()
    with pytest.raises(RuntimeError) as refused:
        truth_and_fix(bench, bench.application("shop"), REF)
    assert str(refused.value) == (
        "ground truth and reference fix must not need a cluster, but 'get' was asked for"
    )
