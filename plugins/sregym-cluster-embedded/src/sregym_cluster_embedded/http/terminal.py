"""The line discipline of a terminal: what is echoed, when a line is complete.

A client in raw mode sends each key as it is typed; the terminal of the container echoes it, edits
the line and gives it to the shell when it ends.
"""

from __future__ import annotations

from typing import NamedTuple

_ERASE = ("\x7f", "\b")
_INTERRUPT, _END = "\x03", "\x04"


class Typed(NamedTuple):
    """What came of some keys: what to echo, complete lines, whether the input ended.

    An interrupted line is reported as None.
    """

    echo: str
    lines: tuple[str | None, ...]
    ended: bool


class LineEditor:
    """A terminal that collects a line."""

    def __init__(self) -> None:
        self._line = ""
        self._escape = ""

    def keys(self, text: str) -> Typed:
        """Take keys as they were typed."""
        echo = ""
        lines: list[str | None] = []
        for key in text:
            if self._in_escape(key):
                continue
            if key in "\r\n":
                lines.append(self._line)
                self._line, echo = "", echo + "\r\n"
            elif key in _ERASE:
                echo += "\b \b" if self._line else ""
                self._line = self._line[:-1]
            elif key == _INTERRUPT:
                lines.append(None)
                self._line, echo = "", echo + "^C\r\n"
            elif key == _END:
                if not self._line:
                    return Typed(echo, tuple(lines), True)
            elif key.isprintable():
                self._line, echo = self._line + key, echo + key
        return Typed(echo, tuple(lines), False)

    def _in_escape(self, key: str) -> bool:
        """Whether a key belongs to the sequence of an arrow or function key, which does nothing."""
        if self._escape:
            self._escape += key
            if (len(self._escape) > 2 and (key.isalpha() or key == "~")) or (
                len(self._escape) == 2 and key not in "[O"
            ):
                self._escape = ""
            return True
        if key == "\x1b":
            self._escape = key
            return True
        return False


def terminal_output(text: str) -> str:
    """Output as a terminal sends it."""
    return text.replace("\n", "\r\n")
