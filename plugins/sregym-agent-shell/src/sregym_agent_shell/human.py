"""The adapter behind `sregym up`: a person, or any agent, acts from outside the process."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_agents.outside import opened
from sregym_core.interfaces import Agent, Stage

if TYPE_CHECKING:
    from sregym_core.interfaces import Session

LOOK_S = 0.5


class Human(Agent):
    """Opens the world and waits for two submissions, without a limit of its own."""

    name: ClassVar[str] = "human"
    served: ClassVar[bool] = True
    accepts: ClassVar[tuple[str, ...] | None] = ()

    def run(self, session: Session) -> None:
        """Serve until both stages are submitted."""
        with opened(session) as gateway:
            while session.stage is not Stage.DONE:
                gateway.take(LOOK_S)
