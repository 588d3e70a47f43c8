"""A cluster that keeps objects and runs nothing: enough to test what edits API objects.

There are no controllers, pods, logs or traffic. Workloads count as rolled out as soon as they are
accepted. Authors who need programs that run take their cluster from a cluster plugin instead.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

from sregym_core.interfaces import (
    Checkpoint,
    Clock,
    Cluster,
    ClusterError,
    ClusterProvider,
    ClusterSpec,
    Command,
    CommandResult,
    Finding,
)
from sregym_core.model import ObjectRef
from sregym_core.testing.commands import run_kubectl
from sregym_core.testing.patches import apply_patch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sregym_core.interfaces import Access
    from sregym_core.interfaces.cluster import KubeObject

START_S = 1_700_000_000.0
_WORKLOADS = ("Deployment", "StatefulSet", "ReplicaSet")
_SCOPED_BY_NAME = ("Namespace", "Node", "PersistentVolume", "ClusterRole", "ClusterRoleBinding")


class MemoryClock(Clock):
    """Virtual time that moves only when told to."""

    def __init__(self, now: float = START_S) -> None:
        self._now = now

    def now(self) -> float:
        """Seconds since the Unix epoch."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass; nothing happens meanwhile."""
        self._now += seconds

    def spend(self, seconds: float) -> None:
        """Actions take virtual time."""
        self._now += seconds


class MemoryCluster(Cluster):
    """Objects by reference. Refusals carry the words of a real API server."""

    def __init__(self, clock: MemoryClock | None = None) -> None:
        self._clock = clock or MemoryClock()
        self._objects: dict[ObjectRef, KubeObject] = {}
        self._revision = 0
        for name in ("default", "kube-system"):
            self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    @property
    def clock(self) -> Clock:
        """Virtual time."""
        return self._clock

    def get(self, ref: ObjectRef) -> KubeObject | None:
        """A copy of the object."""
        return copy.deepcopy(self._objects.get(ref))

    def list(
        self, api_version: str, kind: str, namespace: str = "", selector: str = ""
    ) -> list[KubeObject]:
        """Copies of the objects; selectors of the form `key=value,key=value`."""
        wanted = dict(pair.split("=", 1) for pair in selector.split(",") if pair)
        found = [
            obj
            for ref, obj in self._objects.items()
            if (ref.api_version, ref.kind) == (api_version, kind)
            and namespace in ("", ref.namespace)
            and wanted.items() <= obj["metadata"].get("labels", {}).items()
        ]
        found.sort(key=lambda o: (o["metadata"].get("namespace", ""), o["metadata"]["name"]))
        return copy.deepcopy(found)

    def create(self, obj: KubeObject) -> KubeObject:
        """Create an object in a namespace that exists."""
        ref = _reference(obj)
        if ref in self._objects:
            raise _refusal(409, "AlreadyExists", ref, "already exists")
        if ref.namespace and _namespace(ref.namespace) not in self._objects:
            raise _refusal(404, "NotFound", _namespace(ref.namespace), "not found")
        return self._store(ref, obj, {})

    def replace(self, obj: KubeObject) -> KubeObject:
        """Replace an object; a resourceVersion that is not current is a conflict."""
        ref = _reference(obj)
        current = self._existing(ref)
        version = obj["metadata"].get("resourceVersion")
        if version not in (None, current["metadata"]["resourceVersion"]):
            what = "the object has been modified; please apply your changes to the latest version"
            raise ClusterError(409, "Conflict", f"Operation cannot be fulfilled on {ref}: {what}")
        return self._store(ref, obj, current)

    def patch(self, ref: ObjectRef, patch: Any, kind: str = "strategic") -> KubeObject:
        """Patch an object."""
        current = self._existing(ref)
        try:
            patched = apply_patch(current, patch, kind)
        except ValueError as error:
            raise ClusterError(422, "Invalid", f"the patch cannot be applied: {error}") from error
        return self._store(ref, patched, current)

    def delete(self, ref: ObjectRef, propagation: str = "Background") -> None:
        """Delete at once; a namespace goes with all that is in it."""
        self._objects.pop(ref, None)
        if ref.kind == "Namespace":
            for other in [other for other in self._objects if other.namespace == ref.name]:
                del self._objects[other]

    def logs(
        self,
        namespace: str,
        pod: str,
        container: str = "",
        *,
        since_s: float | None = None,
        previous: bool = False,
    ) -> str:
        """Nothing: no program runs. The pod must exist as an object."""
        self._existing(_pod(namespace, pod))
        return ""

    def exec(
        self, namespace: str, pod: str, command: Sequence[str], container: str = "", stdin: str = ""
    ) -> CommandResult:
        """Exit code 127, as where a program is not found. The pod must exist as an object."""
        self._existing(_pod(namespace, pod))
        return CommandResult(127, stderr=f"{command[0]}: not found")

    def kubectl(self, command: Command) -> CommandResult:
        """The subcommands that change objects, see `sregym_core.testing.commands`."""
        return run_kubectl(self, command)

    def hidden_state(self) -> Mapping[str, str]:
        """Nothing is hidden."""
        return {}

    def open_access(self) -> Access:
        """Refuse: there is no server."""
        raise ClusterError(0, "", "a memory cluster has no address; take one from a cluster plugin")

    def close(self) -> None:
        """Nothing to release."""

    def checkpoint(self) -> Checkpoint:
        """A copy of everything."""
        return _MemoryCheckpoint(self._clock.now(), copy.deepcopy(self._objects), self._revision)

    def _existing(self, ref: ObjectRef) -> KubeObject:
        if ref not in self._objects:
            raise _refusal(404, "NotFound", ref, "not found")
        return self._objects[ref]

    def _store(self, ref: ObjectRef, obj: KubeObject, before: KubeObject) -> KubeObject:
        stored = copy.deepcopy(obj)
        metadata, old = stored["metadata"], before.get("metadata", {})
        self._revision += 1
        changed = stored.get("spec") != before.get("spec")
        metadata["generation"] = old.get("generation", 0) + (1 if changed or not before else 0)
        metadata["resourceVersion"] = str(self._revision)
        metadata["uid"] = old.get("uid", f"00000000-0000-4000-8000-{self._revision:012d}")
        if ref.kind in _WORKLOADS:
            stored["status"] = _rolled_out(stored)
        self._objects[ref] = stored
        return copy.deepcopy(stored)


