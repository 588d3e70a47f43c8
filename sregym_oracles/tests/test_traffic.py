"""What users see, against the baseline."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import OperationTraffic, Traffic
from sregym_core.model import Check, Outcome

from sregym_oracles import load_running, success_rate


def traffic(seconds: float = 100.0, **operations: tuple[int, int]) -> Traffic:
    return Traffic(seconds, {n: OperationTraffic(*counts) for n, counts in operations.items()})


BASELINE = traffic(100, search=(900, 900), reserve=(100, 99))


@pytest.mark.parametrize(
    ("window", "outcome", "got"),
    [
        (traffic(50, search=(450, 0), reserve=(50, 0)), "pass", "10.00 requests/s over 50 s"),
        (traffic(50, search=(360, 0), reserve=(40, 0)), "pass", "8.00 requests/s over 50 s"),
        (traffic(50, search=(359, 0), reserve=(40, 0)), "fail", "7.98 requests/s over 50 s"),
        (traffic(50, search=(500, 0)), "fail", "10.00 requests/s over 50 s, too few for reserve"),
        (
            traffic(50, search=(440, 0), reserve=(10, 0)),
            "fail",
            "9.00 requests/s over 50 s, too few for reserve",
        ),
        (traffic(50, search=(440, 0), reserve=(11, 0)), "pass", "9.02 requests/s over 50 s"),
        (traffic(0), "fail", "0.00 requests/s over 0 s"),
    ],
)
def test_load_running(window: Traffic, outcome: str, got: str) -> None:
    assert load_running(BASELINE, window) == Check(
        name="load-running",
        outcome=Outcome(outcome),
        expected="at least 8.00 requests/s, 80% of the baseline's 10.00",
        got=got,
    )


@pytest.mark.parametrize(
    ("asked", "outcome", "got"),
    [(160, "pass", "3.20"), (107, "pass", "2.14"), (79, "pass", "1.58"), (78, "fail", "1.56")],
)
def test_few_users_ask_unevenly(asked: int, outcome: str, got: str) -> None:
    window = traffic(50, search=(asked, asked))
    assert load_running(traffic(30, search=(81, 81)), window) == Check(
        name="load-running",
        outcome=Outcome(outcome),
        expected="at least 1.56 requests/s, what chance leaves of the baseline's 2.70",
        got=f"{got} requests/s over 50 s",
    )


def test_a_baseline_without_users_is_an_error_of_the_world() -> None:
    assert load_running(traffic(60), BASELINE) == Check(
        name="load-running",
        outcome=Outcome.ERROR,
        expected="a baseline in which users ask for something",
        got="a baseline without a single request",
        detail=(
            "the world was not right before the fault; "
            "raise timing.warm_up_s or repair the load generator"
        ),
    )


@pytest.mark.parametrize(
    ("window", "outcome", "got"),
    [
        (traffic(search=(900, 900), reserve=(100, 100)), "pass", "1.0000 of 1000 requests"),
        (traffic(search=(900, 891), reserve=(100, 98)), "pass", "0.9890 of 1000 requests"),
        (
            traffic(search=(900, 890), reserve=(100, 100)),
            "fail",
            "search: 890 of 900, was 1.0000",
        ),
        (
            traffic(search=(9000, 9000), reserve=(6, 0)),
            "fail",
            "reserve: 0 of 6, was 0.9900",
        ),
        (traffic(search=(9000, 9000), reserve=(6, 5)), "pass", "0.9999 of 9006 requests"),
        (traffic(search=(9000, 9000), reserve=(1, 0)), "pass", "0.9999 of 9001 requests"),
        (
            traffic(search=(900, 450), reserve=(100, 100)),
            "fail",
            "0.5500 over all; search: 450 of 900, was 1.0000",
        ),
        (traffic(), "fail", "0.0000 over all"),
    ],
)
def test_success_rate(window: Traffic, outcome: str, got: str) -> None:
    assert success_rate(BASELINE, window) == Check(
        name="success-rate",
        outcome=Outcome(outcome),
        expected="at least 0.9890 of requests succeed, over all and for each operation",
        got=got,
    )
