"""A fault that an automation repeats is proved with the repair that forgets the automation."""

from __future__ import annotations

from sregym_core.api import pair, verify


def test_repairing_the_victim_alone_does_not_pass() -> None:
    proof = verify(pair("actor-recurring", "hotel-reservation", "recommendation"))
    assert [check for check in proof.checks if not check.ok] == []
    hasty = next(check for check in proof.checks if check.name == "hasty-fix-fails")
    assert "recommendation" in hasty.detail
