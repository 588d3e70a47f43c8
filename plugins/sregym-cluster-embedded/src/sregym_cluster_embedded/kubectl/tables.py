"""Columns as Go's tabwriter aligns them, and the tables of the server as kubectl prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PADDING = 3
_MIN_WIDTH = 6


def aligned(rows: Iterable[Sequence[str]], padding: int = _PADDING, least: int = _MIN_WIDTH) -> str:
    """Rows with their columns aligned; the last cell of a row is not padded."""
    lines = list(rows)
    if not lines:
        return ""
    if len(set(map(len, lines))) > 1:
        return _uneven(lines, padding, least)
    columns = list(zip(*lines, strict=True))[:-1]
    widths = [max(least, max(map(len, column)) + padding) for column in columns]
    form = "".join([f"%-{width}s" for width in widths]) + "%s\n"
    return "".join([form % tuple(row) for row in lines])


class Growing:
    """Rows that come one after the other; no column becomes narrower than it was."""

    def __init__(self) -> None:
        self._widths: list[int] = []

    def aligned(self, rows: Sequence[Sequence[str]]) -> str:
        """More rows, all of one length, aligned with those before them."""
        count = max(map(len, rows), default=1) - 1
        self._widths += [_MIN_WIDTH] * (count - len(self._widths))
        for at, column in enumerate(list(zip(*rows, strict=True))[:-1]):
            self._widths[at] = max(self._widths[at], max(map(len, column)) + _PADDING)
        form = "".join([f"%-{width}s" for width in self._widths[:count]]) + "%s\n"
        return "".join([form % tuple(row) for row in rows])


def _uneven(lines: list[Sequence[str]], padding: int, least: int) -> str:
    count = max(map(len, lines))
    widths = [least] * count
    for column in range(count - 1):
        longest = max((len(row[column]) for row in lines if len(row) > column + 1), default=0)
        widths[column] = max(least, longest + padding)
    text = []
    for row in lines:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        text.append("".join(cells) + row[-1] + "\n")
    return "".join(text)


def cell_text(value: Any) -> str:
    """A cell of a server's table, cut at its first line's end."""
    if type(value) is str and "\n" not in value and "\r" not in value and "\f" not in value:
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    for at, char in enumerate(text):
        if char in "\n\r\f":
            return text[:at] + "..."
    return text


def labels_text(labels: dict[str, str] | None) -> str:
    """All labels as `--show-labels` prints them."""
    if not labels:
        return "<none>"
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels))
