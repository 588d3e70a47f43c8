"""The event heap: plain tuples in virtual time, so that it can be copied, printed and compared.

An event names its handler instead of holding a function. A copy of the heap therefore belongs to
whatever world runs it, which is what makes forking a cluster a shallow copy.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One thing that will happen: ordered by time, then by the order of scheduling."""

    at: float
    sequence: int
    handler: str
    arguments: tuple[Any, ...]


class EventHeap:
    """Virtual seconds since the start of the world, and what is still to happen.

    Attributes:
        now: Virtual seconds since the world began. Only `pop` and `move_to` change it.
    """

    __slots__ = ("_cancelled", "_heap", "_sequence", "now")

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[Event] = []
        self._sequence = 0
        self._cancelled: set[int] = set()

    def __len__(self) -> int:
        return len(self._heap) - len(self._cancelled)

    def schedule(self, at: float, handler: str, *arguments: Any) -> int:
        """Add an event at virtual second `at` (never before now); returns a ticket to cancel it."""
        self._sequence = sequence = self._sequence + 1
        # What `Event(...)` does, without a call between: there is one for everything that happens.
        planned = (at if at > self.now else self.now, sequence, handler, arguments)
        heappush(self._heap, tuple.__new__(Event, planned))
        return sequence

    def cancel(self, ticket: int) -> None:
        """Forget an event that is still to come.

        The ticket must be of an event that has not run: who schedules keeps account of that.
        """
        self._cancelled.add(ticket)

    def next_at(self) -> float | None:
        """Virtual second of the next event, or None when nothing is planned."""
        if self._cancelled:
            self._drop_cancelled()
        return self._heap[0].at if self._heap else None

    def pop(self) -> Event:
        """Take the next event and move time to it."""
        if self._cancelled:
            self._drop_cancelled()
        event = heappop(self._heap)
        if event.at > self.now:
            self.now = event.at
        return event

    def pop_until(self, at: float) -> Event | None:
        """Take the next event up to and including `at` and move time to it; None: there is none."""
        if self._cancelled:
            self._drop_cancelled()
        if not self._heap or self._heap[0][0] > at:
            return None
        event = heappop(self._heap)
        if event[0] > self.now:
            self.now = event[0]
        return event

    def move_to(self, at: float) -> None:
        """Let time pass to `at` without running anything; the caller has run what lies before."""
        self.now = max(self.now, at)

    def pending(self) -> list[Event]:
        """All events still to come, in order: for failure reports and digests."""
        return sorted(event for event in self._heap if event.sequence not in self._cancelled)

    def fork(self) -> EventHeap:
        """A copy that shares no mutable state with this heap."""
        twin = EventHeap()
        twin.now = self.now
        twin._heap = self._heap.copy()
        twin._sequence = self._sequence
        twin._cancelled = self._cancelled.copy()
        return twin

    def _drop_cancelled(self) -> None:
        while self._heap and self._heap[0].sequence in self._cancelled:
            self._cancelled.discard(heappop(self._heap).sequence)
