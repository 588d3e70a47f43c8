"""Who has done a task of one kind goes on with that kind; then with one that nobody has begun."""

from __future__ import annotations

from sregym_runs.waiting import Waiting


def kind_of(task: str) -> str:
    return task[0]


def test_each_goes_on_with_what_it_knows_and_helps_where_most_is_left() -> None:
    waiting = Waiting(["a1", "b1", "a2", "a3", "a4", "c1", "b2"], kind_of)
    one, two = set[object](), set[object]()
    taken = []
    for known in (one, two, one, two, two, two, one):
        assert waiting
        kind, task = waiting.take(known)
        known.add(kind)
        taken.append(task)
    # The second is through with b, begins c, which nobody has begun, and then helps with a.
    assert taken == ["a1", "b1", "a2", "b2", "c1", "a3", "a4"]
    assert not waiting


def test_without_kinds_the_order_is_kept() -> None:
    waiting = Waiting([3, 1, 2], lambda _task: None)
    assert [waiting.take(())[1] for _ in range(3)] == [3, 1, 2]


def test_what_is_given_up_is_taken_by_nobody() -> None:
    waiting = Waiting([1, 2], lambda _task: None)
    waiting.clear()
    assert not waiting
