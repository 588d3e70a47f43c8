"""Which pod `deploy/web` means to `logs` and `exec`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubectl.errors import NotCovered
from sregym_cluster_embedded.kubectl.go_sort import go_sorted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.store import Object

_PHASES = {"Running": 0, "Unknown": 1, "Pending": 2}


def selector_of(obj: Object) -> str:
    """The label selector by which a workload or Service finds its pods."""
    spec = obj.get("spec", {})
    if obj["kind"] == "Service":
        labels = spec.get("selector") or {}
    else:
        selector = spec.get("selector") or {}
        if selector.get("matchExpressions"):
            raise NotCovered("a selector with expressions")
        labels = selector.get("matchLabels") or {}
    if not labels:
        raise NotCovered(f"the pods of a {obj['kind']}")
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels))


def best_pod(pods: Sequence[Object], restarted_first: bool) -> Object:
    """The pod that kubectl prefers: assigned, running, ready for longest, oldest.

    Args:
        pods: In the order of the server.
        restarted_first: Whether more restarts are better (`logs`) or worse (`exec`).
    """

    def rank(pod: Object) -> tuple[Any, ...]:
        status = pod.get("status", {})
        conditions = status.get("conditions", ())
        ready: Object = next((c for c in conditions if c["type"] == "Ready"), {})
        is_ready = ready.get("status") == "True"
        restarts = max(
            (entry.get("restartCount", 0) for entry in status.get("containerStatuses", ())),
            default=0,
        )
        return (
            not pod["spec"].get("nodeName"),
            _PHASES.get(status.get("phase", ""), 0),
            not is_ready,
            ready.get("lastTransitionTime", "") if is_ready else "",
            -restarts if restarted_first else restarts,
            pod["metadata"]["creationTimestamp"],
        )

    return go_sorted(pods, rank)[0]
