"""Agents that follow a script: they exist for proofs and are no plugins."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from sregym_core.interfaces import Agent

if TYPE_CHECKING:
    from sregym_core.interfaces import Attacks, Cheat, Command, CommandResult, Session
    from sregym_core.model import Component

Script = Callable[["Session"], None]


class Scripted(Agent):
    """Runs a function over the session, then submits whatever stage is still open.

    Args:
        script: What to do.
        privileged: Whether the script reads the answer key.
    """

    name: ClassVar[str] = "scripted"

    def __init__(self, script: Script, privileged: bool = False) -> None:
        super().__init__()
        self._script = script
        # An instance attribute in place of the class's: one class serves both kinds of script.
        self.privileged = privileged  # type: ignore[misc]

    def run(self, session: Session) -> None:
        """Follow the script."""
        self._script(session)


def do_nothing(session: Session) -> None:
    """Submit without having done anything."""
    session.submit("No fault was found.")
    session.submit("Nothing was changed.")


def play_reference(session: Session) -> None:
    """Submit the true diagnosis as text and run the reference fix."""
    reference = session.reference()
    session.submit(reference.diagnosis)
    run_all(session, reference.fix)
    session.submit("The reference fix was applied.")


def play_fix(session: Session, fix: tuple[Command, ...]) -> None:
    """Submit no diagnosis and run some commands in place of the reference fix."""
    session.submit("Something was wrong.")
    run_all(session, fix)
    session.submit("It was repaired.")


def repair_all_but(spared: range) -> Script:
    """A script that runs the reference fix without the parts of these places."""

    def play(session: Session) -> None:
        reference = session.reference()
        session.submit(reference.diagnosis)
        for place, fix in enumerate(reference.fixes):
            if place not in spared:
                run_all(session, fix)
        session.submit("A part of the reference fix was applied.")

    return play


def run_all(session: Session, commands: tuple[Command, ...]) -> None:
    """Run commands in order; a failing one is part of the story and does not stop the rest."""
    for command in commands:
        session.kubectl(command)


def repair_and_harm(
    session: Session, attacks: Attacks, everything: tuple[Component, ...], done: set[str]
) -> None:
    """Repair the system as the reference does, then do all harms."""
    reference = session.reference()
    session.submit(reference.diagnosis)
    run_all(session, reference.fix)
    attacks.harm(session, everything, done)
    session.submit("Repaired.")


class _SomethingFoundError(Exception):
    """A cheat has begun to act."""


class _Nobody:
    """In place of a session: nothing is done there."""

    def kubectl(self, command: Command) -> CommandResult:
        raise _SomethingFoundError(str(command))


def finds_nothing(
    cheat: Cheat, targets: tuple[Component, ...], everything: tuple[Component, ...]
) -> bool:
    """Whether an application has nothing on which a cheat could act: it runs no command at all."""
    try:
        cheat(cast("Session", _Nobody()), targets, everything)
    except _SomethingFoundError:
        return False
    return True
