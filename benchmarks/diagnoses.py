"""Diagnoses of every problem for its diagnosis oracles: true ones, and wrong ones; no world is made.

    python benchmarks/diagnoses.py [APPLICATION ...]

Says which true diagnoses do not pass and which wrong ones do, as the proof of each problem would; ends with 1
if there are any. Solutions are derived without a cluster, so that all problems take some two minutes.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from sregym_core.api import Workspace, problems, solution
from sregym_core.interfaces import DiagnosisOracle
from sregym_core.model import Outcome
from sregym_core.proof.diagnoses import wrong_diagnoses
from sregym_core.settings import Settings

if TYPE_CHECKING:
    from sregym_core.model import Problem

RIGHT = "true-text"


def outcomes(problem: Problem, workspace: Workspace) -> dict[str, Outcome]:
    """What the problem's diagnosis oracles say, by name of the diagnosis; the worst of several counts."""
    application = workspace.factory.application(problem.application)
    parts = application.components()
    ground_truths = solution(problem, workspace=workspace).ground_truths
    if not ground_truths:
        return {}
    told = {
        RIGHT: (" ".join(truth.sentence() for truth in ground_truths), None),
        **wrong_diagnoses(ground_truths, application),
    }
    judges = [workspace.factory.oracle(name) for name in problem.oracles.diagnosis]
    said = {
        name: [
            judge.judge_diagnosis(text, claims, ground_truths, parts).outcome
            for judge in judges
            if isinstance(judge, DiagnosisOracle)
        ]
        for name, (text, claims) in told.items()
    }
    return {name: min(found, key=partial(_rightly, name)) for name, found in said.items() if found}


def _rightly(name: str, outcome: Outcome) -> bool:
    """Whether it came out as it should; what did not sorts first."""
    return (outcome is Outcome.PASS) is (name == RIGHT)


def main() -> int:
    """Judge, tell what is wrong, and count."""
    workspace = Workspace(Settings())
    wanted = set(sys.argv[1:])
    counted: Counter[tuple[str, Outcome]] = Counter()
    mistakes = 0
    for problem in problems(workspace=workspace):
        if wanted and problem.application not in wanted:
            continue
        for name, outcome in outcomes(problem, workspace).items():
            counted[name, outcome] += 1
            if not _rightly(name, outcome):
                mistakes += 1
                print(f"{problem.id}: {name}: {outcome}", flush=True)
    for (name, outcome), number in sorted(counted.items()):
        print(f"{name:28} {outcome:10} {number:5}")
    print(f"{mistakes} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
