"""The agent that does nothing: what passes with it proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Agent

if TYPE_CHECKING:
    from sregym_core.interfaces import Session


class Noop(Agent):
    """Submits twice without looking at anything."""

    name: ClassVar[str] = "noop"

    def run(self, session: Session) -> None:
        """Submit both stages."""
        session.submit("I see nothing wrong.")
        session.submit("I changed nothing.")
