"""Tasks that wait for workers, so that each worker goes on with what it is prepared for."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable

T = TypeVar("T")


class Waiting(Generic[T]):
    """Tasks by kind; who has done one of a kind does the next of it with less preparation.

    Args:
        tasks: Of each kind in the order in which they are begun; kinds in the order of their first.
        kind: Tells it.
    """

    def __init__(self, tasks: Iterable[T], kind: Callable[[T], Hashable]) -> None:
        self._left: dict[Hashable, deque[T]] = {}
        self._begun: set[Hashable] = set()
        for task in tasks:
            self._left.setdefault(kind(task), deque()).append(task)

    def __bool__(self) -> bool:
        return bool(self._left)

    def clear(self) -> None:
        """None is to be done any more."""
        self._left.clear()

    def take(self, known: Collection[Hashable]) -> tuple[Hashable, T]:
        """The next task of a worker that has done tasks of some kinds already, and its kind.

        One of these; else one of the first kind of which no worker has done any; else one of the kind of
        which most are left.
        """
        kind = next((one for one in self._left if one in known), None)
        if kind is None:
            kind = next((one for one in self._left if one not in self._begun), None)
        if kind is None:
            kind = max(self._left, key=lambda one: len(self._left[one]))
        self._begun.add(kind)
        tasks = self._left[kind]
        task = tasks.popleft()
        if not tasks:
            del self._left[kind]
        return kind, task
