"""What is kept to be quicker decides nothing: a record is the same whatever was played before it."""

from __future__ import annotations

import random

import pytest
from sregym_core.api import Workspace, play, problems
from sregym_core.model import EpisodeRecord
from sregym_core.proof.comparing import comparable, where_different

SALT, SEED = "the same", 3
SMALL = "missing_service_hotel_reservation"
DRAWN = random.Random(7).sample(sorted(problem.id for problem in problems()), 20)


def record_of(problem: str, agent: str, workspace: Workspace) -> EpisodeRecord:
    return play(problem, agent, workspace=workspace, seed=SEED, salt=SALT, recover=False)


@pytest.mark.parametrize(
    "problem", [SMALL, *(pytest.param(one, marks=pytest.mark.thorough) for one in DRAWN)]
)
def test_a_record_does_not_depend_on_what_was_played_before(problem: str) -> None:
    with Workspace() as alone:
        first = record_of(problem, "expert", alone)
    with Workspace() as busy:
        record_of(problem, "random", busy)
        idle = record_of(problem, "noop", busy)
        later = record_of(problem, "expert", busy)
    assert first.mitigation is not None, first.reason
    assert idle.mitigation is not None, idle.reason
    assert first.mitigation.verdict.outcome != idle.mitigation.verdict.outcome
    if comparable(first) != comparable(later):
        pytest.fail(where_different(first, later))
