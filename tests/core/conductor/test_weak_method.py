"""Methods that do not keep their object alive."""

from __future__ import annotations

import gc
from weakref import ref

import pytest
from sregym_core.conductor.weak_method import weak_method


class _Counter:
    """Refers to itself by its own method, as an episode does by its session."""

    def __init__(self) -> None:
        self.count = weak_method(self._count)

    def _count(self, start: int, *, step: int) -> int:
        return start + step


def test_an_object_goes_at_once_though_it_refers_to_itself() -> None:
    gc.disable()
    try:
        counter = _Counter()
        count, there = counter.count, ref(counter)
        assert count(3, step=2) == 5
        del counter
        assert there() is None
    finally:
        gc.enable()
    with pytest.raises(ReferenceError) as caught:
        count(3, step=2)
    assert str(caught.value) == (
        "the episode is gone: keep its environment for as long as its session is used"
    )
