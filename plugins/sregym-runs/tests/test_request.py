"""Which episodes a run consists of."""

from __future__ import annotations

from sregym_core.model import FaultRef, Problem
from sregym_runs.request import RunRequest


def test_everything_is_played_at_each_level_with_the_same_seeds() -> None:
    fault = FaultRef(fault="port", target="cart")
    problem = Problem(id="p", title="P", application="shop", layer="kubernetes", faults=(fault,))
    request = RunRequest((problem,), ("a",), seed=5, attempts=2, noise_levels=(0, 2))
    found = [(e.episode, e.seed, e.problem.noise_level) for e in request.assignments()]
    assert found == [("e0001", 5, 0), ("e0002", 5, 2), ("e0003", 6, 0), ("e0004", 6, 2)]
