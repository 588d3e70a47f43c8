"""How proofs try oracles on Kubernetes: repairs that are none, and harm beside a true one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.interfaces import Attacks

from sregym_kubernetes.attacks import harms
from sregym_kubernetes.attacks.cheats import CHEATS, RESTARTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import Cheat, Session
    from sregym_core.model import Component

__all__ = ["CHEATS", "KubernetesAttacks"]


class KubernetesAttacks(Attacks):
    """By commands of kubectl on workloads, Secrets, ConfigMaps, quotas, roles and nodes."""

    @property
    def cheats(self) -> Mapping[str, Cheat]:
        """On workloads, their probes and configuration, and on who drives them."""
        return CHEATS

    @property
    def restarts(self) -> frozenset[str]:
        """Those that make pods anew."""
        return RESTARTS

    def possible(self, everything: tuple[Component, ...]) -> tuple[str, ...]:
        """By what workloads and ConfigMaps there are."""
        return harms.possible(everything)

    def harm(self, session: Session, everything: tuple[Component, ...], done: set[str]) -> None:
        """Secrets first; the last ones let no pod start any more."""
        if harms.write_secrets(session, everything):
            done.add("secret-changed")
        for harm in harms.HARMS.values():
            harm(session, everything)
