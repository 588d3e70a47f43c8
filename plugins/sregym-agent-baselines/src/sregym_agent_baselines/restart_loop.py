"""The agent that restarts what looks unhealthy and claims victory: a floor that looks busy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_agents.kube import unready_deployments

from sregym_agent_baselines.by_rules import ByRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Session
    from sregym_core.model import Claims

ROUNDS = 3
PAUSE_S = 60.0


class RestartLoop(ByRules):
    """Restarts unready Deployments, or all when none looks bad, a few times over."""

    name: ClassVar[str] = "restart-loop"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        self._suspects: dict[str, list[str]] | None = None

    def diagnose(self, session: Session) -> tuple[str, Claims | None]:
        """Name what is not ready."""
        self._suspects = _unready(session)
        named = ", ".join(name for names in self._suspects.values() for name in names)
        text = f"Unhealthy: {named}." if named else "Pods look healthy; they may be stuck."
        return text, None

    def repair(self, session: Session) -> str:
        """Restart, wait, look again, claim victory."""
        suspects = _unready(session) if self._suspects is None else self._suspects
        for namespace in session.namespaces:
            self._restart(session, namespace, suspects[namespace])
        return "Everything was restarted; the system is healthy again."

    def _restart(self, session: Session, namespace: str, suspects: list[str]) -> None:
        for _ in range(ROUNDS):
            targets = " ".join(f"deployment/{name}" for name in suspects) or "deployment"
            session.kubectl(f"kubectl rollout restart {targets} -n {namespace}")
            session.wait(PAUSE_S)
            suspects = unready_deployments(session, namespace)
            if not suspects:
                return


def _unready(session: Session) -> dict[str, list[str]]:
    return {namespace: unready_deployments(session, namespace) for namespace in session.namespaces}
