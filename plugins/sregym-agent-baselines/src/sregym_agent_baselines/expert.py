"""The expert: plays the answer key. It shows that a problem can be solved, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import Agent

if TYPE_CHECKING:
    from sregym_core.interfaces import Session


class Expert(Agent):
    """Looks around as a person would, submits the true diagnosis, runs the reference fix.

    Privileged: its results are no measure of any agent.
    """

    name: ClassVar[str] = "expert"
    privileged: ClassVar[bool] = True

    def run(self, session: Session) -> None:
        """Look, diagnose, repair."""
        reference = session.reference()
        for namespace in session.namespaces:
            session.kubectl(f"kubectl get pods -n {namespace}")
        session.submit(reference.diagnosis, reference.claims)
        for command in reference.fix:
            session.kubectl(command)
        session.submit("The root cause is repaired.")
