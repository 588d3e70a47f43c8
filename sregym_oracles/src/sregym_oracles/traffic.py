"""Checks of what users see, against what they saw in the baseline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sregym_core.model import Check, Outcome

if TYPE_CHECKING:
    from sregym_core.interfaces.application import OperationTraffic, Traffic

# A load generator that was not touched keeps its rate within this share, slow answers included.
MIN_LOAD_SHARE = 0.8
# Of a rate that chance makes greater and smaller: beyond so many spreads it is no accident.
SPREADS = 3.0
SUCCESS_MARGIN = 0.01
# So many expected requests make silence no accident: with ten, chance explains it once in 20000.
MIN_EXPECTED = 10.0
# Beyond that many, an operation that is asked for less than this share of what is expected counts as silent:
# with 40 expected requests, chance gives seven or fewer less than once in a million times.
MIN_OPERATION_SHARE = 0.25
MIN_REQUESTS = 2


def load_running(baseline: Traffic, window: Traffic, name: str = "load-running") -> Check:
    """The load generator still sends as many requests as in the baseline, and for the same operations."""
    if baseline.requests == 0 or baseline.seconds <= 0:
        return Check(
            name=name,
            outcome=Outcome.ERROR,
            expected="a baseline in which users ask for something",
            got="a baseline without a single request",
            detail="the world was not right before the fault; raise timing.warm_up_s or repair the load generator",
        )
    rate = baseline.requests / baseline.seconds
    least = min(MIN_LOAD_SHARE * rate, _by_chance(rate, baseline.seconds, window.seconds))
    share = f"{MIN_LOAD_SHARE:.0%}" if least == MIN_LOAD_SHARE * rate else "what chance leaves"
    expected = f"at least {least:.2f} requests/s, {share} of the baseline's {rate:.2f}"
    got_rate = window.requests / window.seconds if window.seconds > 0 else 0.0
    silent = _silent(baseline, window)
    got = f"{got_rate:.2f} requests/s over {window.seconds:g} s"
    if silent:
        got += f", too few for {', '.join(silent)}"
    good = got_rate >= least and not silent
    outcome = Outcome.PASS if good else Outcome.FAIL
    return Check(name=name, outcome=outcome, expected=expected, got=got)


def _by_chance(rate: float, baseline_s: float, window_s: float) -> float:
    """The rate that a window of an untouched load hardly ever falls below: few users ask unevenly."""
    if window_s <= 0:
        return rate
    spread = math.sqrt(rate / baseline_s + rate / window_s)
    return max(0.0, rate - SPREADS * spread)


def _silent(baseline: Traffic, window: Traffic) -> list[str]:
    """Operations that hardly anybody asked for although many requests were to be expected."""
    silent = []
    for name, before in sorted(baseline.operations.items()):
        expected = before.requests / baseline.seconds * window.seconds
        now = window.operations.get(name)
        asked = 0 if now is None else now.requests
        if expected >= MIN_EXPECTED and asked <= MIN_OPERATION_SHARE * (expected - MIN_EXPECTED):
            silent.append(name)
    return silent


def success_rate(baseline: Traffic, window: Traffic, name: str = "success-rate") -> Check:
    """As many requests succeed as in the baseline, over all and for each operation.

    The margin is one percentage point. For an operation it is rounded up to whole requests, so
    that one unlucky request of a rare operation does not decide; two requests make it count.
    """
    floor = baseline.success_rate - SUCCESS_MARGIN
    expected = f"at least {floor:.4f} of requests succeed, over all and for each operation"
    wrong = []
    if window.success_rate < floor:
        wrong.append(f"{window.success_rate:.4f} over all")
    for operation, now in sorted(window.operations.items()):
        before = baseline.operations.get(operation)
        if before and before.requests and _worse(before, now):
            wrong.append(f"{operation}: {now.ok} of {now.requests}, was {before.success_rate:.4f}")
    got = "; ".join(wrong) if wrong else f"{window.success_rate:.4f} of {window.requests} requests"
    return Check(
        name=name, outcome=Outcome.FAIL if wrong else Outcome.PASS, expected=expected, got=got
    )


def _worse(before: OperationTraffic, now: OperationTraffic) -> bool:
    if now.requests < MIN_REQUESTS:
        return False
    # The rounding keeps 0.01 * 100 from becoming 2 by a floating-point hair.
    share = 1.0 - before.success_rate + SUCCESS_MARGIN
    return now.requests - now.ok > math.ceil(round(share * now.requests, 9))
