"""Episodes by hand: what a figure is to say of them is known without computing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.model import Outcome

from sregym_statistics import Conduct, EpisodeFacts, ProblemFacts

Make = Callable[..., EpisodeFacts]


@pytest.fixture
def episode() -> Make:
    """Makes an episode: problem, agent, and whether both stages passed."""
    return _episode


def _episode(
    problem: str, agent: str, diagnosis: bool | None, mitigation: bool | None, **fields: Any
) -> EpisodeFacts:
    whole = None if None in (diagnosis, mitigation) else bool(diagnosis and mitigation)
    outcome = {True: Outcome.PASS, False: Outcome.FAIL, None: Outcome.UNDECIDED}[whole]
    given: dict[str, Any] = {
        "problem": ProblemFacts(problem, "shop", "network", ("lite",), "new"),
        "agent": agent,
        "mode": "standard",
        "noise": "none",
        "seed": 0,
        "attempt": 1,
        "informed": False,
        "outcome": outcome,
        "diagnosis": diagnosis,
        "mitigation": mitigation,
        "e2e": whole,
        "undecided": whole is None,
        "ttd_s": 60.0 if diagnosis else None,
        "ttm_s": 90.0 if mitigation else None,
        "tokens": None,
        "cost": None,
        "steps": 4,
        "wall_s": 1.0,
        "conduct": Conduct(),
    }
    return EpisodeFacts(**{**given, **fields})
