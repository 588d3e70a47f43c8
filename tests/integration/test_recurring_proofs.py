"""Proofs with repairs that somebody in a hurry makes: they do not last, or leave more broken."""

from __future__ import annotations

import pytest
from sregym_core.api import problems, verify
from sregym_runs import pair


def test_repairing_the_victim_alone_does_not_pass() -> None:
    proof = verify(pair("actor-recurring", "hotel-reservation", "recommendation"))
    assert [check for check in proof.checks if not check.ok] == []
    hasty = next(check for check in proof.checks if check.name == "hasty-fix-fails")
    assert "recommendation" in hasty.detail


@pytest.mark.thorough
def test_what_everybody_would_try_first_leaves_more_broken() -> None:
    (chosen,) = [one for one in problems() if one.id == "taken_away_by_a_restart"]
    proof = verify(chosen)
    assert [check for check in proof.checks if not check.ok] == []
    harm = next(check for check in proof.checks if check.name == "hasty-repair-harms")
    assert harm.got.startswith("worse: ")
    assert "workloads-ready" in harm.got
