"""Where a main process or a job goes on: what is left of its script, and all that its shell knows.

A script is a tree, and the place in it is a tree as well: of the loops and functions around the
present round nothing is kept but what is left of them (`Begun`, `Called`). What has been done since
the last round began is in the journal, so that a script that runs for days is never repeated from
its beginning.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sregym_regex.budget import spend

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.shell.interpreter import Interpreter
    from sregym_cluster_embedded.userland.shell.session import Session
    from sregym_cluster_embedded.userland.shell.tree import Node

_TABLES = ("environment", "functions", "aliases")
_SETS = ("unexported", "options", "readonly")
_VALUES = (
    "working_dir", "arguments", "last", "strict", "pipefail", "background", "shell", "script",
    "at_line", "mask", "complaints",
)  # fmt: skip
_OF_SHELL = ("at_exit", "stop_on_error", "option_place")


@dataclass(frozen=True)
class Checkpoint:
    """A place in a script; nothing in it is ever changed.

    Attributes:
        rest: What is left to do.
        session: Attributes of the session at that moment.
        shell: Attributes of the interpreter.
        traps: What `trap` has set.
    """

    rest: Node
    session: tuple[tuple[str, Any], ...]
    shell: tuple[tuple[str, Any], ...]
    traps: tuple[tuple[str, str], ...]


def take_checkpoint(shell: Interpreter, rest: Node) -> Checkpoint:
    """The place at which a shell is."""
    session = shell.session
    spend(5 + (len(session.environment) >> 4))
    return Checkpoint(
        rest,
        tuple(_copied(session)),
        tuple((name, getattr(shell, name)) for name in _OF_SHELL),
        tuple(shell.traps.items()),
    )


def restored(shell: Interpreter, place: Checkpoint) -> None:
    """Let a fresh shell know what it knew there."""
    for name, value in place.session:
        setattr(shell.session, name, value)
    for name, value in _copied(shell.session):
        setattr(shell.session, name, value)
    for name, value in place.shell:
        setattr(shell, name, value)
    shell.traps = dict(place.traps)


def _copied(session: Session) -> list[tuple[str, Any]]:
    """What a shell may change later, as it is now."""
    return [
        *((name, dict(getattr(session, name))) for name in _TABLES),
        *((name, set(getattr(session, name))) for name in _SETS),
        *((name, getattr(session, name)) for name in _VALUES),
        ("descriptors", {each: replace(held) for each, held in session.descriptors.items()}),
    ]
