"""Alerts that wait or fire, as the cluster's own Prometheus tells them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson

from sregym_cluster_embedded.api.request import Request
from sregym_cluster_embedded.telemetry.endpoints import SERVICES, service

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

_SOURCE = "prometheus"
_PATH = "/api/v1/alerts"
# Annotations that say in words what is wrong, the shortest first.
_WORDS = ("summary", "message", "description")


def alerts(world: World) -> dict[str, Any]:
    """Pending and firing alerts: firing ones first, then the oldest first."""
    if _SOURCE not in SERVICES:
        return {"alerts": []}
    answer = service(_SOURCE)(world, Request("GET", _PATH))
    rows = [alert_row(alert) for alert in orjson.loads(answer.body)["data"]["alerts"]]
    rows.sort(key=lambda row: (row["state"] != "firing", row["since"], row["name"], row["summary"]))
    return {"alerts": rows}


def alert_row(alert: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of an alert of the HTTP API; labels stand in for missing words."""
    labels, words = alert["labels"], alert.get("annotations") or {}
    known = {name: value for name, value in labels.items() if name not in ("alertname", "severity")}
    listed = ", ".join(f"{name}={value}" for name, value in sorted(known.items()))
    since = datetime.fromisoformat(_to_microseconds(alert["activeAt"]))
    return {
        "name": labels.get("alertname", ""),
        "state": alert["state"],
        "severity": labels.get("severity", ""),
        "since": round(since.timestamp(), 3),
        "summary": next((words[name] for name in _WORDS if words.get(name)), listed),
        "labels": labels,
    }


def _to_microseconds(text: str) -> str:
    """RFC 3339 as Go prints it has nine digits of a second, Python reads six."""
    whole, dot, rest = text.replace("Z", "+00:00").partition(".")
    if not dot:
        return whole
    sign = max(rest.find("+"), rest.find("-"))
    return f"{whole}.{rest[:sign][:6].ljust(6, '0')}{rest[sign:]}"