class _MemoryCheckpoint(Checkpoint):
    def __init__(self, now: float, objects: dict[ObjectRef, KubeObject], revision: int) -> None:
        self._now, self._objects, self._revision = now, objects, revision

    def fork(self, spec: ClusterSpec) -> Cluster:
        """A cluster with the same objects and time."""
        fork = MemoryCluster(MemoryClock(self._now))
        fork._objects = copy.deepcopy(self._objects)
        fork._revision = self._revision
        return fork


class MemoryProvider(ClusterProvider):
    """Gives memory clusters; not registered anywhere, for tests alone."""

    name: ClassVar[str] = "memory"

    def provision(self, spec: ClusterSpec) -> Cluster:
        """An empty cluster."""
        return MemoryCluster()

    def examine(self, options: Mapping[str, str]) -> Sequence[Finding]:
        """Always all right."""
        return [Finding("memory", ok=True)]


def _reference(obj: KubeObject) -> ObjectRef:
    metadata = obj["metadata"]
    scoped = obj["kind"] in _SCOPED_BY_NAME
    return ObjectRef(
        api_version=obj["apiVersion"],
        kind=obj["kind"],
        namespace="" if scoped else metadata.get("namespace", "default"),
        name=metadata["name"],
    )


def _rolled_out(workload: KubeObject) -> dict[str, int]:
    wanted = workload.get("spec", {}).get("replicas", 1)
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    generation = workload["metadata"]["generation"]
    return {"observedGeneration": generation, **dict.fromkeys(counts, wanted)}


def _namespace(name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Namespace", name=name)


def _pod(namespace: str, name: str) -> ObjectRef:
    return ObjectRef(api_version="v1", kind="Pod", namespace=namespace, name=name)


def _refusal(status: int, reason: str, ref: ObjectRef, what: str) -> ClusterError:
    group = ref.api_version.partition("/")[0] if "/" in ref.api_version else ""
    resource = f"{ref.kind.lower()}s" + (f".{group}" if group else "")
    return ClusterError(status, reason, f'{resource} "{ref.name}" {what}')
