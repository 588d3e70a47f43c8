"""Work that takes too long ends, in whatever thread it is and whatever it is at."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from sregym_core.interfaces import run_with_deadline


def _endless() -> str:
    while True:
        pass


def _stubborn() -> str:
    while True:
        try:
            _endless()
        except Exception:
            continue


def _in_main(work: Callable[[], Any]) -> Any:
    return work()


def _in_thread(work: Callable[[], Any]) -> Any:
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(work()))
    thread.start()
    thread.join()
    return results[0]


@pytest.fixture(params=[_in_main, _in_thread])
def anywhere(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("work", [_endless, _stubborn])
def test_what_computes_for_ever_ends(anywhere: Any, work: Callable[[], str]) -> None:
    began = time.monotonic()
    assert anywhere(lambda: run_with_deadline(work, 0.1, lambda: "late")) == "late"
    assert time.monotonic() - began < 2.0


def test_what_is_in_time_is_given(anywhere: Any) -> None:
    assert anywhere(lambda: run_with_deadline(lambda: "done", 5.0, lambda: "late")) == "done"


def test_without_any_time_nothing_is_begun() -> None:
    begun: list[str] = []
    assert run_with_deadline(lambda: begun.append("it"), 0.0, lambda: None) is None
    assert begun == []


def test_the_inner_bound_ends_only_its_own_work(anywhere: Any) -> None:
    def work() -> str:
        return run_with_deadline(_endless, 0.1, lambda: "inner") + " and on"

    assert anywhere(lambda: run_with_deadline(work, 5.0, lambda: "outer")) == "inner and on"


def test_the_outer_bound_ends_what_the_inner_one_would_let_go_on(anywhere: Any) -> None:
    def work() -> str:
        return run_with_deadline(_endless, 30.0, lambda: "inner")

    assert anywhere(lambda: run_with_deadline(work, 0.1, lambda: "outer")) == "outer"


def test_the_outer_bound_still_holds_after_an_inner_one(anywhere: Any) -> None:
    def work() -> str:
        run_with_deadline(_endless, 0.05, lambda: "inner")
        return _endless()

    assert anywhere(lambda: run_with_deadline(work, 0.2, lambda: "outer")) == "outer"


def test_cpu_time_is_counted_where_it_is_asked_for(anywhere: Any) -> None:
    def work() -> str:
        # While others have the CPU, none of it counts.
        threading.Event().wait(0.4)
        return "done"

    assert anywhere(lambda: run_with_deadline(work, 0.2, lambda: "late", cpu=True)) == "done"
    assert anywhere(lambda: run_with_deadline(_endless, 0.2, lambda: "late", cpu=True)) == "late"


def test_a_bound_of_cpu_time_lets_one_of_wall_time_end_its_own_work(anywhere: Any) -> None:
    def work() -> str:
        return run_with_deadline(
            lambda: str(threading.Event().wait(0.6)), 0.5, lambda: "inner", cpu=True
        )

    assert anywhere(lambda: run_with_deadline(work, 0.2, lambda: "outer")) == "outer"


def test_matching_and_waiting_are_ended_in_the_main_thread() -> None:
    def match() -> object:
        return re.match(r"(a+)+$", "a" * 40 + "b")

    assert run_with_deadline(match, 0.1, lambda: "late") == "late"
    assert run_with_deadline(lambda: threading.Event().wait(60), 0.1, lambda: "late") == "late"


def test_an_error_passes_and_leaves_no_timer() -> None:
    before = signal.getsignal(signal.SIGALRM)

    def work() -> str:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_with_deadline(work, 5.0, lambda: "late")
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
