"""Faults of nodes are proved as problems: also when their own target moves to another node."""

from __future__ import annotations

import pytest
from sregym_core.api import pair, verify


@pytest.mark.parametrize("seed", [0, 3])
def test_a_full_disk_is_proved(seed: int) -> None:
    # The pods of geo are evicted and come up elsewhere: a later episode must not choose that node.
    problem = pair("node-disk-full", "hotel-reservation", "the node that runs geo")
    proof = verify(problem, seed=seed)
    assert [check for check in proof.checks if not check.ok] == []
