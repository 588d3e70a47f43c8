"""Objects and events of a cluster over time, by looking again and again."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sregym_core.interfaces import Cluster
    from sregym_core.interfaces.cluster import KubeObject

_NS = 1_000_000_000
# Secrets are left out: what is published is not to hold keys, not even those of simulations.
_KINDS = (
    *(("v1", "Pod"), ("v1", "Service"), ("v1", "ConfigMap"), ("v1", "PersistentVolumeClaim")),
    *(("apps/v1", "Deployment"), ("apps/v1", "StatefulSet"), ("apps/v1", "DaemonSet")),
    *(("apps/v1", "ReplicaSet"), ("batch/v1", "Job"), ("batch/v1", "CronJob")),
    *(("networking.k8s.io/v1", "NetworkPolicy"), ("networking.k8s.io/v1", "Ingress")),
    *(("autoscaling/v2", "HorizontalPodAutoscaler"), ("discovery.k8s.io/v1", "EndpointSlice")),
)
_CLUSTER_WIDE = (("v1", "Node"), ("v1", "PersistentVolume"))


class Watched:
    """Looks at a cluster and notes what is new, changed or gone since the look before.

    Args:
        namespaces: The namespaces of the objects.
        component: Gives the name of the component to which an object belongs, by kind and name.
    """

    def __init__(self, namespaces: Sequence[str], component: Callable[[str, str], str]) -> None:
        self.rows: list[dict[str, Any]] = []
        self._namespaces = namespaces
        self._component = component
        self._known: dict[tuple[str, str, str], str] = {}
        self._events: dict[tuple[str, int], dict[str, Any]] = {}

    def look(self, cluster: Cluster) -> None:
        """Note what stands there now."""
        at = round(cluster.clock.now() * _NS)
        here: set[tuple[str, str, str]] = set()
        for kind, obj in self._there(cluster):
            metadata = obj["metadata"]
            key = (kind, metadata.get("namespace", ""), metadata["name"])
            version = str(metadata.get("resourceVersion", ""))
            here.add(key)
            if self._known.get(key) != version:
                change = "MODIFIED" if key in self._known else "ADDED"
                self._known[key] = version
                self._note(at, change, key, version, obj)
        for key in sorted(self._known.keys() - here):
            self._note(at, "DELETED", key, self._known.pop(key), None)
        for name in self._namespaces:
            for event in cluster.list("v1", "Event", name):
                row = self._event(event)
                self._events[(str(event["metadata"].get("uid")), row["count"])] = row

    @property
    def events(self) -> list[dict[str, Any]]:
        """The events that were there at any look, oldest first."""
        return sorted(self._events.values(), key=lambda row: int(row["timestamp"]))

    def _there(self, cluster: Cluster) -> Iterator[tuple[str, KubeObject]]:
        for version, kind in _KINDS:
            for name in self._namespaces:
                for obj in _listed(cluster, version, kind, name):
                    yield kind, obj
        for version, kind in _CLUSTER_WIDE:
            for obj in _listed(cluster, version, kind, ""):
                yield kind, obj

    def _note(
        self,
        at: int,
        change: str,
        key: tuple[str, str, str],
        version: str,
        obj: Mapping[str, Any] | None,
    ) -> None:
        kind, namespace, name = key
        self.rows.append(
            {
                "timestamp": at,
                "change": change,
                "component": self._component(kind, name),
                "kind": kind,
                "namespace": namespace,
                "name": name,
                "resource_version": version,
                "object": "" if obj is None else json.dumps(obj, sort_keys=True),
            }
        )

    def _event(self, event: Mapping[str, Any]) -> dict[str, Any]:
        about = event.get("involvedObject") or event.get("regarding") or {}
        series: Mapping[str, Any] = event.get("series") or {}
        last = (
            event.get("lastTimestamp")
            or series.get("lastObservedTime")
            or event.get("eventTime")
            or event["metadata"]["creationTimestamp"]
        )
        kind, name = str(about.get("kind", "")), str(about.get("name", ""))
        return {
            "timestamp": round(datetime.fromisoformat(str(last)).timestamp() * 1000) * 1_000_000,
            "component": self._component(kind, name),
            "namespace": event["metadata"].get("namespace", ""),
            "kind": kind,
            "name": name,
            "type": event.get("type") or "",
            "reason": event.get("reason") or "",
            "message": event.get("message") or event.get("note") or "",
            "count": int(event.get("count") or series.get("count") or 1),
        }


def _listed(cluster: Cluster, version: str, kind: str, namespace: str) -> Sequence[KubeObject]:
    try:
        return cluster.list(version, kind, namespace)
    except ClusterError as error:
        if error.status in (403, 404):
            return ()
        raise
