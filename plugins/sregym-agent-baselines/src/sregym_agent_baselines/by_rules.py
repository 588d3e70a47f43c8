"""What baselines have in common: they diagnose and repair by rules, in whatever mode."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.kube import unready_deployments
from sregym_core.interfaces import Agent, Stage

if TYPE_CHECKING:
    from sregym_core.interfaces import Session
    from sregym_core.model import Claims

# How often an agent that watches looks, and how many times before it gives up.
LOOK_S = 30.0
LOOKS = 40


class ByRules(Agent):
    """Hands in what the session's task asks for, in its order."""

    accepts: ClassVar[tuple[str, ...] | None] = ()

    @abstractmethod
    def diagnose(self, session: Session) -> tuple[str, Claims | None]:
        """Look, and say what is wrong."""

    @abstractmethod
    def repair(self, session: Session) -> str:
        """Act, and say so; called without `diagnose` where only the repair is asked for."""

    def notices(self, session: Session) -> bool:
        """Whether something seems wrong: an alert fires, or a Deployment is not ready."""
        told = session.call("alerts", {})
        if told.ok and any(line.startswith("firing") for line in told.text.splitlines()):
            return True
        return any(unready_deployments(session, namespace) for namespace in session.namespaces)

    def run(self, session: Session) -> None:
        """Diagnose and repair, as far as it is asked for."""
        task = session.task
        if Stage.DIAGNOSIS in task.submissions:
            at_once = Stage.MITIGATION in task.judged and Stage.MITIGATION not in task.submissions
            if not self._hand_in_diagnosis(session, repair_before=at_once):
                return
        if Stage.MITIGATION in task.submissions:
            session.submit(self.repair(session))

    def _hand_in_diagnosis(self, session: Session, *, repair_before: bool) -> bool:
        """Whether a diagnosis was taken."""
        watching = session.task.watching
        for _ in range(LOOKS if watching else 1):
            if not watching or self.notices(session):
                text, claims = self.diagnose(session)
                if repair_before:
                    self.repair(session)
                if session.submit(text, claims).stage is not Stage.DIAGNOSIS:
                    return True
            if watching:
                session.wait(LOOK_S)
        if watching:
            session.submit("no incident")
        return False
