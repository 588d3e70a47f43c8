"""Text with elastic tab stops, as Go's tabwriter lays it out."""

from __future__ import annotations

_PADDING = 2


class Writer:
    """Collects lines in which a tab ends a cell; `text` aligns the cells of neighbouring lines."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def line(self, level: int, text: str) -> None:
        """Add a line, or several, indented by two spaces a level (the first of them)."""
        self._lines += ("  " * level + text).split("\n")

    def field(self, level: int, name: str, value: object) -> None:
        """Add `name:` and a value in the next column."""
        self.line(level, f"{name}:\t{value}")

    def raw(self) -> str:
        """All lines with their tabs."""
        return "".join(f"{line}\n" for line in self._lines)

    def text(self) -> str:
        """All lines, aligned."""
        rows = [line.split("\t") for line in self._lines]
        _align(rows, 0, len(rows), 0)
        return "".join("".join(row) + "\n" for row in rows)


def _align(rows: list[list[str]], start: int, end: int, column: int) -> None:
    """Pad the cells of `column` in each block of neighbouring rows that have one more behind it."""
    at = start
    while at < end:
        stop = at
        while stop < end and len(rows[stop]) - 1 > column:
            stop += 1
        if stop == at:
            at += 1
            continue
        width = max(len(row[column]) for row in rows[at:stop]) + _PADDING
        for row in rows[at:stop]:
            row[column] = row[column].ljust(width)
        _align(rows, at, stop, column + 1)
        at = stop
