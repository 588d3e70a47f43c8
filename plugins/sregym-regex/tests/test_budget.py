"""Budgets: what ends work, and what it has cost until then."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sregym_regex import (
    Budget,
    CancelledError,
    OutOfMemoryError,
    OutOfStepsError,
    globs,
    go,
    perl,
    posix,
    under,
)
from sregym_regex.budget import allocate, cached, portion, spend

ENDLESS = (r"(a*)*\1b", "a" * 40)


def test_work_ends_at_the_same_step_everywhere() -> None:
    pattern = perl.compiled(ENDLESS[0])
    spent = []
    for _ in range(2):
        with under(Budget(steps=5_000, memory_bytes=1 << 20)) as budget:
            with pytest.raises(OutOfStepsError):
                pattern.search(ENDLESS[1])
            spent.append(budget.spent)
    assert spent[0] == spent[1] > 5_000


def test_memory_is_asked_for_before_it_is_filled() -> None:
    with under(Budget(steps=1_000, memory_bytes=100)), pytest.raises(OutOfMemoryError):
        allocate(101)


def test_work_is_cancelled_from_another_thread() -> None:
    pattern = perl.compiled(ENDLESS[0])
    with under(Budget(steps=1_000_000, memory_bytes=1 << 20)) as budget:
        spend(10)
        other = threading.Thread(target=budget.cancel)
        other.start()
        other.join()
        with pytest.raises(CancelledError):
            pattern.search(ENDLESS[1])
        assert budget.spent == 10


def test_a_part_has_half_of_what_is_left() -> None:
    with under(Budget(steps=100, memory_bytes=0)):
        spend(20)
        with portion(), pytest.raises(OutOfStepsError):
            spend(41)
        spend(39)
        with pytest.raises(OutOfStepsError):
            spend()


def test_an_inner_budget_does_not_replace_the_outer_one() -> None:
    outer = Budget(steps=10, memory_bytes=0)
    with under(outer), under(Budget(steps=1_000, memory_bytes=0)) as inner:
        assert inner is outer
    spend(1_000)


@pytest.mark.parametrize(
    "compiled", [globs.compiled, go.anywhere, go.compiled, perl.compiled, posix.compiled]
)
def test_a_pattern_costs_the_same_whoever_has_asked_for_it_before(compiled: Any) -> None:
    text = f"[a-c]*{compiled.__module__}{compiled.__name__}"  # of this test alone
    costs = []
    for _ in range(2):
        with under(Budget(steps=10_000, memory_bytes=1 << 20)) as budget:
            compiled(text)
            costs.append((budget.spent, budget.allocated_bytes))
    assert costs[0] == costs[1] > (0, 0)


def test_what_is_known_ends_work_where_it_would_have_the_first_time() -> None:
    @cached(4)
    def answer(text: str) -> str:
        spend(3)
        allocate(2048)
        spend(3)
        return text.upper()

    assert answer("x") == "X"  # where nothing is limited it costs nothing, and has its price
    for steps, spent in ((8, 8), (7, 8), (4, 5), (2, 3)):
        with under(Budget(steps=steps, memory_bytes=4096)) as budget:
            if steps == 8:
                assert answer("x") == "X"
            else:
                with pytest.raises(OutOfStepsError):
                    answer("x")
            assert budget.spent == spent
    with under(Budget(steps=100, memory_bytes=100)) as small:
        with pytest.raises(OutOfMemoryError):
            answer("x")
        assert small.spent == 3
