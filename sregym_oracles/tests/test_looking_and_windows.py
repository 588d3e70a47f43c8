"""Checks from looks, and windows on a clock."""

from __future__ import annotations

import pytest
from sregym_core.interfaces import ClusterError
from sregym_core.model import Check, Outcome
from sregym_testing import MemoryClock, prove_two_sided

from sregym_oracles import Window, WindowResult, check_from_findings, first_bad, watch_window

BAD = Check(name="ready", outcome=Outcome.FAIL, expected="ready", got="not ready")
GOOD = Check(name="ready", outcome=Outcome.PASS, expected="ready", got="ready")


def test_an_empty_list_of_findings_passes() -> None:
    assert check_from_findings("all-there", "two of them", list, good="both") == Check(
        name="all-there", outcome=Outcome.PASS, expected="two of them", got="both"
    )


def test_findings_fail_and_a_long_list_is_cut() -> None:
    check = check_from_findings("all-there", "all", lambda: [f"{n} is gone" for n in range(7)])
    assert check.outcome is Outcome.FAIL
    assert check.got == "0 is gone; 1 is gone; 2 is gone; 3 is gone; 4 is gone; and 2 more"


def raising(error: ClusterError) -> list[str]:
    raise error


def test_what_is_not_found_is_a_fail_and_what_cannot_be_read_an_error() -> None:
    missing = ClusterError(404, "NotFound", 'services "geo" not found')
    silent = ClusterError(0, "", "connection refused")
    assert check_from_findings("x", "y", lambda: raising(missing)) == Check(
        name="x", outcome=Outcome.FAIL, expected="y", got='services "geo" not found'
    )
    assert check_from_findings("x", "y", lambda: raising(silent)) == Check(
        name="x",
        outcome=Outcome.ERROR,
        expected="y",
        got="the cluster could not be read: connection refused",
        detail="this says nothing about the repair; play the episode again on a cluster that answers",
    )


def test_first_bad_looks_no_further() -> None:
    looked: list[str] = []

    def probe(name: str, check: Check) -> Check:
        looked.append(name)
        return check

    found = first_bad([lambda: probe("a", GOOD), lambda: probe("b", BAD), lambda: probe("c", GOOD)])
    assert (found, looked) == (BAD, ["a", "b"])
    assert first_bad([lambda: GOOD]) is None


def true_between(clock: MemoryClock, start_s: float, end_s: float) -> Check | None:
    return None if start_s <= clock.now() - START <= end_s else BAD


START = MemoryClock().now()
WINDOW = Window(window_s=60, repair_s=30, poll_s=7)


@pytest.mark.parametrize(
    ("start_s", "end_s", "expected", "got"),
    [
        (0, 999, WindowResult(True, 0), "it held, 0 s after the judging began"),
        (20, 999, WindowResult(True, 21), "it held, 21 s after the judging began"),
        (30, 999, WindowResult(True, 30), "it held, 30 s after the judging began"),
        (31, 999, WindowResult(False, 30), "it did not come true within 30 s"),
        (0, 59, WindowResult(True, 0, BAD, 60), "ready broke after 60 s: not ready"),
        (0, 20, WindowResult(True, 0, BAD, 21), "ready broke after 21 s: not ready"),
    ],
)
def test_hold(start_s: float, end_s: float, expected: WindowResult, got: str) -> None:
    clock = MemoryClock()
    held = watch_window(clock, lambda: true_between(clock, start_s, end_s), WINDOW)
    assert held == expected
    assert held.check("stays", WINDOW) == Check(
        name="stays",
        outcome=Outcome.PASS if expected.recovered and not expected.broken else Outcome.FAIL,
        expected="all of it at every look for 60 s",
        got=got,
    )
    # The window is played to its end, so that traffic over it always covers the same time.
    assert clock.now() - START == expected.waited_s + (60 if expected.recovered else 0)


def test_a_brief_hold_ends_when_the_condition_breaks() -> None:
    clock = MemoryClock()
    held = watch_window(clock, lambda: true_between(clock, 0, 20), WINDOW, brief=True)
    assert (held, clock.now() - START) == (WindowResult(True, 0, BAD, 21), 21)


def test_waiting_may_look_less_often_than_the_window() -> None:
    clock = MemoryClock()
    window = Window(window_s=10, repair_s=30, poll_s=5, repair_poll_s=12)
    assert watch_window(clock, lambda: true_between(clock, 1, 999), window) == WindowResult(
        True, 12
    )


def test_a_one_sided_proof_is_refused() -> None:
    with pytest.raises(ValueError) as caught:
        prove_two_sided(lambda context: None, {}, {"broken": lambda: None})  # type: ignore[arg-type,return-value]
    assert str(caught.value) == (
        "a two-sided proof needs at least one healthy and one broken system"
    )
