"""Faults of nodes are proved as problems: also when their own target moves to another node."""

from __future__ import annotations

import pytest
from sregym_core.api import verify
from sregym_runs import pair


@pytest.mark.parametrize("seed", [0, 3])
def test_a_full_disk_is_proved(seed: int) -> None:
    # The pods of geo are evicted and come up elsewhere: a later episode must not choose that node.
    problem = pair("node-disk-full", "hotel-reservation", "the node that runs geo")
    proof = verify(problem, seed=seed)
    assert [check for check in proof.checks if not check.ok] == []


def test_who_writes_to_the_secret_of_a_fault_does_no_harm() -> None:
    """The clock's fault gives a certificate of an Ingress other dates: the battery's harm is elsewhere."""
    problem = pair("node-clock-ahead", "hotel-reservation-ingress", "the node that runs hotel-load")
    proof = verify(problem)
    assert [check for check in proof.checks if not check.ok] == []
