"""Pods and containers that go away, and come back by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from sregym_core.interfaces import node_access
from sregym_core.model import Capability, ProcessStop
from sregym_injectors.noise import Disturbance, Rhythm, ready_services

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_injectors.noise import Turn, Victim

# A pod that comes and goes is missed least where there is another one.
_SINGLE = 1


class PodRestart(Disturbance):
    """Deletes one pod of one ready service; its controller makes a new one."""

    name: ClassVar[str] = "pod-restart"
    title: ClassVar[str] = "a pod of a service is deleted and replaced"
    family: ClassVar[str] = "churn"
    rhythm: ClassVar[Rhythm] = Rhythm(first_s=(60.0, 180.0), pause_s=(240.0, 360.0))

    def begin(self, turn: Turn) -> str:
        """The pod's controller replaces it at once: nothing has to be ended."""
        victims = ready_services(turn.context)
        if not victims:
            return ""
        victim = turn.chance.choice(victims)
        ref = victim.pod_ref(turn.chance.choice(victim.pods))
        turn.note(victim.component.name, ref.name)
        turn.context.cluster.delete(ref)
        return f"deleted {ref} of component {victim.component.name}"


class ContainerKill(Disturbance):
    """Stops a container of a service on its node; the kubelet starts it again."""

    name: ClassVar[str] = "container-kill"
    title: ClassVar[str] = "a container of a service is ended and started again, its counters anew"
    family: ClassVar[str] = "churn"
    rhythm: ClassVar[Rhythm] = Rhythm(pause_s=(300.0, 480.0))

    def begin(self, turn: Turn) -> str:
        """By the container runtime, as an engineer on the node does it."""
        access = node_access(turn.context.cluster, (Capability.COMMANDS,), "this noise")
        victims = ready_services(turn.context)
        if not victims:
            return ""
        victim = turn.chance.choice(victims)
        pod = turn.chance.choice(victim.pods)
        container = _running(pod, victim.component.container)
        node = pod["spec"].get("nodeName", "")
        if not container or not node:
            return ""
        done = access.run(node, ("crictl", "stop", "--timeout", "0", container))
        if not done.ok:
            return f"refused by {node}: {' '.join(done.stderr.split())}"
        name = pod["metadata"]["name"]
        turn.note(victim.component.name, name)
        return f"ended container {victim.component.container} of pod {name}"


class PodFailure(Disturbance):
    """Lets the process of one pod stand still: of several pods, and at level 3 of a single one, too."""

    name: ClassVar[str] = "pod-failure"
    title: ClassVar[str] = "the process of one pod of a service stands still for a while"
    family: ClassVar[str] = "churn"
    rhythm: ClassVar[Rhythm] = Rhythm(pause_s=(300.0, 480.0), lasts_s=(2.0, 45.0))

    def begin(self, turn: Turn) -> str:
        """By a signal that stops it, and later by one that lets it go on."""
        victims = _bearable(turn, ready_services(turn.context))
        if not victims:
            return ""
        victim = turn.chance.choice(victims)
        pod = turn.chance.choice(victim.pods)
        name = pod["metadata"]["name"]
        turn.note(victim.component.name, name)
        return turn.set(
            ProcessStop(
                node=pod["spec"].get("nodeName", ""),
                namespace=victim.component.namespace,
                pod=name,
                container=victim.component.container,
                stopped=True,
            )
        )


def _bearable(turn: Turn, victims: Sequence[Victim]) -> list[Victim]:
    """Those whose users have another pod, or no users."""
    if turn.context.level >= 3:
        return list(victims)
    return [v for v in victims if len(v.pods) > _SINGLE or not v.component.operations]


def _running(pod: dict[str, object], container: str) -> str:
    """Id of a running container, as the runtime knows it; empty when it does not run."""
    status = pod.get("status")
    statuses = status.get("containerStatuses") or [] if isinstance(status, dict) else []
    for one in statuses:
        if one["name"] == container and "running" in (one.get("state") or {}):
            return str(one.get("containerID", "")).rpartition("//")[2]
    return ""
