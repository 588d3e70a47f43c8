"""Guesses of who is to blame that need no knowledge of the trade.

Each names the components that stand out in one way. Ages and last changes should hit the broken one
about as often as a draw by lot; symptoms may show more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from sregym_agents.survey.audited import AUDITED
from sregym_agents.survey.listed import DECLARED

if TYPE_CHECKING:
    from sregym_agents.survey.listed import KubeObject, Listing

Shortcut: TypeAlias = Callable[["Listing"], set[str]]

# Controllers write the state of things; only people and pipelines write what is wanted.
CONTROLLERS = ("kube-controller-manager", "kubelet", "kube-scheduler")


def _highest(found: Iterable[tuple[str, Any]]) -> set[str]:
    """Names with the highest key of all."""
    pairs = [*found]
    top = max((key for _, key in pairs), default=None)
    return {name for name, key in pairs if key == top}


def _created(seen: Listing, kind: str) -> list[tuple[str, str]]:
    return [(name, obj["metadata"]["creationTimestamp"]) for name, obj in seen.owned(kind)]


def youngest_pod(seen: Listing) -> set[str]:
    """Who owns the pod that was created last."""
    return _highest(_created(seen, "Pod"))


def youngest_pod_but(count: int) -> Shortcut:
    """Who owns the youngest pod, the components with the `count` youngest ones left out."""

    def look_past(seen: Listing) -> set[str]:
        pods = _created(seen, "Pod")
        for _ in range(count):
            first = _highest(pods)
            pods = [pair for pair in pods if pair[0] not in first]
        return _highest(pods)

    return look_past


def newest_replica_set(seen: Listing) -> set[str]:
    """Who owns the ReplicaSet that was created last."""
    return _highest(_created(seen, "ReplicaSet"))


def _entries(obj: KubeObject) -> list[Mapping[str, Any]]:
    return [entry for entry in obj["metadata"].get("managedFields", ()) if entry.get("time")]


def last_managed(seen: Listing) -> set[str]:
    """The component whose object was written last, by any field manager."""
    return _highest((n, e["time"]) for n, o in seen.owned(*DECLARED) for e in _entries(o))


def last_edited(seen: Listing) -> set[str]:
    """The component whose object was written last by a field manager that is no controller."""
    return _highest(
        (name, entry["time"])
        for name, obj in seen.owned(*DECLARED)
        for entry in _entries(obj)
        if entry["manager"] not in CONTROLLERS
    )


def highest_version(seen: Listing) -> set[str]:
    """The component whose declared object has the highest resourceVersion."""
    owned = seen.owned(*DECLARED)
    return _highest((name, int(obj["metadata"]["resourceVersion"])) for name, obj in owned)


def highest_generation(seen: Listing) -> set[str]:
    """The component whose workload has the highest generation."""
    owned = seen.owned(*DECLARED)
    return _highest((name, obj["metadata"].get("generation", 0)) for name, obj in owned)


def odd_manager(seen: Listing) -> set[str]:
    """Who has the rarest manager; where several are as rare, all of whom they wrote."""
    managers: dict[str, set[str]] = {}
    for name, obj in seen.owned(*DECLARED):
        for entry in _entries(obj):
            if entry["manager"] not in CONTROLLERS:
                managers.setdefault(entry["manager"], set()).add(name)
    least = min(map(len, managers.values()), default=0)
    return {name for names in managers.values() if len(names) == least for name in names}


def restarts(seen: Listing) -> Counter[str]:
    """How often containers of each component were restarted; those that never were are missing."""
    counts: Counter[str] = Counter()
    for name, pod in seen.owned("Pod"):
        for status in (pod.get("status") or {}).get("containerStatuses") or ():
            counts[name] += status["restartCount"]
    return +counts


def most_restarts(seen: Listing) -> set[str]:
    """The component whose containers were restarted most often."""
    return _highest(restarts(seen).items())


def first_warning(seen: Listing) -> set[str]:
    """To whom the oldest warning refers."""
    return next(({name} for name, event in seen.events if event["type"] == "Warning"), set())


def last_warning(seen: Listing) -> set[str]:
    """To whom the newest warning refers."""
    found = [name for name, event in seen.events if event["type"] == "Warning"]
    return {found[-1]} if found else set()


def alerted(seen: Listing, alert: Mapping[str, str]) -> str | None:
    """The component that an alert names."""
    for label in ("deployment", "statefulset", "daemonset", "service_name", "service", "container"):
        if alert.get(label) in seen.components:
            return alert[label]
    return seen.of_pod(alert["pod"]) if "pod" in alert else None


def first_alert(seen: Listing) -> set[str]:
    """Whom the alert names that fired first."""
    return next(({name} for alert in seen.alerts if (name := alerted(seen, alert))), set())


def complaints(seen: Listing) -> Counter[str]:
    """Number of lines of logs that report an error, by component."""
    return Counter(name for line in seen.lines if (name := seen.of_pod(line.pod)))


def most_errors_logged(seen: Listing) -> set[str]:
    """Who logged the most errors."""
    return _highest(complaints(seen).items())


def first_to_complain(seen: Listing) -> set[str]:
    """Who logged the oldest of the errors that were read."""
    return next(({name} for line in seen.lines if (name := seen.of_pod(line.pod))), set())


def not_ready(seen: Listing) -> set[str]:
    """The component whose pods are not ready, if it is the only one."""
    names = {name for name, pod in seen.owned("Pod") if not is_ready(pod)}
    return names if len(names) == 1 else set()


def is_ready(pod: KubeObject) -> bool:
    """Whether a pod is ready, or has ended as it should."""
    status = pod.get("status") or {}
    if status.get("phase") == "Succeeded":
        return True
    conditions = status.get("conditions") or ()
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


AGES: Mapping[str, Shortcut] = MappingProxyType(
    {
        "youngest pod": youngest_pod,
        "newest ReplicaSet": newest_replica_set,
        "last managedFields time": last_managed,
        "last managedFields time, no controllers": last_edited,
        "highest resourceVersion": highest_version,
        "highest generation": highest_generation,
        "rarest manager": odd_manager,
    }
)
SYMPTOMS: Mapping[str, Shortcut] = MappingProxyType(
    {
        "most restarts": most_restarts,
        "first Warning event": first_warning,
        "last Warning event": last_warning,
        "first alert": first_alert,
        "most errors logged": most_errors_logged,
        "first error logged": first_to_complain,
        "only one not ready": not_ready,
    }
)
SHORTCUTS: Mapping[str, Shortcut] = MappingProxyType({**AGES, **AUDITED, **SYMPTOMS})
