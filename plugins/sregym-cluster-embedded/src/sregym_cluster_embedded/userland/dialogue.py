"""What shells and consoles that are typed at remember, and how much of what is typed they take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.userland.shell.lexing import ShellSyntaxError
from sregym_cluster_embedded.userland.shell.syntax import parse

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ExecResult
    from sregym_cluster_embedded.userland.shell.checkpoints import Checkpoint
    from sregym_cluster_embedded.userland.shell.open_input import OpenInput

_INTERRUPTED = 130
_UNFINISHED = ("unexpected end of file", "unterminated", "EOF in", "missing '")


class Reading(NamedTuple):
    """A line of a shell, and how far it got with what it reads."""

    line: str
    state: OpenInput


@dataclass(frozen=True)
class Dialogue:
    """What a shell or console remembers between lines.

    Attributes:
        command: Its command line.
        environment: Variables.
        working_dir: Present folder.
        last: Exit code of the last line.
        root: Whether it runs as root, which its prompt shows.
        within: The shell of the node that was entered from it, which what is typed goes to.
        node: The node that it runs on, where it runs on one itself.
        terminal: Whether a person types at it on a terminal.
        reading: The line whose command reads what is typed next.
        pid: Its process number.
        place: What else its lines have left: functions, aliases, traps.
    """

    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    working_dir: str = "/"
    last: int = 0
    root: bool = True
    within: Dialogue | None = None
    node: str = ""
    terminal: bool = False
    reading: Reading | None = None
    place: Checkpoint | None = None
    pid: int = 0

    @property
    def reads(self) -> bool:
        """Whether a command reads what is typed, and not the shell."""
        return self.reading is not None or (self.within is not None and self.within.reads)

    def interrupted(self) -> Dialogue:
        """What is left when the command that runs is interrupted."""
        within = None if self.within is None else self.within.interrupted()
        return replace(self, within=within, reading=None, last=_INTERRUPTED)


class Reply(NamedTuple):
    """What came of a line.

    Attributes:
        result: What was written; the exit code.
        dialogue: What the shell remembers.
        ended: Whether it has ended with the result's exit code.
        unread: Typed input that was not read.
    """

    result: ExecResult
    dialogue: Dialogue
    ended: bool
    unread: str = ""


class Entered(NamedTuple):
    """What came of more input to a command line.

    Attributes:
        state: From which it goes on.
        result: What it has written since.
        ended: Whether it has ended, with the result's exit code.
    """

    state: OpenInput
    result: ExecResult
    ended: bool


class PendingInput(NamedTuple):
    """A line that waits for more input, or what it has left of it."""

    reading: Reading | None
    unread: str
    place: Checkpoint | None


def unfinished(text: str) -> bool:
    """Whether a shell would ask for another line before it runs the text."""
    if text.endswith("\\\n"):
        return True
    try:
        parse(text)
    except ShellSyntaxError as error:
        return any(word in str(error) for word in _UNFINISHED)
    return False


def first_piece(text: str) -> tuple[str, str]:
    """Lines, as many together as a command takes, and what follows them."""
    piece = ""
    for line in text.splitlines(keepends=True):
        piece += line
        if not unfinished(piece):
            break
    return piece, text[len(piece) :]
