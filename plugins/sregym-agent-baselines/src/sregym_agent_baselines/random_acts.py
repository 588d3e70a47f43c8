"""The agent that acts at random: what passes with it can be passed by luck."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, ClassVar

from sregym_agents.kube import items
from sregym_core.errors import UsageError

from sregym_agent_baselines.by_rules import ByRules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Session
    from sregym_core.model import Claims

ACTS = 8
PAUSE_S = 30.0


class RandomActs(ByRules):
    """Blames a Deployment at random and does random things that repair something now and then.

    All chance derives from `--agent-option seed=N` (default 0): the same world and the same seed
    give the same acts.
    """

    name: ClassVar[str] = "random"
    accepts: ClassVar[tuple[str, ...] | None] = ("seed",)

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        super().__init__(options)
        seed = self.options.get("seed", "0")
        if not seed.isdecimal():
            msg = f"agent 'random', option 'seed': a whole number is needed, not {seed!r}"
            raise UsageError(msg)
        self._chance = Random(int(seed))  # noqa: S311 - a game, no secret

    def diagnose(self, session: Session) -> tuple[str, Claims | None]:
        """Blame."""
        targets = _targets(session)
        if not targets:
            return "Nothing runs here.", None
        _, blamed = self._chance.choice(targets)
        return f"The root cause is in {blamed}.", None

    def repair(self, session: Session) -> str:
        """Act, claim victory."""
        targets = _targets(session)
        if not targets:
            return "There was nothing to repair."
        for _ in range(ACTS):
            namespace, name = self._chance.choice(targets)
            session.kubectl(self._act(namespace, name))
            session.wait(PAUSE_S)
        return "It should work now."

    def _act(self, namespace: str, name: str) -> str:
        where = f"deployment/{name} -n {namespace}"
        return self._chance.choice(
            [
                f"kubectl rollout restart {where}",
                f"kubectl rollout undo {where}",
                f"kubectl scale {where} --replicas={self._chance.randint(1, 3)}",
                f"kubectl set env {where} DEBUG=true",
                f"kubectl describe {where}",
                f"kubectl logs {where} --tail=20",
            ]
        )


def _targets(session: Session) -> list[tuple[str, str]]:
    return [
        (namespace, deployment["metadata"]["name"])
        for namespace in session.namespaces
        for deployment in items(session, "deployments", namespace)
    ]
