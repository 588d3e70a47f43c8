"""Contract tests for every oracle."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import pytest
from sregym_core.interfaces import Baseline, OracleContext, Traffic
from sregym_core.model import FaultRef, Outcome, Problem, Verdict

from sregym_testing.memory import Shop
from sregym_testing.watched import WatchedCluster
from sregym_testing.worlds import ready_world

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.interfaces import Oracle

    from sregym_testing.clusters import Provision

# Builds the world to be judged, afresh each time it is called.
Situation: TypeAlias = "Callable[[Provision], OracleContext]"


@dataclass(frozen=True)
class OracleCase:
    """An oracle with situations on both sides of its judgement.

    Attributes:
        oracle: The oracle under test.
        passing: Situations that must pass, by name; at least one.
        failing: Situations that must fail, by name; at least one.
    """

    oracle: Oracle
    passing: Mapping[str, Situation] = field(default_factory=dict)
    failing: Mapping[str, Situation] = field(default_factory=dict)


class OracleContract:
    """Override `case`; override `provision` where the oracle looks at programs that run."""

    @pytest.fixture
    def case(self) -> OracleCase:
        """The oracle under test with its situations."""
        raise NotImplementedError("override the fixture `case`")

    def test_judges_a_stage_of_the_episode(self, case: OracleCase) -> None:
        """`stage` is `diagnosis` or `mitigation`."""
        assert case.oracle.stage in ("diagnosis", "mitigation")

    def test_passes_what_is_right(self, case: OracleCase, provision: Provision) -> None:
        """Every situation of the passing side."""
        assert case.passing, "give at least one situation that must pass"
        assert _outcomes(case, case.passing, provision) == dict.fromkeys(case.passing, Outcome.PASS)

    def test_fails_what_is_wrong(self, case: OracleCase, provision: Provision) -> None:
        """Every situation of the failing side."""
        assert case.failing, "give at least one situation that must fail"
        assert _outcomes(case, case.failing, provision) == dict.fromkeys(case.failing, Outcome.FAIL)

    def test_same_world_same_verdict(self, case: OracleCase, provision: Provision) -> None:
        """Grading an equal cluster again gives an equal verdict in all fields."""
        for situation in (*case.passing.values(), *case.failing.values()):
            first = case.oracle.judge(situation(provision))
            assert case.oracle.judge(situation(provision)) == first

    def test_changes_nothing(self, case: OracleCase, provision: Provision) -> None:
        """It reads; commands in containers may look, but no object is written."""
        for situation in (*case.passing.values(), *case.failing.values()):
            context, watched = _watch(situation(provision))
            case.oracle.judge(context)
            assert [what for what in watched.writes if not what.startswith("exec ")] == []

    def test_verdicts_add_up(self, case: OracleCase, provision: Provision) -> None:
        """The outcome follows from the named checks, the score lies in 0 to 1, there is a reason."""
        for situation in (*case.passing.values(), *case.failing.values()):
            verdict = case.oracle.judge(situation(provision))
            names = [check.name for check in verdict.checks]
            assert names
            assert len(names) == len(set(names)), f"two checks with one name: {names}"
            assert 0.0 <= verdict.score <= 1.0
            assert verdict.reason.strip()
            _outcome_follows(verdict)

    def test_blindness_is_never_a_pass(self, case: OracleCase, provision: Provision) -> None:
        """When the cluster cannot be reached, who looked at it before must not pass now."""
        for situation in case.passing.values():
            context, watched = _watch(situation(provision))
            seen = case.oracle.judge(context)
            looked = watched.reads + len(watched.writes) > 0
            context, _ = _watch(situation(provision), unreachable=True)
            try:
                blind = case.oracle.judge(context)
            except Exception:
                continue
            assert blind.outcome is Outcome.ERROR if looked else blind == seen


def _outcomes(
    case: OracleCase, situations: Mapping[str, Situation], provision: Provision
) -> dict[str, Outcome]:
    return {
        name: case.oracle.judge(situation(provision)).outcome
        for name, situation in situations.items()
    }


def _watch(
    context: OracleContext, *, unreachable: bool = False
) -> tuple[OracleContext, WatchedCluster]:
    """The context with glass before its cluster, also in the contexts of its faults."""
    watched = WatchedCluster(context.cluster, unreachable=unreachable)
    faults = tuple((fault, replace(inner, cluster=watched)) for fault, inner in context.faults)
    return replace(context, cluster=watched, faults=faults), watched


def _outcome_follows(verdict: Verdict) -> None:
    outcomes = {check.outcome for check in verdict.checks}
    if verdict.outcome is Outcome.PASS:
        assert outcomes == {Outcome.PASS}
    elif verdict.outcome is Outcome.FAIL:
        assert Outcome.ERROR not in outcomes
    elif verdict.outcome is Outcome.UNDECIDED:
        assert Outcome.UNDECIDED in outcomes
        assert not outcomes & {Outcome.ERROR, Outcome.FAIL}
    else:
        assert Outcome.ERROR in outcomes


def shop_context(provision: Provision) -> OracleContext:
    """A healthy shop with its baseline, for oracles to judge; break what you like in it."""
    world = ready_world(Shop(), provision)
    baseline = Baseline(world.objects, world.hidden, Traffic(seconds=0.0))
    problem = Problem(
        id="shop",
        title="Something about the shop",
        application=Shop.name,
        layer="kubernetes",
        faults=(FaultRef(fault="none", targets=("cart",)),),
    )
    return OracleContext(world.cluster, world.application, problem, (), (), baseline)
