"""Alerts as the page that an engineer on call gets: what fires, since when, about what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_up.terminal import indented

if TYPE_CHECKING:
    from collections.abc import Mapping

# What the first line of an alert has said already, and what says nothing about where it is.
_SAID = ("alertname", "severity")
_TEXTS = ("summary", "description", "message")


def page(notification: Mapping[str, Any], width: int) -> str:
    """A notification of Alertmanager as text, the alerts in its order."""
    alerts = notification["alerts"]
    count = len(alerts) + notification.get("truncatedAlerts", 0)
    lines = [f"PAGE: {count} {'alert is' if count == 1 else 'alerts are'} firing"]
    for alert in alerts:
        labels, annotations = alert["labels"], alert["annotations"]
        severity = labels.get("severity", "")
        name = f"{labels.get('alertname', 'alert')}{f' ({severity})' if severity else ''}"
        lines.append(f"\n  {name}, since {alert['startsAt']}")
        told = [annotations[field] for field in _TEXTS if annotations.get(field)]
        lines += [indented(text, "    ", width) for text in dict.fromkeys(told)]
        where = ", ".join(f"{key}={value}" for key, value in labels.items() if key not in _SAID)
        if where:
            lines.append(indented(where, "    ", width))
    left_out = notification.get("truncatedAlerts", 0)
    if left_out:
        lines.append(f"\n  and {left_out} more")
    return "\n".join(lines)
