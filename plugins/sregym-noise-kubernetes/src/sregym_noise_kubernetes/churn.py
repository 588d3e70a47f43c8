"""Pods and containers that go away, and come back by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import node_access
from sregym_core.model import Capability
from sregym_injectors.noise import Disturbance, Schedule, ready_services
from sregym_kubernetes.node_settings import ProcessStop

if TYPE_CHECKING:
    from sregym_core.interfaces.cluster import KubeObject
    from sregym_injectors.noise import Occurrence

SYSTEM = "kube-system"
# Pods of the system that may be away for a moment: what they did stays done.
SYSTEM_PODS = ("k8s-app=kube-proxy", "k8s-app=metrics-server")


class PodRestart(Disturbance):
    """Deletes one pod of one ready service; its controller makes a new one."""

    name: ClassVar[str] = "pod-restart"
    title: ClassVar[str] = "a pod of a service is deleted and replaced"
    family: ClassVar[str] = "churn"
    schedule: ClassVar[Schedule] = Schedule(first_s=(60.0, 180.0), pause_s=(700.0, 1000.0))

    def begin(self, occurrence: Occurrence) -> str:
        """The pod's controller replaces it at once: nothing has to be ended."""
        targets = ready_services(occurrence.context)
        if not targets:
            return ""
        target = occurrence.chance.choice(targets)
        ref = target.pod_ref(occurrence.chance.choice(target.pods))
        occurrence.note(target.component.name, ref.name)
        occurrence.context.cluster.delete(ref)
        return f"deleted {ref} of component {target.component.name}"


class ContainerKill(Disturbance):
    """Stops a container on its node; the kubelet starts it again.

    At level 3 of any service. Below, of one that has another pod, or of the system: what a single
    pod serves is away until the kubelet's back-off is over, which users notice.
    """

    name: ClassVar[str] = "container-kill"
    title: ClassVar[str] = "a container is ended and started again, its counters anew"
    family: ClassVar[str] = "churn"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(300.0, 480.0))

    def begin(self, occurrence: Occurrence) -> str:
        """By the container runtime, as an engineer on the node does it."""
        access = node_access(occurrence.context.cluster, (Capability.COMMANDS,), "this noise")
        found = _bearable(occurrence)
        if found is None:
            return ""
        done = access.run(found.node, ("crictl", "stop", "--timeout", "0", found.container_id))
        if not done.ok:
            return f"refused by {found.node}: {' '.join(done.stderr.split())}"
        occurrence.note(*found.subjects)
        return f"ended container {found.container} of pod {found.pod}"


class PodFailure(Disturbance):
    """Lets the process of one pod stand still for a while; of which, see `ContainerKill`."""

    name: ClassVar[str] = "pod-failure"
    title: ClassVar[str] = "the process of one pod stands still for a while"
    family: ClassVar[str] = "churn"
    schedule: ClassVar[Schedule] = Schedule(pause_s=(240.0, 420.0), lasts_s=(15.0, 60.0))

    def begin(self, occurrence: Occurrence) -> str:
        """By a signal that stops it, and later by one that lets it go on."""
        found = _bearable(occurrence)
        if found is None:
            return ""
        occurrence.note(*found.subjects)
        return occurrence.set(
            ProcessStop(
                node=found.node,
                namespace=found.namespace,
                pod=found.pod,
                container=found.container,
                stopped=True,
            )
        )


@dataclass(frozen=True)
class _Found:
    """A running container.

    Attributes:
        node: Where it runs.
        namespace: Of its pod.
        pod: Its name.
        container: Its name in the pod.
        container_id: As the runtime knows it.
        subjects: Names by which a diagnosis may blame it.
    """

    node: str
    namespace: str
    pod: str
    container: str
    container_id: str
    subjects: tuple[str, ...]


def _bearable(occurrence: Occurrence) -> _Found | None:
    """One without which users are served; at level 3 any of a service."""
    context = occurrence.context
    targets = ready_services(context)
    if context.level < 3:
        targets = [v for v in targets if len(v.pods) > 1 or not v.component.operations]
    found = [
        _running(pod, target.component.container, target.component.name)
        for target in targets
        for pod in target.pods
    ]
    if context.level < 3:
        for selector in SYSTEM_PODS:
            pods = context.cluster.list("v1", "Pod", SYSTEM, selector)
            found += [_running(pod, "", "") for pod in pods]
    excluded_components = context.excluded_nodes
    able = [one for one in found if one is not None and one.node not in excluded_components]
    return occurrence.chance.choice(able) if able else None


def _running(pod: KubeObject, container: str, component: str) -> _Found | None:
    """A container of a pod, the first where none is named; None when it does not run."""
    node, metadata = pod["spec"].get("nodeName", ""), pod["metadata"]
    for one in (pod.get("status") or {}).get("containerStatuses") or ():
        if one["name"] == (container or one["name"]) and "running" in (one.get("state") or {}):
            known = str(one.get("containerID", "")).rpartition("//")[2]
            names = tuple(filter(None, (component, metadata["name"])))
            place = metadata["namespace"], metadata["name"], one["name"]
            return _Found(node, *place, known, names) if node and known else None
    return None
