"""One look at a cluster: each list of objects is read at most once."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.cluster import Cluster, KubeObject
    from sregym_core.model import ObjectRef


class Snapshot:
    """Objects of the cluster at one moment, read on demand and kept.

    Checks that share a glance see the same moment, and a cluster far away gets a dozen requests
    and not a hundred. Make a new one whenever time may have passed.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lists: dict[tuple[str, str, str], list[KubeObject]] = {}
        self._by_name: dict[tuple[str, str, str], Mapping[str, KubeObject]] = {}

    def like(self, other: Snapshot) -> bool:
        """Whether all that the other one has seen is here, too, object by object the very same.

        Where a cluster gives out what has not changed again, as simulated ones do, a check that was
        made with the other one comes out the same with this.
        """
        for key, seen in other._lists.items():
            now = self._listed(key)
            if len(now) != len(seen) or not all(map(is_, now, seen)):
                return False
        return True

    def same(self, obj: KubeObject) -> KubeObject | None:
        """What stands now at the address of an object, or None."""
        metadata = obj["metadata"]
        listed = self._list(obj["apiVersion"], obj["kind"], metadata.get("namespace", ""))
        return listed.get(metadata["name"])

    def at(self, ref: ObjectRef) -> KubeObject | None:
        """What stands now at an address, or None."""
        return self._list(ref.api_version, ref.kind, ref.namespace).get(ref.name)

    def pods(self, workload: KubeObject) -> list[KubeObject]:
        """Pods with all labels that the workload's selector requires; none for an empty selector.

        A Pod is its own; those of a CronJob are those of its Jobs that are not finished.
        """
        if workload["kind"] == "Pod":
            return [workload]
        if workload["kind"] == "CronJob":
            return [pod for job in self._running_jobs(workload) for pod in self.pods(job)]
        selector = workload["spec"].get("selector") or {}
        labels: Mapping[str, str] = selector.get("matchLabels") or {}
        if not labels:
            return []
        pods = self._list("v1", "Pod", workload["metadata"].get("namespace", ""))
        return [
            pod
            for pod in pods.values()
            if labels.items() <= (pod["metadata"].get("labels") or {}).items()
        ]

    def _running_jobs(self, cronjob: KubeObject) -> list[KubeObject]:
        names = [one["name"] for one in (cronjob.get("status") or {}).get("active") or ()]
        listed = self._list("batch/v1", "Job", cronjob["metadata"].get("namespace", ""))
        return [listed[name] for name in names if name in listed]

    def _list(self, api_version: str, kind: str, namespace: str) -> Mapping[str, KubeObject]:
        key = (api_version, kind, namespace)
        if key not in self._by_name:
            self._by_name[key] = {obj["metadata"]["name"]: obj for obj in self._listed(key)}
        return self._by_name[key]

    def _listed(self, key: tuple[str, str, str]) -> list[KubeObject]:
        if key not in self._lists:
            self._lists[key] = self._cluster.list(*key)
        return self._lists[key]
