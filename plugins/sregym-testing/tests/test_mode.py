"""The contract of modes accepts a good one and finds each kind of bad one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import pytest
from sregym_core.interfaces import (
    BriefingContext,
    EpisodeResources,
    Mode,
    ResourcesContext,
    SessionTool,
    Stage,
)
from sregym_testing import FullShop, ModeContract

BOTH = (Stage.DIAGNOSIS, Stage.MITIGATION)


class Nothing(EpisodeResources):
    """No tool, so that nothing is kept."""

    @property
    def tools(self) -> Sequence[SessionTool]:
        return ()

    def fork(self, served: Callable[[], float | None]) -> EpisodeResources:
        return Nothing()

    def account(self, at_s: Callable[[float], float], usual: float) -> Mapping[str, Any]:
        return {}


class Shared(Nothing):
    def fork(self, served: Callable[[], float | None]) -> EpisodeResources:
        return self


class Good(Mode):
    """Somebody phones."""

    name = "phoned"
    summary = "somebody phones: diagnose, then repair"
    work = "Find the cause and repair it."
    submissions = BOTH
    judged = BOTH

    def opening(self, briefing: BriefingContext) -> str:
        return f"The phone rang {1 + briefing.seed % 3} times."

    def resources(self, context: ResourcesContext) -> EpisodeResources | None:
        return Nothing()


class TwoWords(Good):
    name = "by phone"


class TwoLines(Good):
    summary = "somebody phones:\ndiagnose, then repair"


class Backwards(Good):
    submissions = (Stage.MITIGATION, Stage.DIAGNOSIS)


class NothingHandedIn(Good):
    submissions = ()


class NothingJudged(Good):
    judged = ()


class OnlyRepaired(Good):
    submissions = (Stage.MITIGATION,)


class Placeless(Good):
    def instruction(self, briefing: BriefingContext) -> str:
        return self.opening(briefing)


class Counting(Good):
    def __init__(self) -> None:
        self._calls = count()

    def opening(self, briefing: BriefingContext) -> str:
        return f"This is call {next(self._calls)}."


class Talkative(Good):
    def opening(self, briefing: BriefingContext) -> str:
        return f"It smells of {briefing.ground_truths[0].mechanism}."


class Secretive(Good):
    reveals_cause = True


class Sharing(Good):
    def resources(self, context: ResourcesContext) -> EpisodeResources | None:
        return Shared()


BAD: dict[str, tuple[type[Good], ...]] = {
    "test_it_says_in_one_line_what_it_is": (TwoWords, TwoLines),
    "test_what_is_judged_can_be_handed_in": (
        Backwards,
        NothingHandedIn,
        NothingJudged,
        OnlyRepaired,
    ),
    "test_the_agent_learns_where_it_works": (Placeless,),
    "test_the_same_briefing_is_told_in_the_same_words": (Counting,),
    "test_the_cause_is_told_where_the_mode_says_so_and_nowhere_else": (Talkative, Secretive),
    "test_a_copy_of_its_resources_has_the_same_tools": (Sharing,),
}


class TestGoodMode(ModeContract):
    @pytest.fixture
    def mode(self) -> Mode:
        return Good()


@pytest.mark.parametrize(
    ("check", "bad"), [(name, bad) for name, all_ in BAD.items() for bad in all_]
)
def test_bad_mode_is_found(check: str, bad: type[Good], run_check: Callable[..., None]) -> None:
    with pytest.raises(AssertionError):
        run_check(ModeContract, check, mode=bad(), application=FullShop())


def test_every_check_has_a_bad_mode(checks_of: Callable[[type[Any]], set[str]]) -> None:
    assert set(BAD) == checks_of(ModeContract)


class TestWhoOverridesNothing:
    """Is told what is missing."""

    mode = ModeContract.mode

    def test_the_mode_is_asked_for(self, request: pytest.FixtureRequest) -> None:
        with pytest.raises(NotImplementedError) as refused:
            request.getfixturevalue("mode")
        assert str(refused.value) == "override the fixture `mode`"
