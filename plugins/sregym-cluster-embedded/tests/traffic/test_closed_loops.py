"""Users who wait for answers: how soon their rate is found that the answers allow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sregym_cluster_embedded.traffic.closed_loops import approached
from sregym_cluster_embedded.traffic.flow_state import FlowState
from sregym_cluster_embedded.traffic.structure import Structure

STILL = 1e-7


def light(rate: float) -> float:
    """Ten users who think for a second, and answers that hardly depend on how many come."""
    return 10 / (1 + 0.05 + 1e-4 * rate)


def full(rate: float) -> float:
    """Sixty users who think for a second, at a server that can do fifty requests a second."""
    return 60 / (1 + 0.02 / (1 - min(rate / 50, 0.98)))


def rounds(wanted: Callable[[float], float], *, steady: bool) -> tuple[int, float]:
    """How many rounds it takes until a rate changes no more, and that rate."""
    numbers = FlowState(Structure())
    numbers.sent, numbers.gain, numbers.swing = [0.0], [0.5], [0.0]
    for count in range(1, 1000):
        rate, change = approached(numbers, 0, wanted(numbers.sent[0]), steady=steady)
        first, numbers.sent = not numbers.sent[0], [rate]
        if not first and change <= STILL:
            return count, rate
    raise AssertionError("it never came to rest")


@pytest.mark.parametrize(("wanted", "most"), [(light, 6), (full, 9)])
def test_a_steady_loop_is_found_in_a_few_rounds(
    wanted: Callable[[float], float], most: int
) -> None:
    count, rate = rounds(wanted, steady=True)
    careful, same = rounds(wanted, steady=False)
    assert rate == pytest.approx(wanted(rate), rel=1e-6)
    assert rate == pytest.approx(same, rel=1e-6)
    assert count <= most < careful


def test_a_loop_that_cannot_ask_yet_takes_what_is_wanted() -> None:
    numbers = FlowState(Structure())
    numbers.sent, numbers.gain, numbers.swing = [0.0, 3.0], [0.5, 0.5], [0.0, 0.0]
    assert approached(numbers, 0, 7.0, steady=True) == (7.0, 0.0)
    assert approached(numbers, 1, 0.0, steady=True) == (0.0, 0.0)
    assert (numbers.gain, numbers.swing) == ([0.5, 0.5], [0.0, 0.0])
