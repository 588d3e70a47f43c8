"""The oracle contract accepts a good oracle and finds each kind of bad one."""

from __future__ import annotations

import itertools

import pytest
from sregym_core.interfaces import ClusterError, Oracle, OracleContext
from sregym_core.model import Check, ObjectRef, Outcome, Verdict
from sregym_testing import OracleCase, OracleContract, Provision, shop_context

CART = ObjectRef(api_version="apps/v1", kind="Deployment", namespace="shop", name="cart")


class Good(Oracle):
    """Is the cart deployed?"""

    name = "cart-there"
    stage = "mitigation"

    def judge(self, context: OracleContext) -> Verdict:
        there = self.look(context)
        outcome = Outcome.PASS if there else Outcome.FAIL
        return Verdict.of(
            [
                Check(
                    name="cart", outcome=outcome, expected="there", got="there" if there else "gone"
                )
            ]
        )

    def look(self, context: OracleContext) -> bool:
        return context.cluster.get(CART) is not None


class JudgesTheWeather(Good):
    stage = "weather"


class FailsEverything(Good):
    def look(self, context: OracleContext) -> bool:
        return False


class PassesEverything(Good):
    def look(self, context: OracleContext) -> bool:
        return True


class Wavers(Good):
    count = itertools.count()

    def judge(self, context: OracleContext) -> Verdict:
        reason = f"opinion number {next(self.count)}"
        return super().judge(context).model_copy(update={"reason": reason})


class Meddles(Good):
    def look(self, context: OracleContext) -> bool:
        there = super().look(context)
        if there:
            context.cluster.patch(CART, {"metadata": {"labels": {"seen": "yes"}}}, "merge")
        return there


class DoesNotAddUp(Good):
    def judge(self, context: OracleContext) -> Verdict:
        return super().judge(context).model_copy(update={"outcome": Outcome.PASS})


class IsAnOptimist(Good):
    def look(self, context: OracleContext) -> bool:
        try:
            return super().look(context)
        except ClusterError:
            return True


BAD: dict[str, type[Oracle]] = {
    "test_judges_a_stage_of_the_episode": JudgesTheWeather,
    "test_passes_what_is_right": FailsEverything,
    "test_fails_what_is_wrong": PassesEverything,
    "test_same_world_same_verdict": Wavers,
    "test_changes_nothing": Meddles,
    "test_verdicts_add_up": DoesNotAddUp,
    "test_blindness_is_never_a_pass": IsAnOptimist,
}


def without_cart(provision: Provision) -> OracleContext:
    context = shop_context(provision)
    context.cluster.delete(CART)
    return context


def case_of(oracle: Oracle) -> OracleCase:
    return OracleCase(oracle, {"healthy": shop_context}, {"cart deleted": without_cart})


class TestGoodOracle(OracleContract):
    @pytest.fixture
    def case(self) -> OracleCase:
        return case_of(Good())


@pytest.mark.parametrize("check", BAD)
def test_bad_oracle_is_found(check, run_check, memory) -> None:
    with pytest.raises(AssertionError):
        run_check(OracleContract, check, case=case_of(BAD[check]()), provision=memory)


def test_every_check_has_a_bad_oracle(checks_of) -> None:
    assert set(BAD) == checks_of(OracleContract)
