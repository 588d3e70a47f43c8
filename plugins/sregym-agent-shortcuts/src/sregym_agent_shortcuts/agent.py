"""The agent: lists everything once and blames the component that stands out in some way."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_agents.survey import SHORTCUTS, list_everything
from sregym_core.errors import UsageError
from sregym_core.interfaces import Agent, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_agents.survey import Listing
    from sregym_core.interfaces import Session

USUAL = "youngest pod"


class Shortcuts(Agent):
    """Follows one shortcut (`--agent-option shortcut=NAME`) without any idea of what is wrong."""

    name: ClassVar[str] = "shortcuts"
    accepts: ClassVar[tuple[str, ...] | None] = ("shortcut",)

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._shortcut = self.options.get("shortcut", USUAL)
        if self._shortcut not in SHORTCUTS:
            known = ", ".join(SHORTCUTS)
            msg = (
                f"agent 'shortcuts', option 'shortcut': there is no {self._shortcut!r}; "
                f"there are: {known}"
            )
            raise UsageError(msg)

    def run(self, session: Session) -> None:
        """Look, blame, repair nothing."""
        if Stage.DIAGNOSIS in session.task.submissions:
            named = sorted(SHORTCUTS[self._shortcut](list_everything(session)))
            session.submit(_blame(named))
        if Stage.MITIGATION in session.task.submissions:
            session.submit("I changed nothing.")


class Looker(Agent):
    """Keeps what it has listed, to compare shortcuts; hands in nothing.

    Attributes:
        seen: What was listed; None before it ran.
    """

    name: ClassVar[str] = "looker"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self.seen: Listing | None = None

    def run(self, session: Session) -> None:
        """Look."""
        self.seen = list_everything(session)


def _blame(named: list[str]) -> str:
    if not named:
        return "Nothing stands out."
    return f"The root cause is in {', '.join(named)}."
