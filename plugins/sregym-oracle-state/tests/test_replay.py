"""The oracle `replay` on a shop whose defect waits for a Service to be looked at once more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sregym_core.model import Outcome
from sregym_oracle_state.replay import ReplayOracle

if TYPE_CHECKING:
    from sregym_core.interfaces import Fault, FaultContext


def with_occasion(shop: Any, *, lasting: bool) -> Any:
    """The context of a fault that can be brought about again, and passes or not."""
    ((fault, at),) = shop.context.faults

    def again(context: FaultContext) -> bool:
        fault.inject(context)
        shop.cluster.clock.advance(60)
        if not lasting:
            shop.repair()
        return True

    known: Fault = type("Waiting", (type(fault),), {"replay": lambda _, context: again(context)})()
    return replace(shop.context, faults=((known, at),))


def test_a_system_that_bears_it_passes(shop: Any) -> None:
    verdict = ReplayOracle().judge(with_occasion(shop, lasting=False))
    assert verdict.outcome is Outcome.PASS
    first = verdict.checks[0]
    assert (first.name, first.got) == ("replay", "replayed for catalogue")
    assert len(verdict.checks) == 8


def test_a_system_that_breaks_down_again_fails(shop: Any) -> None:
    verdict = ReplayOracle().judge(with_occasion(shop, lasting=True))
    failed = [check.name for check in verdict.checks if check.outcome is not Outcome.PASS]
    assert (verdict.outcome, failed[0]) == (Outcome.FAIL, "defect-gone")


def test_a_system_that_is_not_repaired_is_spared(shop: Any) -> None:
    shop.inject()
    shop.cluster.clock.advance(60)
    verdict = ReplayOracle().judge(shop.context)
    assert verdict.outcome is Outcome.FAIL
    assert verdict.checks[0].name == "defect-gone"


def test_a_fault_without_an_occasion_is_no_case_for_it(shop: Any) -> None:
    verdict = ReplayOracle().judge(shop.context)
    assert [(c.name, c.outcome, c.got) for c in verdict.checks] == [
        ("replay", Outcome.ERROR, "there is no such occasion")
    ]
