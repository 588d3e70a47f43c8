"""Pods that follow their workloads, and what becomes of the programs in them.

One controller serves all kinds of workload. As on a real cluster a rolling update keeps as many old
pods as `maxUnavailable` asks for until the new ones are ready, the strategy `Recreate` removes them
first, and what runs does not notice when its ConfigMap or image goes.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from sregym_core.model import ObjectRef
from sregym_kubernetes.copying import copied

from sregym_testing.memory.clock import timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces.cluster import KubeObject

WORKLOADS = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
CRASH_EVERY_S = 10.0
# More pods than any workload of a test has.
MANY = 10_000
_MEBIBYTES = {"": 1 / 2**20, "Ki": 1 / 2**10, "Mi": 1.0, "Gi": 2.0**10}


@dataclass(frozen=True)
class Program:
    """What runs in a container of an image.

    Attributes:
        port: On which it listens; None for the ports that the container declares.
        memory_mib: Resident memory; a smaller limit kills it every ten seconds.
        start_s: From start to ready.
        crash_after_s: Seconds of life after which it exits once, None for never.
    """

    port: int | None = None
    memory_mib: float = 32.0
    start_s: float = 3.0
    crash_after_s: float | None = None


# What runs where a test does not say: ready at once, with any memory.
ANY_PROGRAM = Program(memory_mib=0.0, start_s=0.0)

# By image; an image that is not in it cannot be pulled. None: every image runs `ANY_PROGRAM`.
Programs: TypeAlias = "Mapping[str, Program] | None"


@dataclass(frozen=True)
class Start:
    """How the attempt to start a container went.

    Attributes:
        program: What runs, or would.
        since_s: When it began to run, or to fail.
        trouble: Why it does not run, as the kubelet puts it; empty when it does.
    """

    program: Program
    since_s: float
    trouble: str = ""

    def ready_at(self, moment_s: float) -> bool:
        """Whether it is ready at a moment."""
        age_s, crash_s = moment_s - self.since_s, self.program.crash_after_s
        if crash_s is not None and age_s >= crash_s:
            age_s -= crash_s
        return not self.trouble and age_s >= self.program.start_s

    def status_at(self, name: str, moment_s: float) -> dict[str, Any]:
        """An entry of containerStatuses."""
        age_s, crash_s = moment_s - self.since_s, self.program.crash_after_s
        restarts = int(crash_s is not None and age_s >= crash_s)
        if self.trouble == "CrashLoopBackOff":
            restarts = int(age_s // CRASH_EVERY_S)
        state = {"waiting": {"reason": self.trouble}} if self.trouble else {"running": {}}
        ready = self.ready_at(moment_s)
        return {"name": name, "ready": ready, "restartCount": restarts, "state": state}


@dataclass(frozen=True)
class State:
    """All of a cluster at one moment. It is immutable: each write makes a new one.

    Attributes:
        objects: What the API knows.
        starts: Pod -> container -> how it started.
        templates: Workload -> digests of its pod templates, in order of appearance.
    """

    objects: Mapping[ObjectRef, KubeObject] = field(default_factory=dict)
    starts: Mapping[ObjectRef, Mapping[str, Start]] = field(default_factory=dict)
    templates: Mapping[ObjectRef, tuple[str, ...]] = field(default_factory=dict)


def rolled_out(workload: KubeObject) -> bool:
    """Whether all wanted pods run the current template and are ready, and no older one is left."""
    status = workload.get("status", {})
    if status.get("observedGeneration", 0) < workload["metadata"]["generation"]:
        return False
    if workload["kind"] == "DaemonSet":
        return bool(status["numberReady"] == status["desiredNumberScheduled"])
    wanted = workload["spec"].get("replicas", 1)
    return bool(status["replicas"] == wanted and status["readyReplicas"] == wanted)


def is_ready(pod: KubeObject) -> bool:
    """Whether the pod's Ready condition is true."""
    conditions = pod.get("status", {}).get("conditions", [])
    return any((c["type"], c["status"]) == ("Ready", "True") for c in conditions)


