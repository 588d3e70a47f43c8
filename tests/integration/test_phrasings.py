"""Truths of problems as their applications have them: told in ten ways they pass, and near misses do not.

Each fault's own contract says the same of one target, in the folder of the fault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.api import problems, solution
from sregym_core.interfaces import DiagnosisOracle
from sregym_testing.diagnoses import accepted_near_misses, unrecognised_phrasings

if TYPE_CHECKING:
    from sregym_core.api import Workspace

# Every so many problems.
EVERY = 24
NEEDED = 5


def test_truths_of_problems_are_recognised_and_near_misses_are_not(workspace: Workspace) -> None:
    judge = workspace.factory.oracle("checklist")
    assert isinstance(judge, DiagnosisOracle)
    chosen = list(problems(workspace=workspace))[::EVERY]
    known = [(one, solution(one, workspace=workspace).ground_truths) for one in chosen]
    single = [(one, ground_truths[0]) for one, ground_truths in known if len(ground_truths) == 1]
    assert len(single) > NEEDED
    wrong = {}
    for problem, truth in single:
        parts = workspace.factory.application(problem.application).components()
        others = [other for _, other in single if other is not truth]
        told = {
            **unrecognised_phrasings(judge, truth, parts),
            **accepted_near_misses(judge, truth, parts, others),
        }
        wrong |= {f"{problem.id}: {name}": text for name, text in told.items()}
    assert wrong == {}
