"""Where a component can look abnormal: what must be read to see that it does."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_agents.survey.shortcuts import alerted, complaints, is_ready, restarts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_agents.survey.listed import Listing


def _alerts(seen: Listing) -> set[str]:
    return {name for alert in seen.alerts if (name := alerted(seen, alert))}


def _pods(seen: Listing) -> set[str]:
    """Components whose pods are not ready, or that have fewer than they want."""
    names = {name for name, pod in seen.owned("Pod") if not is_ready(pod)}
    for name, workload in seen.owned("Deployment", "StatefulSet"):
        wanted = workload["spec"].get("replicas", 1)
        ready = (workload.get("status") or {}).get("readyReplicas", 0)
        if ready < wanted or not wanted:
            names.add(name)
    return names


def _events(seen: Listing) -> set[str]:
    return {name for name, event in seen.events if event["type"] == "Warning"}


def _endpoints(seen: Listing) -> set[str]:
    """Components whose Services have no ready endpoint."""
    ready: dict[str, bool] = {}
    for name, part in seen.owned("EndpointSlice"):
        found = any(
            (endpoint.get("conditions") or {}).get("ready")
            for endpoint in part.get("endpoints") or ()
        )
        ready[name] = ready.get(name, False) or found
    return {name for name, any_ready in ready.items() if not any_ready}


def _logs_of_others(seen: Listing) -> set[str]:
    """Whom the error lines of other components name."""
    lines = [(seen.of_pod(line.pod), line.text) for line in seen.lines]
    return {
        name
        for name in seen.components
        if any(owner != name and names_whole(text, name) for owner, text in lines)
    }


def names_whole(text: str, name: str) -> bool:
    """Whether a line names a component as a whole word."""
    start = text.find(name)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(name) :][:1]
        if not any(char.isalnum() or char in "-_" for char in (before, after) if char):
            return True
        start = text.find(name, start + 1)
    return False


# In the order in which people look.
SIGNALS: Mapping[str, Callable[[Listing], set[str]]] = MappingProxyType(
    {
        "alerts": _alerts,
        "pods": _pods,
        "restarts": lambda seen: {*restarts(seen)},
        "events": _events,
        "endpoints": _endpoints,
        "logs": lambda seen: {*complaints(seen)},
        "logs of others": _logs_of_others,
    }
)
