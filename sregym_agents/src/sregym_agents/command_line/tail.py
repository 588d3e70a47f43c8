"""Files of JSON lines that are read while they are written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK = 1 << 20
# Longer than any event of a vendor; a line without an end must not fill the memory.
LINE_CAP = 16 << 20
SHOWN = 200
LAST_SHOWN = 500


def last_line(path: Path) -> str:
    """The last line of a file that is not blank, cut; empty where there is none."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        # A program may have written without end: only the end is looked at.
        file.seek(max(0, path.stat().st_size - CHUNK))
        lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip()[:LAST_SHOWN] for line in reversed(lines) if line.strip()), "")


@dataclass
class Tail:
    """One file.

    Attributes:
        unread: How many lines were no JSON objects.
        first_unread: The beginning of the first of them.
    """

    path: Path
    unread: int = 0
    first_unread: str = ""
    _at: int = 0
    _rest: bytes = b""

    def new(self, ended: bool = False) -> Iterator[dict[str, Any]]:
        """The objects that were written since the last call.

        Args:
            ended: Nothing follows any more: the last line counts, whole or not.
        """
        # Not through links: a program could lead elsewhere with one.
        if self.path.is_symlink() or not self.path.is_file():
            return
        with self.path.open("rb") as file:
            file.seek(self._at)
            while content := file.read(CHUNK):
                self._at += len(content)
                *lines, self._rest = (self._rest + content).split(b"\n")
                for line in lines:
                    yield from self._object(line)
                if len(self._rest) > LINE_CAP:
                    self._note(self._rest)
                    self._rest = b""
        if ended:
            line, self._rest = self._rest, b""
            yield from self._object(line)

    def _object(self, line: bytes) -> Iterator[dict[str, Any]]:
        if not line.strip():
            return
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            self._note(line)
            return
        if isinstance(found, dict):
            yield found
        else:
            self._note(line)

    def _note(self, line: bytes) -> None:
        self.unread += 1
        self.first_unread = self.first_unread or line[:SHOWN].decode(errors="replace").strip()
