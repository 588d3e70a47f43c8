"""Which workload a pod belongs to, how many pods it wants and has, and who answers for a host."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.store import Key
from sregym_cluster_embedded.telemetry.object_history import Past

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

# Resource -> (kind, where the wanted and the ready number of pods stand).
_OWNERS = {
    "deployments.apps": ("Deployment", ("spec", "replicas"), "readyReplicas"),
    "statefulsets.apps": ("StatefulSet", ("spec", "replicas"), "readyReplicas"),
    "daemonsets.apps": ("DaemonSet", ("status", "desiredNumberScheduled"), "numberReady"),
}
SYSTEM = frozenset({"kube-system", "kube-public", "kube-node-lease"})


class Workload(NamedTuple):
    """A part of the system as people speak of it.

    Attributes:
        namespace: Of its pods.
        name: Of the Deployment, StatefulSet, DaemonSet or Job; of the pod when nothing owns it.
        kind: Of that object; empty when it is gone.
        desired: Pods that it wants.
        ready: Pods of it that are ready.
        labels: Of its pods.
    """

    namespace: str
    name: str
    kind: str = ""
    desired: int = 0
    ready: int = 0
    labels: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """`NAMESPACE/NAME`."""
        return f"{self.namespace}/{self.name}"


class Census:
    """The workloads of a world, for one question about it.

    Args:
        world: The world of the workloads.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._past = Past(world)
        self._of_pod: dict[str, str] = {}
        self.present: dict[str, Workload] = {}
        for resource, (kind, wanted, ready) in _OWNERS.items():
            for obj in world.store.list(resource):
                found = _workload(obj, kind, wanted, ready)
                self.present[found.id] = found
        for pod in world.store.list("pods"):
            self._add_bare(pod)

    def of_container(self, ref: ContainerRef) -> str:
        """The id of the workload that a container belongs or belonged to."""
        known = self._of_pod.get(ref.pod_uid)
        if known is None:
            pod = self._pod(ref)
            name = ref.pod if pod is None else owner_of(pod)[1]
            known = self._of_pod[ref.pod_uid] = f"{ref.namespace}/{name}"
        return known

    def behind(self, host: str, namespace: str) -> str:
        """The id of the workload that a host name leads to, or led to; empty when none is known.

        Args:
            host: As a client dials it: a Service's name, possibly with its namespace.
            namespace: Of the client.
        """
        name, *rest = host.split(".")
        namespace = rest[0] if rest else namespace
        line = self._past.one(Key("services", namespace, name))
        for version in reversed(line.versions):
            selector = ((version.obj or {}).get("spec") or {}).get("selector") or {}
            found = self._selected(namespace, selector)
            if found:
                return found
        same = f"{namespace}/{name}"
        return same if same in self.present else ""

    def deleted_services(self) -> dict[str, list[str]]:
        """By the id of a workload that is there, the names of Services that led to it and are gone.

        One that another Service stands in for is left out, such as a second name that was cleared
        away; that of the workload's own name counts always.
        """
        reached = {
            self._selected(obj["metadata"]["namespace"], obj["spec"].get("selector") or {})
            for obj in self._world.store.list("services")
        }
        found: dict[str, list[str]] = {}
        for line in self._past.of("services"):
            if line.versions and line.versions[-1].obj is None:
                namespace, name = line.key.namespace, line.key.name
                led_to = self.behind(name, namespace)
                if led_to and (led_to not in reached or led_to == f"{namespace}/{name}"):
                    found.setdefault(led_to, []).append(name)
        return found

    def _selected(self, namespace: str, selector: dict[str, str]) -> str:
        wanted = set(selector.items())
        for workload in self.present.values():
            if wanted and workload.namespace == namespace and wanted <= set(workload.labels):
                return workload.id
        return ""

    def _pod(self, ref: ContainerRef) -> Object | None:
        key = Key("pods", ref.namespace, ref.pod)
        present = self._world.store.get(key)
        if present is not None and present["metadata"]["uid"] == ref.pod_uid:
            return present
        versions = (version.obj for version in self._past.one(key).versions)
        known = [obj for obj in versions if obj and obj["metadata"]["uid"] == ref.pod_uid]
        return known[-1] if known else None

    def _add_bare(self, pod: Object) -> None:
        kind, name = owner_of(pod)
        namespace = pod["metadata"].get("namespace", "")
        if f"{namespace}/{name}" in self.present or kind not in ("Pod", "Job", "ReplicaSet"):
            return
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            return
        labels = tuple(sorted((pod["metadata"].get("labels") or {}).items()))
        found = Workload(namespace, name, kind, 1, int(is_ready(pod)), labels)
        self.present[found.id] = found


def owner_of(pod: Object) -> tuple[str, str]:
    """Kind and name of what a pod is counted to: its controller, for ReplicaSets their owner."""
    for owner in pod["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            kind, name = owner["kind"], owner["name"]
            hashed = (pod["metadata"].get("labels") or {}).get("pod-template-hash", "")
            if kind == "ReplicaSet" and hashed and name.endswith(f"-{hashed}"):
                return "Deployment", name.removesuffix(f"-{hashed}")
            return kind, name
    return "Pod", pod["metadata"]["name"]


def is_ready(pod: Object) -> bool:
    """Whether the condition Ready is true."""
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in conditions)


def _workload(obj: Object, kind: str, wanted: tuple[str, str], ready: str) -> Workload:
    metadata, status = obj["metadata"], obj.get("status") or {}
    template = obj["spec"].get("template") or {}
    labels = (template.get("metadata") or {}).get("labels") or {}
    return Workload(
        metadata.get("namespace", ""),
        metadata["name"],
        kind,
        (obj.get(wanted[0]) or {}).get(wanted[1], 0),
        status.get(ready, 0),
        tuple(sorted(labels.items())),
    )
