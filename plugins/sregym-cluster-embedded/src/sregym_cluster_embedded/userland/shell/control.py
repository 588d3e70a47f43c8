"""Ways in which the flow of a script leaves its present command."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.session import Output


class Suspended(Exception):
    """A main process waits.

    Args:
        seconds: How long; None for ever.
        threads: How many processors what it waits for keeps busy.
        said: What that writes, for those around it to take.
    """

    def __init__(
        self, seconds: float | None, threads: float = 0.0, said: Output | None = None
    ) -> None:
        super().__init__(seconds)
        self.seconds = seconds
        self.threads = threads
        self.said = said


class NeedsInput(Exception):
    """A command has read all that has come of an input which is not complete.

    Args:
        out: What it makes of that on its standard output, as far as it says so already.
        err: The same on its error stream.
    """

    def __init__(self, out: str = "", err: str = "") -> None:
        super().__init__(out, err)
        self.out = out
        self.err = err


class BecomeProgram(Exception):
    """A main script runs a program of the service model in the foreground."""

    def __init__(self, path: str, argv: tuple[str, ...]) -> None:
        super().__init__(path)
        self.path = path
        self.argv = argv


class Exit(Exception):
    """The shell ends with a code, and what it has written so far.

    Args:
        code: With which it ends.
        output: What it has written.
        signal: The signal that has ended it; 0 when it ends by itself. A part of a script that has
            a shell of its own (`( ... )`, `$(...)`) does not stop that: the whole process is gone.
    """

    def __init__(self, code: int, output: Output, signal: int = 0) -> None:
        super().__init__(code)
        self.code = code
        self.output = output
        self.signal = signal


class Leave(Exception):
    """break, continue or return; `loops` says out of how many loops."""

    def __init__(self, word: str, output: Output, loops: int = 1) -> None:
        super().__init__(word)
        self.word = word
        self.output = output
        self.loops = loops
