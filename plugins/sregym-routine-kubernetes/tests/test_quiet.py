"""When applications are deployed."""

from __future__ import annotations

from sregym_routine_kubernetes.schedule import quiet_before


def test_no_application_is_deployed_at_a_round_second() -> None:
    quiets = [quiet_before(seed) for seed in range(50)]
    assert [quiet for quiet in quiets if int(quiet) % 5 == 0 and quiet % 5 < 0.6] == []
    assert len(set(quiets)) == 50