def owned_by(obj: KubeObject, owner: ObjectRef) -> bool:
    """Whether an object belongs to a workload of its namespace."""
    metadata = obj["metadata"]
    return metadata.get("namespace", "") == owner.namespace and any(
        (other.get("kind"), other.get("name")) == (owner.kind, owner.name)
        for other in metadata.get("ownerReferences", ())
    )


def shown_at(pod: KubeObject, starts: Mapping[str, Start], moment_s: float) -> KubeObject:
    """A pod with its status at a moment."""
    troubles = {start.trouble for start in starts.values()}
    ready = all(start.ready_at(moment_s) for start in starts.values())
    status = {
        "phase": "Running" if troubles <= {"", "CrashLoopBackOff"} else "Pending",
        "conditions": [{"type": "Ready", "status": str(ready)}],
        "containerStatuses": [s.status_at(name, moment_s) for name, s in starts.items()],
    }
    return {**pod, "status": status}


def reaches(state: State, service: ObjectRef, moment_s: float) -> bool:
    """Whether a Service leads to a ready pod and to the port on which its program listens."""
    spec = state.objects.get(service, {}).get("spec", {})
    selector, ports = spec.get("selector") or {}, spec.get("ports") or []
    if not selector or not ports:
        return False
    return any(
        selector.items() <= state.objects[pod]["metadata"]["labels"].items()
        and all(start.ready_at(moment_s) for start in starts.values())
        and _listens(state.objects[pod], starts, ports[0].get("targetPort", ports[0]["port"]))
        for pod, starts in state.starts.items()
        if pod.namespace == service.namespace
    )


def _listens(pod: KubeObject, starts: Mapping[str, Start], target: int | str) -> bool:
    for container in pod["spec"]["containers"]:
        declared = {port.get("name"): port["containerPort"] for port in container.get("ports", [])}
        port = declared.get(target) if isinstance(target, str) else target
        own = starts[container["name"]].program.port
        if port is not None and (port == own if own is not None else port in declared.values()):
            return True
    return False


class Controller:
    """Brings pods in line with their workloads.

    Args:
        state: Where to start from.
        programs: What runs, by image.
        now_s: The moment.
    """

    def __init__(self, state: State, programs: Programs, now_s: float) -> None:
        self._objects = dict(state.objects)
        self._starts = dict(state.starts)
        self._templates = dict(state.templates)
        self._programs = programs
        self._now_s = now_s

    def state(self) -> State:
        """What has become of it."""
        return State(self._objects, self._starts, self._templates)

    def follow(self, ref: ObjectRef) -> None:
        """Look at one workload once."""
        workload = self._objects[ref]
        spec = workload.get("spec", {})
        wanted = 1 if ref.kind == "DaemonSet" else spec.get("replicas", 1)
        digest, revision = self._revision(ref, spec.get("template", {}))
        pods = [
            ref.model_copy(
                update={"api_version": "v1", "kind": "Pod", "name": f"{ref.name}-{revision}-{n}"}
            )
            for n in range(wanted)
        ]
        old = [
            other
            for other, obj in self._objects.items()
            if other.kind == "Pod" and owned_by(obj, ref) and other not in pods
        ]
        if len(old) <= _may_be_missing(ref.kind, spec, wanted):
            self._remove(old)
        for pod in pods:
            if pod not in self._objects:
                self._objects[pod] = _new_pod(
                    workload, pod, digest, self._now_s, self._node_for(pod)
                )
            self._run(pod)
        ready = sum(is_ready(self._objects[pod]) for pod in pods)
        if ready == wanted:
            self._remove(old)
        for pod in old:
            self._run(pod)
        kept = sum(is_ready(self._objects[pod]) for pod in old)
        self._objects[ref] = {
            **workload,
            "status": {
                "observedGeneration": workload["metadata"]["generation"],
                **_counts(ref.kind, wanted, ready, len(old), kept),
            },
        }

    def _revision(self, ref: ObjectRef, template: KubeObject) -> tuple[str, int]:
        """Digest of the template and its number; a template that comes back keeps its number."""
        text = json.dumps(template, sort_keys=True)
        digest = hashlib.blake2b(text.encode(), digest_size=5).hexdigest()
        known = self._templates.get(ref, ())
        if digest not in known:
            known = self._templates[ref] = (*known, digest)
        return digest, known.index(digest) + 1

    def _node_for(self, pod: ObjectRef) -> str:
        """Pods are spread over what nodes there are, by their names."""
        nodes = sorted(ref.name for ref in self._objects if ref.kind == "Node")
        return nodes[crc32(str(pod).encode()) % len(nodes)] if nodes else ""

    def _run(self, pod: ObjectRef) -> None:
        """Start what does not run yet, and say how all of it fares."""
        obj = self._objects[pod]
        known = self._starts.get(pod, {})
        starts = {
            container["name"]: self._started(obj, container, known.get(container["name"]))
            for container in obj["spec"].get("containers", [])
        }
        if starts:
            self._starts[pod] = starts
            self._objects[pod] = shown_at(obj, starts, self._now_s)

    def _started(self, pod: KubeObject, container: KubeObject, before: Start | None) -> Start:
        if before is not None and not before.trouble:
            return before
        image = container.get("image", "")
        program = ANY_PROGRAM if self._programs is None else self._programs.get(image)
        limit = ((container.get("resources") or {}).get("limits") or {}).get("memory", "")
        since_s = self._now_s if before is None else before.since_s
        if not self._mountable(pod):
            return Start(program or ANY_PROGRAM, since_s, "ContainerCreating")
        if program is None:
            return Start(ANY_PROGRAM, since_s, "ImagePullBackOff")
        if limit and _mebibytes(limit) < program.memory_mib:
            return Start(program, since_s, "CrashLoopBackOff")
        return Start(program, self._now_s)

    def _mountable(self, pod: KubeObject) -> bool:
        """Whether all ConfigMaps that the pod mounts exist."""
        names = [
            volume["configMap"]["name"]
            for volume in pod["spec"].get("volumes") or []
            if "configMap" in volume
        ]
        namespace = pod["metadata"]["namespace"]
        return all(
            ObjectRef(api_version="v1", kind="ConfigMap", namespace=namespace, name=name)
            in self._objects
            for name in names
        )

    def _remove(self, pods: list[ObjectRef]) -> None:
        for pod in pods:
            del self._objects[pod]
            self._starts.pop(pod, None)
        pods.clear()


