"""How well a system is, as anybody can see: Deployments that are not ready, alerts that fire."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from math import inf
from typing import TYPE_CHECKING

from sregym_agents.kube import unready_deployments

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_core.interfaces import Session

# How long a repair may take to show, and how often it is looked at: alerts lag behind.
PATIENCE_S = 240.0
LOOK_S = 40.0
_FIRING = re.compile(r"^firing\s+(\w+)")
# Names of pods change with every roll-out; the alert is the same.
_POD = re.compile(r'(, )?(pod|instance|uid)="[^"]*"')
_SINCE = re.compile(r" since (\S+Z).*")
# An alert that has fired for longer is ignored by the operators, and says nothing of this incident.
LATELY_S = 3600.0


@dataclass(frozen=True)
class Health:
    """What is wrong at one moment.

    Attributes:
        unready: Deployments that are not ready, as `namespace/name`.
        alerts: Alerts that fire, without names of pods.
    """

    unready: tuple[str, ...] = ()
    alerts: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether nothing is wrong."""
        return not self.unready and not self.alerts

    def better_than(self, other: Health) -> bool:
        """Whether less is wrong: Deployments count before alerts, which lag behind."""
        return self._weight() < other._weight()

    def _weight(self) -> tuple[int, int]:
        return len(self.unready), len(self.alerts)

    def __str__(self) -> str:
        if self.good:
            return "nothing seems wrong"
        lines = [f"Deployment {name} is not ready" for name in self.unready]
        return "\n".join([*lines, *(f"alert {alert} fires" for alert in self.alerts)])


def look(session: Session) -> Health:
    """The system's health now."""
    unready = [
        f"{namespace}/{name}"
        for namespace in session.namespaces
        for name in unready_deployments(session, namespace)
    ]
    told = session.call("alerts", {})
    lines = told.text.splitlines() if told.ok else []
    before = session.clock.now() - LATELY_S
    alerts = {_alert(line) for line in lines if _FIRING.match(line) and _since(line) >= before}
    return Health(tuple(unready), tuple(sorted(alerts)))


def look_until(session: Session, enough: Callable[[Health], bool]) -> Health:
    """The first health that is good enough, or the last before the timeout."""
    waited_s = 0.0
    while not enough(seen := look(session)) and waited_s < PATIENCE_S:
        session.wait(LOOK_S)
        waited_s += LOOK_S
    return seen


def _since(line: str) -> float:
    """When it began to fire; lately where nothing tells."""
    found = _SINCE.search(line)
    try:
        return datetime.fromisoformat(found[1]).timestamp() if found else inf
    except ValueError:
        return inf


def _alert(line: str) -> str:
    text = _SINCE.sub("", line.removeprefix("firing").strip())
    return _POD.sub("", text).replace("{, ", "{")
