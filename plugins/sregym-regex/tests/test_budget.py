"""Budgets: what ends work, and what it has cost until then."""

from __future__ import annotations

import threading

import pytest
from sregym_regex import Budget, CancelledError, OutOfMemoryError, OutOfStepsError, perl, under
from sregym_regex.budget import allocate, portion, spend

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
