"""The alerts that fired, as Alertmanager's webhook would send them (version 4 of its format)."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sregym_core.errors import WorldError
from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import Cluster

SERVICE = "alertmanager"
# How long an alert is waited for; faults that no rule monitors never raise one.
PATIENCE_S = 300.0
# Alertmanager's `group_wait`: how long it collects before it sends a first notification.
GROUP_WAIT_S = 30.0
POLL_S = 15.0
# Alerts that began before that are ignored by the operators.
LATELY_S = 3600.0
EXTERNAL_URL = "http://alertmanager:9093"
# What a notification holds at most (Alertmanager's `max_alerts`): people and models read it.
MOST_ALERTS = 50
# What the webhook has in place of an end that is not known.
NO_END = "0001-01-01T00:00:00Z"


def wait_for_alerts(cluster: Cluster, since: float) -> dict[str, Any] | None:
    """Let time pass until an alert fires, and give the notification about all that do.

    Args:
        cluster: The cluster whose Alertmanager is queried.
        since: Seconds since the Unix epoch; alerts that fire since before start nothing, though the
            notification has them too.

    Returns:
        The payload; None when no alert fired in time.

    Raises:
        WorldError: The cluster has no Alertmanager, or it does not answer.
    """
    fresh: list[bool] = []

    def fired() -> bool:
        fresh[:] = [True for alert in _active(cluster) if _seconds(alert["startsAt"]) >= since]
        return bool(fresh)

    if not cluster.clock.wait_until(fired, PATIENCE_S, POLL_S):
        return None
    cluster.clock.advance(GROUP_WAIT_S)
    return payload(_active(cluster))


def wait_for_quiet(cluster: Cluster) -> None:
    """Let time pass until no alert fires that began lately, as in a healthy system after its start.

    Not for ever: one that always fires is the system's own, as are those that have not been tended for
    an hour. A cluster without Alertmanager is quiet.
    """
    if SERVICE in cluster.services:
        cluster.clock.wait_until(lambda: not _lately(cluster), PATIENCE_S, POLL_S)


def firing(cluster: Cluster) -> dict[str, Any] | None:
    """The notification about all alerts that fire now; None for none, or where it is not known."""
    if SERVICE not in cluster.services:
        return None
    try:
        active = _active(cluster)
    except WorldError:
        return None
    return payload(active) if active else None


def payload(alerts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The notification of one group with all these alerts, as `GET /api/v2/alerts` gives them."""
    told = [
        {
            "status": "firing",
            "labels": dict(alert["labels"]),
            "annotations": dict(alert["annotations"]),
            "startsAt": alert["startsAt"],
            "endsAt": NO_END,
            "generatorURL": alert.get("generatorURL", ""),
            "fingerprint": alert["fingerprint"],
        }
        for alert in sorted(alerts, key=lambda alert: (alert["startsAt"], alert["fingerprint"]))
    ][:MOST_ALERTS]
    receivers = [receiver["name"] for alert in alerts for receiver in alert.get("receivers", ())]
    return {
        "receiver": receivers[0] if receivers else "default",
        "status": "firing",
        "alerts": told,
        "groupLabels": {},
        "commonLabels": _common([alert["labels"] for alert in told]),
        "commonAnnotations": _common([alert["annotations"] for alert in told]),
        "externalURL": EXTERNAL_URL,
        "version": "4",
        "groupKey": "{}:{}",
        "truncatedAlerts": len(alerts) - len(told),
    }


def _active(cluster: Cluster) -> list[dict[str, Any]]:
    """Alerts that fire and are neither silenced nor inhibited."""
    try:
        answer = cluster.observe(SERVICE, "/api/v2/alerts", [("active", "true")])
    except ClusterError as error:
        msg = f"the alerts that fired cannot be asked for: {error.message} (on a real cluster: --cluster kubeconfig:alertmanager=URL)"
        raise WorldError(msg) from error
    if answer.status != 200:
        text = answer.body.decode(errors="replace").strip()[:200]
        msg = f"the alerts that fired cannot be asked for: Alertmanager answers {answer.status}: {text}"
        raise WorldError(msg)
    found: list[dict[str, Any]] = json.loads(answer.body)
    return [alert for alert in found if alert["status"]["state"] == "active"]


def _lately(cluster: Cluster) -> bool:
    since = cluster.clock.now() - LATELY_S
    return any(_seconds(alert["startsAt"]) >= since for alert in _active(cluster))


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _common(sets: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """What all have alike."""
    first, *others = sets
    return {
        name: value
        for name, value in first.items()
        if all(other.get(name) == value for other in others)
    }
