"""When a clock looks at a condition, on virtual time."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import Clock


class Stepped(Clock):
    """Passes by what it is told, from 100."""

    def __init__(self) -> None:
        self.time = 100.0

    def now(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds


@pytest.mark.parametrize(
    ("true_from", "timeout_s", "poll_s", "came_true", "looks"),
    [
        (100.0, 0.0, 1.0, True, [100.0]),
        (101.0, 0.0, 1.0, False, [100.0]),
        (102.0, 9.0, 1.0, True, [100.0, 101.0, 102.0]),
        (103.0, 5.0, 2.0, True, [100.0, 102.0, 104.0]),
        (105.0, 5.0, 2.0, True, [100.0, 102.0, 104.0, 105.0]),
        (106.0, 5.0, 2.0, False, [100.0, 102.0, 104.0, 105.0]),
    ],
)
def test_a_condition_is_looked_at_now_each_poll_and_at_the_end(
    true_from: float, timeout_s: float, poll_s: float, came_true: bool, looks: list[float]
) -> None:
    clock, looked = Stepped(), []

    def condition() -> bool:
        looked.append(clock.now())
        return clock.now() >= true_from

    assert clock.wait_until(condition, timeout_s, poll_s) is came_true
    assert looked == looks
