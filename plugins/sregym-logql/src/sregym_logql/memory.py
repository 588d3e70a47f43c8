"""A storage that holds all its lines in memory, and the JSON lines that fill it."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from datetime import datetime
from typing import TYPE_CHECKING

from sregym_promql.storage import Labels, labels_of

from sregym_logql.streams import Entry, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sregym_promql.storage import Matcher

_NS = 1_000_000_000


class LinesError(ValueError):
    """A text of lines that cannot be read; names the line."""


class Memory:
    """Implements `Storage`.

    Args:
        entries: Labels and line; of one stream in any order.
    """

    def __init__(self, entries: Iterable[tuple[Labels, Entry]]) -> None:
        collected: dict[Labels, list[Entry]] = {}
        for labels, entry in entries:
            collected.setdefault(labels, []).append(entry)
        self._streams = [
            Stream(labels, sorted(found, key=lambda entry: entry.at_ns))
            for labels, found in sorted(collected.items())
        ]
        self._times = [[entry.at_ns for entry in stream.entries] for stream in self._streams]

    def select(self, matchers: Sequence[Matcher], start_ns: int, end_ns: int) -> Sequence[Stream]:
        """The streams that all matchers select, with their lines of the span."""
        found = []
        for stream, times in zip(self._streams, self._times, strict=True):
            labels = dict(stream.labels)
            if all(matcher.matches(labels.get(matcher.name, "")) for matcher in matchers):
                first, last = bisect_left(times, start_ns), bisect_right(times, end_ns)
                if last > first:
                    found.append(Stream(stream.labels, stream.entries[first:last]))
        return found

    def span_ns(self) -> tuple[int, int]:
        """When the first and the last line were written; zeros without any."""
        times = [entry.at_ns for stream in self._streams for entry in stream.entries]
        return (min(times), max(times)) if times else (0, 0)


def parse_lines(text: str) -> list[tuple[Labels, Entry]]:
    """Lines of JSON `{"ts", "labels", "line"}`.

    `ts` is a number of Unix seconds, a string of nanoseconds, or RFC 3339.

    Raises:
        LinesError: One cannot be read.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            given = json.loads(line)
            labels = labels_of({str(name): str(value) for name, value in given["labels"].items()})
            found.append((labels, Entry(nanoseconds(given["ts"]), str(given["line"]))))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            message = f'line {number}: not an object with "ts", "labels" and "line": {error}'
            raise LinesError(message) from None
    return found


def nanoseconds(moment: float | str) -> int:
    """A moment in any of the forms that Loki's API takes.

    Raises:
        ValueError: It is none.
    """
    if isinstance(moment, int | float):
        # A whole number with so many digits counts nanoseconds already.
        big = isinstance(moment, int) and len(str(abs(moment))) > 10
        return int(moment) if big else round(moment * _NS)
    if moment.lstrip("-").isdigit():
        return int(moment) if len(moment) > 10 else int(moment) * _NS
    try:
        return round(float(moment) * _NS)
    except ValueError:
        pass
    head, _, rest = moment.partition(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    zone = rest[len(digits) :] if rest else ""
    when = datetime.fromisoformat((head + zone).replace("Z", "+00:00"))
    return round(when.timestamp()) * _NS + int(digits.ljust(9, "0")[:9] or "0")
