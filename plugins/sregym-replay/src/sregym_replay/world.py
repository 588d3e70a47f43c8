"""What stands in a world at one moment, for people: users, alerts, pods, changes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError
from sregym_kubernetes.pod_trouble import pod_trouble

if TYPE_CHECKING:
    from sregym_core.interfaces import Application, Cluster
    from sregym_runs import Replay

# Of so many seconds the load generator's figures are told.
USERS_S = 60.0


@dataclass(frozen=True)
class WorldView:
    """One moment.

    Attributes:
        at_s: Episode seconds.
        stage: What is to be handed in next: `diagnosis`, `mitigation`, `done`.
        users: Share of good answers of each of the users' operations within the last minute.
        alerts: Names of those that fire, each once.
        pods: How many there are in the application's namespaces.
        not_ready: Why pods are not ready, one phrase each.
        changed: What differs from the world that the agent found, one phrase an object.
    """

    at_s: float
    stage: str
    users: dict[str, float]
    alerts: tuple[str, ...]
    pods: int
    not_ready: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def success_rate(self) -> float | None:
        """Mean over the operations; None where there were no requests."""
        return sum(self.users.values()) / len(self.users) if self.users else None

    def as_json(self) -> dict[str, Any]:
        """Its fields, with the mean."""
        return {**asdict(self), "success_rate": self.success_rate}

    def lines(self) -> list[str]:
        """The same in words."""
        told = [f"world at {self.at_s:g} s; next: {self.stage}"]
        if self.users:
            rates = ", ".join(f"{name} {rate:.0%}" for name, rate in self.users.items())
            told.append(f"users are served: {rates}")
        else:
            told.append("users: nobody asked within the last minute")
        told.append(f"alerts: {', '.join(self.alerts) or 'none'}")
        told.append(f"pods: {self.pods}, {len(self.not_ready)} not ready")
        told += [f"  {one}" for one in self.not_ready]
        told.append(f"changed since the agent began: {'' if self.changed else 'nothing'}".rstrip())
        told += [f"  {one}" for one in self.changed]
        return told


def view(replay: Replay, application: Application) -> WorldView:
    """The world of a replay at the moment at which it stands; looking moves nothing."""
    changed = replay.changed()
    with replay.fork() as environment:
        cluster, session = environment.cluster, environment.session
        traffic = application.traffic(cluster, USERS_S)
        pods = [
            pod for name in session.namespaces for pod in cluster.list("v1", "Pod", namespace=name)
        ]
        trouble = [found for pod in pods if (found := pod_trouble(pod)) is not None]
        return WorldView(
            at_s=environment.at_s,
            stage=str(session.stage),
            users={
                name: round(one.success_rate, 4) for name, one in sorted(traffic.operations.items())
            },
            alerts=_firing(cluster),
            pods=len(pods),
            not_ready=tuple(map(str, trouble)),
            changed=changed,
        )


def _firing(cluster: Cluster) -> tuple[str, ...]:
    if "alertmanager" not in cluster.services:
        return ()
    try:
        answer = cluster.observe("alertmanager", "/api/v2/alerts", [("active", "true")])
    except ClusterError:
        return ()
    alerts = json.loads(answer.body) if answer.status == 200 else []
    return tuple(sorted({str(alert["labels"]["alertname"]) for alert in alerts}))
