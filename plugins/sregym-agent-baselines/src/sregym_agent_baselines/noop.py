"""The agent that does nothing: what passes with it proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_agent_baselines.by_rules import ByRules

if TYPE_CHECKING:
    from sregym_core.interfaces import Session
    from sregym_core.model import Claims


class Noop(ByRules):
    """Hands in everything without looking at anything."""

    name: ClassVar[str] = "noop"

    def run(self, session: Session) -> None:
        """Hand in; where it should watch, it says once that all is well."""
        if session.task.watching:
            session.submit("no incident")
        else:
            super().run(session)

    def diagnose(self, session: Session) -> tuple[str, Claims | None]:
        """Say nothing."""
        return "I see nothing wrong.", None

    def repair(self, session: Session) -> str:
        """Do nothing."""
        return "I changed nothing."
