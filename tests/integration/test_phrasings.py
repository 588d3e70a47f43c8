"""Ten phrasings of each fault's truth pass the judge that is installed, and ten near misses do not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sregym_core.api import problems, solution
from sregym_core.interfaces import DiagnosisOracle
from sregym_core.model import Outcome
from sregym_core.proof.phrasings import near_misses, phrasings

if TYPE_CHECKING:
    from sregym_core.api import Workspace
    from sregym_core.model import GroundTruth, Problem

# Every so many problems.
EVERY = 24
NEEDED = 2


def _judged(workspace: Workspace, chosen: list[Problem]) -> tuple[dict[str, set[str]], int]:
    """Phrasings that do not pass and near misses that do, by name of the frame; and how many were judged."""
    judge = workspace.bench.oracle("checklist")
    assert isinstance(judge, DiagnosisOracle)
    known = [(one, solution(one, workspace=workspace).truths) for one in chosen]
    single = [(one, truths[0]) for one, truths in known if len(truths) == 1]
    wrong: dict[str, set[str]] = defaultdict(set)
    count = 0
    for place, (problem, truth) in enumerate(single):
        parts = workspace.bench.application(problem.application).components()
        others = _others(truth, [other for _, other in (*single[place:], *single[:place])])
        involved = {truth.component, truth.object_name, *truth.contributing, *truth.affected}
        strangers = [
            part.name
            for part in parts
            if not any(part.name in one or one in part.name for one in involved if one)
        ]
        if min(len(strangers), len(others)) < NEEDED:
            continue
        count += 1
        for name, text in phrasings(truth).items():
            if judge.judge_diagnosis(text, None, [truth], parts).outcome is not Outcome.PASS:
                wrong[name].add(problem.id)
        for name, text in near_misses(truth, others, strangers).items():
            if judge.judge_diagnosis(text, None, [truth], parts).outcome is Outcome.PASS:
                wrong[name].add(problem.id)
    return wrong, count


def _others(truth: GroundTruth, known: list[GroundTruth]) -> list[GroundTruth]:
    """Truths of other faults, with another mechanism and another kind of object."""
    return [
        other for other in known if other.mechanism != truth.mechanism and other.kind != truth.kind
    ]


def test_phrasings_pass_and_near_misses_do_not(workspace: Workspace) -> None:
    """Of the frames, one in fifty may be left undecided; what passes wrongly is one in fifty at most."""
    wrong, count = _judged(workspace, list(problems(workspace=workspace))[::EVERY])
    assert count > NEEDED
    assert sum(map(len, wrong.values())) <= 20 * count / 50, dict(wrong)
