"""The contract of routines accepts a good one and finds each kind of bad one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

import pytest
from sregym_core.interfaces import (
    ClusterSpec,
    EpisodeRoutineContext,
    History,
    Routine,
    RoutineContext,
)
from sregym_core.model import ObjectRef
from sregym_testing import RoutineContract, Shop
from sregym_testing.clusters import open_clusters
from sregym_testing.memory import MemoryProvider

NOTE = {"metadata": {"annotations": {"owner": "web"}}}


def workload(context: RoutineContext | EpisodeRoutineContext) -> ObjectRef:
    return context.application.components()[0].workload


class Good(Routine):
    """Somebody notes whose a workload is, before and after a fault."""

    name: ClassVar[str] = "notes"

    def past(self, context: RoutineContext, history: History) -> None:
        context.wait_ready()

    def before_baseline(self, context: RoutineContext) -> None:
        context.cluster.patch(
            workload(context),
            {"metadata": {"annotations": {"seed": str(context.seed)}}},
            "merge",
        )

    def after_fault(self, context: EpisodeRoutineContext) -> None:
        ref = workload(context)
        context.journal.restore(ref, context.cluster.get(ref))
        context.cluster.patch(ref, NOTE, "merge")


class Forgetful(Good):
    def after_fault(self, context: EpisodeRoutineContext) -> None:
        context.cluster.patch(workload(context), NOTE, "merge")


class Harmful(Good):
    def before_agent(self, context: EpisodeRoutineContext) -> None:
        context.cluster.delete(workload(context))


class Early(Good):
    def before_fault(self, context: EpisodeRoutineContext) -> None:
        context.cluster.delete(workload(context))


class Hasty(Good):
    def before_fault(self, context: EpisodeRoutineContext) -> None:
        context.cluster.patch(workload(context), NOTE, "merge")


class Endless(Good):
    def past(self, context: RoutineContext, history: History) -> None:
        context.cluster.clock.advance(history.application_s + 1.0)


class Counting(Good):
    def __init__(self) -> None:
        self._worlds = count()

    def before_baseline(self, context: RoutineContext) -> None:
        note = {"metadata": {"annotations": {"world": str(next(self._worlds))}}}
        context.cluster.patch(workload(context), note, "merge")


BAD = {
    "test_all_serve_their_users_afterwards": (Harmful, Endless),
    "test_the_journal_undoes_what_comes_after_the_fault": (Forgetful,),
    "test_the_application_is_ready_before_the_fault": (Early, Hasty),
    "test_the_same_seed_is_the_same_life": (Counting,),
}


class TestGoodRoutine(RoutineContract):
    @pytest.fixture
    def routine(self) -> Routine:
        return Good()


@pytest.mark.parametrize(
    ("check", "bad"), [(name, bad) for name, all_ in BAD.items() for bad in all_]
)
def test_bad_routine_is_found(check: str, bad: type[Good], run_check: Callable[..., None]) -> None:
    given: dict[str, Any] = {"routine": bad(), "application": Shop()}
    with open_clusters(MemoryProvider()) as give:
        if check != "test_the_same_seed_is_the_same_life":
            given["cluster"] = give(ClusterSpec())
        with pytest.raises(AssertionError):
            run_check(RoutineContract, check, **given)


def test_every_check_has_a_bad_routine(checks_of: Callable[[type[Any]], set[str]]) -> None:
    assert set(BAD) == checks_of(RoutineContract)


class TestWhoOverridesNothing:
    """Is told what is missing."""

    routine = RoutineContract.routine

    def test_the_routine_is_asked_for(self, request: pytest.FixtureRequest) -> None:
        with pytest.raises(NotImplementedError) as refused:
            request.getfixturevalue("routine")
        assert str(refused.value) == "override the fixture `routine`"
