"""Contract tests for every runner of campaigns."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import EpisodeRequest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sregym_core.interfaces import EpisodeResult, Runner
    from sregym_core.model import EpisodeRecord

# Wall-clock seconds, for processes that have to be started on a busy machine.
PATIENCE_S = 300.0
_LOOK_S = 5.0
_AT_ONCE_S = 0.001
_STRANGER = "no-such-agent"


class RunnerContract:
    """Override `runner`, which makes the runner under test with one job, and `episode`.

    Checks leave the runner idle, so that one may serve all of them (`scope="class"`) where it takes
    long to reach what it plays on.
    """

    @pytest.fixture
    def runner(self) -> Runner:
        """The runner under test, with one job; close it at the end."""
        raise NotImplementedError("override the fixture `runner`")

    @pytest.fixture
    def episode(self) -> EpisodeRequest:
        """Something that can be played with what is installed, the shorter the better."""
        raise NotImplementedError("override the fixture `episode`")

    def test_each_episode_is_told_of_once_with_its_record(
        self, runner: Runner, episode: EpisodeRequest
    ) -> None:
        """The record is that of what was asked for, and the same for the same: worlds and chance."""
        records = []
        for key, attempt in (("first", 1), ("second", 2)):
            request = replace(episode, key=key, salt="contract", attempt=attempt)
            (played,) = _played(runner, [request])
            assert played.request == request
            assert played.record is not None, played.lost
            assert (played.record.episode, played.record.attempt) == (key, attempt)
            assert (played.record.problem, played.record.seed) == (
                episode.problem.id,
                episode.seed,
            )
            records.append(played.record)
        assert _deeds(records[0]) == _deeds(records[1])

    def test_there_is_as_much_room_as_jobs(self, runner: Runner) -> None:
        """One job is taken by one episode, and given back when it has been told of."""
        assert runner.free == 1
        runner.begin(_unplayable("one"), None)
        assert runner.free == 0
        _told(runner, 1)
        assert runner.free == 1

    def test_what_cannot_be_played_is_told_of_with_the_reason(self, runner: Runner) -> None:
        """It costs its episode alone: the next one is told of as well."""
        for key in ("one", "two"):
            (played,) = _played(runner, [_unplayable(key)])
            assert (played.request.key, played.record) == (key, None)
            assert _STRANGER in played.lost, f"the reason does not stand in {played.lost!r}"

    def test_what_does_not_end_in_time_is_lost(
        self, runner: Runner, episode: EpisodeRequest
    ) -> None:
        """Its process is ended, the reason says so, and there is room again."""
        runner.begin(replace(episode, key="late"), _AT_ONCE_S)
        (played,) = _told(runner, 1)
        assert (played.request.key, played.record) == ("late", None)
        assert f"{_AT_ONCE_S:g} s" in played.lost, f"how long it had is not in {played.lost!r}"
        assert runner.free == 1

    def test_waiting_for_nothing_ends(self, runner: Runner) -> None:
        """In the time that was given, with nothing."""
        began = time.monotonic()
        assert [*runner.wait(0.01)] == []
        assert time.monotonic() - began < PATIENCE_S / 10

    def test_an_option_that_it_does_not_have_is_refused(self, runner: Runner) -> None:
        """By name, with those that it has."""
        with pytest.raises(UsageError) as refused:
            type(runner)(1, {"no-such-option": "1"})
        has = f"it has: {', '.join(runner.accepts)}" if runner.accepts else "it has none"
        expected = f"runner {runner.name!r} has no option 'no-such-option'; {has}"
        assert str(refused.value) == expected

    def test_what_plays_at_the_end_is_told_of_no_more(
        self, runner: Runner, episode: EpisodeRequest
    ) -> None:
        """Closing ends it at once, and twice is harmless; the fixture closes once more."""
        runner.begin(replace(episode, key="given-up"), None)
        runner.close()
        runner.close()
        assert [*runner.wait(0.01)] == []


def _unplayable(key: str) -> EpisodeRequest:
    """An episode whose agent nobody offers; it fails before anything of it is looked at."""
    from sregym_core.model import Problem

    problem = Problem.model_validate(
        {
            "id": "contract",
            "title": "An episode that cannot be played",
            "application": "no-such-application",
            "layer": "kubernetes",
            "faults": [{"fault": "no-such-fault", "target": "nothing"}],
        }
    )
    return EpisodeRequest(key, problem, _STRANGER)


def _played(runner: Runner, requests: Iterable[EpisodeRequest]) -> list[EpisodeResult]:
    begun = [*requests]
    for request in begun:
        runner.begin(request, None)
    return _told(runner, len(begun))


def _told(runner: Runner, number: int) -> list[EpisodeResult]:
    """What is told until so many episodes have ended, and whatever is told with them."""
    ends = time.monotonic() + PATIENCE_S
    found: list[EpisodeResult] = []
    while len(found) < number and time.monotonic() < ends:
        found += runner.wait(_LOOK_S)
    again = [played.request.key for played in runner.wait(0.0)]
    assert again == [], "an episode is told of twice"
    assert len(found) == number, f"{len(found)} of {number} episodes were told of"
    return found


def _deeds(record: EpisodeRecord) -> object:
    """What an episode was, without how long it took in wall-clock time and what it is called."""
    calls = [(call.at_s, call.tool, call.arguments, call.output) for call in record.transcript]
    timeline = [(entry.at_s, entry.event, entry.fields) for entry in record.timeline]
    return record.outcome, record.salt, timeline, calls
