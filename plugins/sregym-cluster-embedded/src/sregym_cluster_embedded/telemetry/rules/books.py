"""What rules gave at the evaluations of the past, which does not change any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_promql.storage import Labels

    from sregym_cluster_embedded.telemetry.rules.alerts import ActiveAlert, Rows

# A rule, by file, group and its place there: several may have one name, for each severity one.
RuleKey: TypeAlias = tuple[str, str, int]


@dataclass
class AlertBook:
    """The evaluations of an alerting rule, one after the other.

    Attributes:
        first: Of the first of them, Unix milliseconds.
        interval: Milliseconds from each to the next.
        last: Of the last of them; before `first` where there are none.
        states: What was pending or firing at each, in order; those of nothing are left out.
    """

    first: int
    interval: int
    last: int
    states: dict[int, Mapping[Labels, ActiveAlert]]

    def between(self, first: int, last: int) -> Iterator[tuple[int, Mapping[Labels, ActiveAlert]]]:
        """The evaluations of a span at which something was pending or firing."""
        if (last - first) // self.interval < len(self.states):
            steps = range(first, last + 1, self.interval)
            yield from ((step, self.states[step]) for step in steps if step in self.states)
        else:
            yield from (entry for entry in self.states.items() if first <= entry[0] <= last)

    def knows(self, other: AlertBook | RecordBook, first: int) -> bool:
        """Whether it tells from an evaluation on what another one tells."""
        return self.first <= first and self.last >= other.last

    def copy(self) -> AlertBook:
        """One that can be written to."""
        return AlertBook(self.first, self.interval, self.last, {**self.states})


@dataclass
class RecordBook:
    """The evaluations of a recording rule from `first` up to `last`, Unix milliseconds."""

    first: int
    last: int
    rows: Rows

    def knows(self, other: AlertBook | RecordBook, first: int) -> bool:
        """Whether it tells from an evaluation on what another one tells."""
        return self.first <= first and self.last >= other.last

    def copy(self) -> RecordBook:
        """The same, read-only."""
        return self


# By rule, books of which none tells what another one tells.
Shared: TypeAlias = dict[RuleKey, Sequence[AlertBook | RecordBook]]
# How many of each rule are shared: copies are asked at different moments.
_MOST = 8


class Books:
    """Earlier evaluations, by rule.

    Attributes:
        found: Gives what was evaluated of copies of the world for which all that rules look at is
            the same: what is known of the past there is known here. Books in it are never
            written to.
    """

    def __init__(self) -> None:
        self._own: dict[RuleKey, AlertBook | RecordBook] = {}
        self.found: Callable[[], Shared] = dict

    def get(self, key: RuleKey, first: int) -> AlertBook | RecordBook | None:
        """The book of a rule that begins with an evaluation at most, and knows most after it."""
        own = self._own.get(key)
        others = [book for book in self.found().get(key, ()) if book.first <= first]
        best = max(others, key=lambda book: book.last, default=None)
        if best is None or (own is not None and own.knows(best, first)):
            return own
        found = self._own[key] = best.copy()
        return found

    def put(self, key: RuleKey, book: AlertBook | RecordBook) -> None:
        """Keep a book."""
        self._own[key] = book
        shared = self.found()
        others = shared.get(key, ())
        if not any(other.knows(book, book.first) for other in others):
            left = [other for other in others if not book.knows(other, other.first)]
            # Replaced as a whole: copies may look at it at the same time.
            shared[key] = (*left[1 - _MOST :], book.copy())
