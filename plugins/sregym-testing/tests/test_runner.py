"""The runner contract accepts a good runner and finds each kind of bad one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import EpisodeRequest, EpisodeResult, Runner
from sregym_core.model import EpisodeRecord, Outcome, Problem
from sregym_testing import RunnerContract

PROBLEM = Problem.model_validate(
    {
        "id": "cart-port",
        "title": "The port of cart is wrong",
        "application": "shop",
        "layer": "kubernetes",
        "faults": [{"fault": "wrong-port", "target": "cart"}],
    }
)


class Good(Runner):
    """Plays nothing: its episodes end with the next look."""

    name = "instant"
    accepts = ("place",)

    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        super().__init__(jobs, options)
        self.begun: list[tuple[EpisodeRequest, float | None]] = []

    @property
    def free(self) -> int:
        return (self.jobs or 1) - len(self.begun)

    def begin(self, request: EpisodeRequest, deadline_s: float | None) -> None:
        self.begun.append((request, deadline_s))

    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        told = [self.told(*one) for one in self.begun]
        self.begun.clear()
        return told

    def told(self, request: EpisodeRequest, deadline_s: float | None) -> EpisodeResult:
        if deadline_s is not None:
            return EpisodeResult(request, None, f"it did not end within {deadline_s:g} s")
        if request.agent != "noop":
            return EpisodeResult(request, None, f"UsageError: no agent named {request.agent!r}")
        record = EpisodeRecord(
            episode=request.key,
            problem=request.problem.id,
            agent=request.agent,
            seed=request.seed,
            salt=request.salt or "",
            attempt=request.attempt,
            cluster=request.cluster,
            outcome=Outcome.FAIL,
        )
        return EpisodeResult(request, record)

    def close(self) -> None:
        self.begun.clear()


class TellsTwice(Good):
    """What was told is told again."""

    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        super().__init__(jobs, options)
        self.last: list[EpisodeResult] = []

    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        self.last = [*super().wait(timeout_s)] or self.last
        return self.last


class SwapsAttempts(Good):
    def told(self, request: EpisodeRequest, deadline_s: float | None) -> EpisodeResult:
        played = super().told(replace(request, attempt=1), deadline_s)
        return replace(played, request=request)


class WorldsOfItsOwn(Good):
    """Gives each episode a salt of its own, whatever was asked for."""

    def told(self, request: EpisodeRequest, deadline_s: float | None) -> EpisodeResult:
        played = super().told(request, deadline_s)
        if played.record is None:
            return played
        return replace(played, record=played.record.model_copy(update={"salt": request.key}))


class Boundless(Good):
    @property
    def free(self) -> int:
        return 1


class Silent(Good):
    """Does not say why there is no record."""

    def told(self, request: EpisodeRequest, deadline_s: float | None) -> EpisodeResult:
        return replace(super().told(request, deadline_s), lost="it failed")


class Patient(Good):
    """Lets an episode play for as long as it likes."""

    def told(self, request: EpisodeRequest, deadline_s: float | None) -> EpisodeResult:
        return super().told(request, None)


class Inventive(Good):
    def wait(self, timeout_s: float) -> Sequence[EpisodeResult]:
        return super().wait(timeout_s) or [
            EpisodeResult(EpisodeRequest("x", PROBLEM, "noop"), None)
        ]


class TakesAnything(Good):
    def __init__(self, jobs: int | None, options: Mapping[str, str] | None = None) -> None:
        super().__init__(jobs, {k: v for k, v in (options or {}).items() if k in self.accepts})


class PlaysOn(Good):
    def close(self) -> None:
        """Leave what plays alone."""


BAD: dict[str, tuple[type[Good], ...]] = {
    "test_each_episode_is_told_of_once_with_its_record": (
        TellsTwice,
        SwapsAttempts,
        WorldsOfItsOwn,
    ),
    "test_there_is_as_much_room_as_jobs": (Boundless,),
    "test_what_cannot_be_played_is_told_of_with_the_reason": (Silent, TellsTwice),
    "test_what_does_not_end_in_time_is_lost": (Patient, Silent),
    "test_waiting_for_nothing_ends": (Inventive,),
    "test_an_option_that_it_does_not_have_is_refused": (TakesAnything,),
    "test_what_plays_at_the_end_is_told_of_no_more": (PlaysOn,),
}


class TestGoodRunner(RunnerContract):
    @pytest.fixture
    def runner(self) -> Runner:
        return Good(1)

    @pytest.fixture
    def episode(self) -> EpisodeRequest:
        return EpisodeRequest("e", PROBLEM, "noop")


@pytest.mark.parametrize(
    ("check", "bad"), [(name, bad) for name, all_ in BAD.items() for bad in all_]
)
def test_bad_runner_is_found(check: str, bad: type[Good], run_check: Callable[..., None]) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        run_check(
            RunnerContract, check, runner=bad(1), episode=EpisodeRequest("e", PROBLEM, "noop")
        )


def test_every_check_has_a_bad_runner(checks_of: Callable[[type[Any]], set[str]]) -> None:
    assert set(BAD) == checks_of(RunnerContract)


def test_an_option_is_refused_by_its_name() -> None:
    with pytest.raises(UsageError) as refused:
        Good(None, {"plase": "here"})
    assert str(refused.value) == "runner 'instant' has no option 'plase'; it has: place"


class TestWhoOverridesNothing:
    """Is told what is missing."""

    runner = RunnerContract.runner
    episode = RunnerContract.episode

    def test_the_runner_is_asked_for(self, request: pytest.FixtureRequest) -> None:
        with pytest.raises(NotImplementedError) as refused:
            request.getfixturevalue("runner")
        assert str(refused.value) == "override the fixture `runner`"

    def test_the_episode_is_asked_for(self, request: pytest.FixtureRequest) -> None:
        with pytest.raises(NotImplementedError) as refused:
            request.getfixturevalue("episode")
        assert str(refused.value) == "override the fixture `episode`"
