"""Options of runs: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

import pytest
from sregym_core.errors import UsageError
from sregym_core.model import FaultRef, Problem, Timing
from sregym_runs.run_options import timed

PROBLEM = Problem(
    id="p",
    title="P",
    application="shop",
    layer="application",
    faults=(FaultRef(fault="f", target="t"),),
    timing=Timing(settle_s=7.0),
)


def test_durations_replace_those_of_problems() -> None:
    [changed] = timed((PROBLEM,), ["window_s=10", "warm_up_s=0.5"])
    assert changed.timing == Timing(settle_s=7.0, window_s=10.0, warm_up_s=0.5)
    assert timed((PROBLEM,), []) == (PROBLEM,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "pause_s=1",
            "--timing pause_s=1: there is no such duration; known: warm_up_s, settle_s, repair_s, "
            "window_s, relapse_s",
        ),
        ("window_s=0", "--timing window_s=0: a number of seconds above 0 is needed, not '0'"),
    ],
)
def test_no_such_duration(given: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        timed((PROBLEM,), [given])
    assert str(refused.value) == message
