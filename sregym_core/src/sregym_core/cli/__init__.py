"""The command line: one class a subcommand, also for plugins that bring their own.

Importing this module is cheap; what a subcommand needs it imports when it runs, so that
`sregym --help` stays fast.
"""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from sregym_core.cluster_choice import cluster_choice

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from sregym_core.errors import ExitCode
    from sregym_core.settings import Settings

__all__ = ["Console", "Subcommand", "cluster_choice", "counted", "first_of", "reason_of"]


def counted(number: int, noun: str) -> str:
    """A number with its noun, which is given as of one: `1 trace`, `2 traces`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def first_of(names: Sequence[str], shown: int = 4) -> str:
    """The first names of a cell of a table, and how many more there are."""
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" if more > 0 else "")


class Console:
    """Where a command writes: the only way to standard output and standard error.

    Args:
        out: Results go here.
        err: Progress and errors go here.
    """

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._err = err or sys.stderr

    def say(self, text: str = "") -> None:
        """Write a line of the result."""
        try:
            self._out.write(f"{text}\n")
            self._out.flush()
        except OSError as error:
            # The system does not say which file it was that could not be written.
            error.filename = "standard output"
            raise

    def note(self, text: str) -> None:
        """Write a line that is not part of the result; a closed stream is no error."""
        with suppress(OSError):
            self._err.write(f"{text}\n")
            self._err.flush()

    def json(self, content: Any, *, one_line: bool = False) -> None:
        """Write the result as JSON."""
        self.say(json.dumps(content, indent=None if one_line else 2))

    def table(self, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
        """Write rows in columns under their heads."""
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        for row in [head, *rows]:
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            self.say("  ".join(cells).rstrip())


class Subcommand(ABC):
    """One subcommand of `sregym`.

    Attributes:
        name: The word behind `sregym`.
        summary: One line for `sregym --help`.
        examples: Command lines that its own help ends with.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    examples: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: Settings, console: Console) -> None:
        self.settings = settings
        self.console = console

    def arguments(self, parser: argparse.ArgumentParser) -> None:  # noqa: B027 - optional
        """Declare arguments; called before `run`, and for `--help`."""

    @abstractmethod
    def run(self, arguments: argparse.Namespace) -> ExitCode:
        """Do it; raises `SregymError` for what the user can mend."""


def reason_of(error: BaseException) -> str:
    """Why a listing leaves an entry out whose plugin's code raised; raises again what has to pass."""
    from sregym_core.error_location import format_with_location, must_propagate, past_caller
    from sregym_core.errors import SregymError

    if must_propagate(error):
        raise error
    return (
        str(error) if isinstance(error, SregymError) else format_with_location(past_caller(error))
    )
