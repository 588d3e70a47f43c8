"""Do names lead into the cluster?"""

from __future__ import annotations

from typing import ClassVar

from sregym_core.interfaces import Oracle, OracleContext
from sregym_core.model import Check, Outcome, Verdict


class NamesInside(Oracle):
    """No Service of the application is an alias of a host outside."""

    name: ClassVar[str] = "acme-names-inside"
    stage: ClassVar[str] = "mitigation"

    def judge(self, context: OracleContext) -> Verdict:
        """One check for each namespace."""
        return Verdict.of([_inside(context, name) for name in context.application.namespaces])


def _inside(context: OracleContext, namespace: str) -> Check:
    services = context.cluster.list("v1", "Service", namespace)
    outside = [s["metadata"]["name"] for s in services if s["spec"].get("externalName")]
    return Check(
        name=f"names-in-{namespace}",
        outcome=Outcome.FAIL if outside else Outcome.PASS,
        expected="no aliases",
        got=", ".join(outside) or "no aliases",
    )
