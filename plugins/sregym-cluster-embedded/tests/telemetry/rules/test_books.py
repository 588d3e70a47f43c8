"""What one copy evaluated is known to others, whatever moment each is asked about."""

from __future__ import annotations

from collections.abc import Mapping

from sregym_cluster_embedded.telemetry.rules.alerts import ActiveAlert
from sregym_cluster_embedded.telemetry.rules.books import AlertBook, Books, Shared
from sregym_promql.storage import Labels

RULE = ("file", "group", "rule")


def book(first: int, count: int) -> AlertBook:
    states = {
        first + number * 30: {(): ActiveAlert(first, float(number))} for number in range(count)
    }
    return AlertBook(
        first, 30, first + (count - 1) * 30, dict[int, Mapping[Labels, ActiveAlert]](states)
    )


def sharing(shared: Shared) -> Books:
    found = Books()
    found.found = lambda: shared
    return found


def test_a_book_is_found_by_those_that_begin_within_it() -> None:
    shared: Shared = {}
    sharing(shared).put(RULE, book(60, 1))
    sharing(shared).put(RULE, book(300, 2))
    other = sharing(shared)
    assert other.get(RULE, 30) is None
    assert other.get(RULE, 60) == book(60, 1)
    assert sharing(shared).get(RULE, 330) == book(300, 2)
    # A longer one takes the place of those that it knows.
    sharing(shared).put(RULE, book(0, 20))
    assert shared == {RULE: (book(0, 20),)}
    assert other.get(RULE, 60) == book(0, 20)


def test_who_writes_on_in_a_book_changes_it_for_nobody_else() -> None:
    shared: Shared = {}
    one, other = sharing(shared), sharing(shared)
    own = book(0, 2)
    one.put(RULE, own)
    own.states[60] = {}
    copied = other.get(RULE, 0)
    assert copied == book(0, 2)
    copied.states.clear()
    assert shared == {RULE: (book(0, 2),)}


def test_only_the_last_books_of_a_rule_are_shared() -> None:
    shared: Shared = {}
    for number in range(12):
        sharing(shared).put(RULE, book(number * 60, 1))
    assert [one.first for one in shared[RULE]] == [number * 60 for number in range(4, 12)]


def test_a_book_tells_of_the_evaluations_of_a_span_at_which_something_was() -> None:
    quiet = book(300, 2)
    quiet.first, quiet.last = 0, 3_000_000
    assert [*quiet.between(300, 329)] == [(300, {(): ActiveAlert(300, 0.0)})]
    assert [step for step, _ in quiet.between(0, 3_000_000)] == [300, 330]
    assert [*quiet.between(360, 3_000_000)] == []