def _may_be_missing(kind: str, spec: Mapping[str, Any], wanted: int) -> int:
    """How many old pods an update may take before as many new ones are ready."""
    strategy = spec.get("strategy") or {}
    if wanted == 0 or strategy.get("type") == "Recreate":
        return MANY
    if kind in ("StatefulSet", "DaemonSet"):
        return 1
    unavailable = (strategy.get("rollingUpdate") or {}).get("maxUnavailable", "25%")
    if isinstance(unavailable, str):
        return wanted * int(unavailable.rstrip("%")) // 100
    return int(unavailable)


def _counts(kind: str, wanted: int, ready: int, old: int, old_ready: int) -> dict[str, int]:
    if kind == "DaemonSet":
        return {
            "desiredNumberScheduled": wanted,
            "updatedNumberScheduled": wanted,
            "numberReady": ready,
        }
    return {
        "replicas": wanted + old,
        "updatedReplicas": wanted,
        "readyReplicas": ready + old_ready,
        "availableReplicas": ready + old_ready,
    }


def _new_pod(
    workload: KubeObject, ref: ObjectRef, digest: str, now_s: float, node: str
) -> KubeObject:
    template = copied(workload.get("spec", {}).get("template", {}))
    labels = template.get("metadata", {}).get("labels", {})
    owner = {"kind": workload["kind"], "name": workload["metadata"]["name"], "controller": True}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": ref.name,
            "namespace": ref.namespace,
            "creationTimestamp": timestamp(now_s),
            "labels": {**labels, "pod-template-hash": digest},
            "ownerReferences": [owner],
        },
        "spec": {**template.get("spec", {}), **({"nodeName": node} if node else {})},
    }


def _mebibytes(quantity: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi)?", quantity)
    if match is None:
        raise ValueError(f"{quantity!r} is no memory quantity that a memory cluster knows")
    return float(match[1]) * _MEBIBYTES[match[2] or ""]
