"""The agent that restarts what looks unhealthy and claims victory: a floor that looks busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_agents.kube import unready_deployments
from sregym_core.interfaces import Agent

if TYPE_CHECKING:
    from sregym_core.interfaces import Session

ROUNDS = 3
PAUSE_S = 60.0


class RestartLoop(Agent):
    """Restarts unready Deployments, or all when none looks bad, a few times over."""

    name: ClassVar[str] = "restart-loop"

    def run(self, session: Session) -> None:
        """Restart, wait, look again, claim victory."""
        suspects = {
            namespace: unready_deployments(session, namespace) for namespace in session.namespaces
        }
        named = ", ".join(name for names in suspects.values() for name in names)
        session.submit(f"Unhealthy: {named}." if named else "Pods look healthy; they may be stuck.")
        for namespace in session.namespaces:
            self._restart(session, namespace, suspects[namespace])
        session.submit("Everything was restarted; the system is healthy again.")

    def _restart(self, session: Session, namespace: str, suspects: list[str]) -> None:
        for _ in range(ROUNDS):
            targets = " ".join(f"deployment/{name}" for name in suspects) or "deployment"
            session.kubectl(f"kubectl rollout restart {targets} -n {namespace}")
            session.wait(PAUSE_S)
            suspects = unready_deployments(session, namespace)
            if not suspects:
                return
