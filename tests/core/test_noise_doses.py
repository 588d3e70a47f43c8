"""How much noise of what: names with levels, mixtures, and the score against the dose."""

from __future__ import annotations

from pathlib import Path

import pytest
from sregym_core.errors import UsageError
from sregym_core.interfaces import RunPlan
from sregym_core.model import EpisodeRecord, FaultRef, Outcome, Problem
from sregym_core.model.noise_setting import NoiseSetting, parse_noise, with_noise
from sregym_runs.noise_scores import NoiseScore, scores_by_noise_level, wilson


def problem(**more) -> Problem:
    fault = FaultRef(fault="port", target="cart")
    return Problem(
        id="p", title="P", application="shop", layer="kubernetes", faults=(fault,), **more
    )


def played(agent: str, outcome: Outcome, level: int = 0, *blamed: str, **more) -> EpisodeRecord:
    return EpisodeRecord(
        episode="e0001",
        problem="p",
        agent=agent,
        seed=1,
        cluster="memory",
        outcome=outcome,
        noise_level=level,
        noise_blamed=blamed,
        **more,
    )


def test_a_dose_is_a_name_and_a_level():
    assert parse_noise("pod-restart") == NoiseSetting(name="pod-restart", level=1)
    assert parse_noise("pod-restart=3") == NoiseSetting(name="pod-restart", level=3)
    assert str(parse_noise("pod-restart")) == "pod-restart=1"


@pytest.mark.parametrize("level", ["4", "-1", "much", ""])
def test_another_level_is_refused(level):
    with pytest.raises(UsageError) as refused:
        parse_noise(f"pod-restart={level}")
    assert str(refused.value) == (
        f"noise 'pod-restart={level}': {level!r} is no level; "
        "write pod-restart=LEVEL with one from 0 to 3"
    )


def test_a_level_of_an_environment_is_checked():
    noisy = with_noise(problem(noise=("a",)), None, 2)
    assert (noisy.noise, noisy.noise_level) == (("a",), 2)
    quiet = with_noise(problem(noise=("a",), noise_level=3), (), None)
    assert (quiet.noise, quiet.noise_level) == ((), 3)
    with pytest.raises(UsageError) as refused:
        with_noise(problem(), None, 7)
    assert str(refused.value) == "noise_level is 7; it must be 0 (none), 1, 2 or 3 (most)"


def test_a_run_says_how_many_episodes_it_has():
    plan = RunPlan(Path("run"), ("p",), ("a",), (5, 6), "memory", noise_levels=(0, 2))
    assert plan.episodes == 4


@pytest.mark.parametrize(
    ("successes", "trials", "interval"),
    [
        (0, 0, (0.0, 1.0)),
        (0, 10, (0.0, 0.2775)),
        (10, 10, (0.7225, 1.0)),
        (5, 10, (0.2366, 0.7634)),
        (81, 263, (0.2553, 0.3662)),
    ],
)
def test_wilsons_interval(successes, trials, interval):
    low, high = wilson(successes, trials)
    assert (round(low, 4), round(high, 4)) == interval


def test_scores_stand_by_agent_and_level():
    records = [
        played("b", Outcome.PASS),
        played("b", Outcome.FAIL, 2, "decoys", "zombies"),
        played("b", Outcome.FAIL, 2, "zombies"),
        played("b", Outcome.ERROR, 2),
        played("a", Outcome.PASS, 0, noise={"pod-restart": 3}),
    ]
    found = scores_by_noise_level(records)
    assert [(s.agent, s.level, s.solved, s.graded, s.blamed) for s in found] == [
        ("b", 0, 1, 1, ()),
        ("b", 2, 0, 2, (("zombies", 2), ("decoys", 1))),
        ("a", 3, 1, 1, ()),
    ]


def test_a_quiet_run_has_no_doses():
    assert scores_by_noise_level([played("a", Outcome.PASS)]) == []
    assert NoiseScore("a", 0, 0, 0, 0.0, 1.0).share == 0.0
