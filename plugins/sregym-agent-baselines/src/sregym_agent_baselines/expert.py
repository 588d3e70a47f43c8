"""The expert: plays the answer key. It shows that a problem can be solved, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_agent_baselines.by_rules import ByRules

if TYPE_CHECKING:
    from sregym_core.interfaces import Session
    from sregym_core.model import Claims


class Expert(ByRules):
    """Looks around as a person would, submits the true diagnosis, runs the reference fix.

    Privileged: its results are no measure of any agent.
    """

    name: ClassVar[str] = "expert"
    privileged: ClassVar[bool] = True

    def diagnose(self, session: Session) -> tuple[str, Claims | None]:
        """Look, and tell the truth."""
        for namespace in session.namespaces:
            session.kubectl(f"kubectl get pods -n {namespace}")
        reference = session.reference()
        return reference.diagnosis, reference.claims

    def repair(self, session: Session) -> str:
        """Run the reference fix."""
        for command in session.reference().fix:
            session.kubectl(command)
        return "The root cause is repaired."
