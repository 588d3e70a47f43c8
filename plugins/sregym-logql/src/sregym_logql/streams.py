"""Lines of logs, in streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_promql.storage import Labels, Matcher


class Entry(NamedTuple):
    """One line: nanoseconds since 1970, and its text."""

    at_ns: int
    line: str


class Stream(NamedTuple):
    """The lines of one label set, oldest first."""

    labels: Labels
    entries: Sequence[Entry]


class Storage(Protocol):
    """Where lines come from."""

    def select(self, matchers: Sequence[Matcher], start_ns: int, end_ns: int) -> Sequence[Stream]:
        """The streams that all matchers select, with the lines from start up to end, both included.

        Sorted by labels; streams without lines in the span may be left out.
        """
