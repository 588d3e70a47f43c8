"""The kubelet's part of a cluster: its handlers, what it listens to, what it offers."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.keys import KUBELET_REACHABLE, LOGS
from sregym_cluster_embedded.kubelet import (
    eviction,
    growth,
    killing,
    live_files,
    probes,
    reconciling,
    resizing,
    start,
    static_pods,
    sync,
    termination,
    unresponsive,
)
from sregym_cluster_embedded.kubelet.admission import (
    REJECT,
    forbidden_sysctl,
    mismatch_reason,
    reject,
)
from sregym_cluster_embedded.kubelet.conditions import gate_answers
from sregym_cluster_embedded.kubelet.environment import forget_links
from sregym_cluster_embedded.kubelet.keys import KUBELET, STATIC_PODS
from sregym_cluster_embedded.kubelet.logs import read_logs
from sregym_cluster_embedded.kubelet.messages import with_message
from sregym_cluster_embedded.kubelet.pacing import ADMIT_S, REPORT_S, next_relist, schedule_sync
from sregym_cluster_embedded.kubelet.renewal import could_renew
from sregym_cluster_embedded.kubelet.report import STATIC
from sregym_cluster_embedded.kubelet.restarting import record_exit
from sregym_cluster_embedded.kubelet.runtime import ContainerRef, ExitState
from sregym_cluster_embedded.kubelet.state import RENEWS, PodState, new_containers, save, state_of
from sregym_cluster_embedded.network.keys import KUBELETS
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.subsystem import Subsystem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.world import World


_FOLLOWED = ("pods", "configmaps", "secrets", "services", "nodes")


class Kubelet:
    """What the runtime and the layers above tell the kubelets; found by `world.service(KUBELET)`."""

    def container_exited(self, world: World, ref: ContainerRef, ended: ExitState) -> None:
        """A process has ended by itself, just now."""
        state = state_of(world, ref.pod_uid)
        if state is None or not killing.is_current_instance(state, ref.name, ref.attempt):
            return
        ended = with_message(world, state, ref.name, ended)
        state = record_exit(world, state, ref.name, ended)
        if state.deadline is not None:
            schedule_sync(world, ref.pod_uid, REPORT_S)
        else:
            schedule_sync(world, ref.pod_uid, next_relist(world, state.node))

    def touch(self, world: World, ref: ContainerRef) -> None:
        """The process may answer its probes differently from now on."""
        probes.touch(world, ref)

    def touch_pod(self, world: World, pod_uid: str) -> None:
        """All processes of a pod may answer their probes differently from now on."""
        state = state_of(world, pod_uid)
        for name in state.containers if state is not None else ():
            probes.touch(world, ContainerRef("", "", pod_uid, name, 0))

    def mounted_files(self, world: World, pod_uid: str) -> dict[str, str]:
        """All files that a pod's ConfigMap and Secret volumes show now, by their path in there."""
        state = state_of(world, pod_uid)
        files: dict[str, str] = {}
        for mount in (state.mounts or {}).values() if state is not None else ():
            files.update(mount.files)
        return files


def listen(world: World, change: Change) -> None:
    """Note what a write means for the pods of nodes."""
    resource = change.key.resource
    if resource == "pods":
        _pod_changed(world, change)
    elif resource in ("configmaps", "secrets"):
        if change.type is not ChangeType.DELETED:
            live_files.source_changed(world, change.key)
    elif resource == "services":
        forget_links(world, change.key.namespace)
    elif resource == "nodes" and change.type is ChangeType.ADDED:
        _node_joined(world, change.key.name)


def _node_joined(world: World, node: str) -> None:
    """A new kubelet takes on the pods that were bound to its node before it was there."""
    for pod in world.store.list("pods"):
        if pod["spec"].get("nodeName") == node and state_of(world, pod["metadata"]["uid"]) is None:
            found = world.store.get(Key("nodes", "", node))
            if found is not None:
                _admit(world, pod, found, bound_by_hand=True)


def _pod_changed(world: World, change: Change) -> None:
    pod, old = change.obj, change.old
    node = pod["spec"].get("nodeName")
    if not node:
        return
    uid = pod["metadata"]["uid"]
    if change.type is ChangeType.DELETED:
        if state_of(world, uid) is not None:
            mirrored = change.key in world.table(STATIC)
            schedule_sync(world, uid, static_pods.RENEWAL_S if mirrored else 0.0)
        return
    if old is None and state_of(world, uid) is not None:
        return  # the mirror of a static pod, recreated
    if old is None or not old["spec"].get("nodeName"):
        found = world.store.get(Key("nodes", "", node))
        if found is not None:
            _admit(world, pod, found, bound_by_hand=old is None)
        return
    if "readinessGates" in pod["spec"] and gate_answers(old) != gate_answers(pod):
        schedule_sync(world, uid, REPORT_S)
    if old["status"] is not pod["status"]:
        reconciling.status_changed(world, uid, node, old["status"], pod["status"])
    if old["spec"] is pod["spec"] and old["metadata"] is pod["metadata"]:
        return
    before, after = old["metadata"], pod["metadata"]
    deletion = (
        before.get("deletionTimestamp") != after.get("deletionTimestamp")
        or before.get("deletionGracePeriodSeconds") != after.get("deletionGracePeriodSeconds")
        or before.get("finalizers") != after.get("finalizers")
    )
    if deletion or old["spec"] != pod["spec"]:
        resizing.note(world, uid, old["spec"], pod["spec"])
        eviction.note_deadline(world, uid, old["spec"], pod["spec"])
        schedule_sync(world, uid, REPORT_S)


def _admit(world: World, pod: Object, node: Object, *, bound_by_hand: bool) -> None:
    metadata = pod["metadata"]
    uid = metadata["uid"]
    if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
        return
    key = Key("pods", metadata["namespace"], metadata["name"])
    spec = pod["spec"]
    state = PodState(
        key,
        uid,
        node["metadata"]["name"],
        containers=new_containers(spec),
        renews=RENEWS if could_renew(spec) else "",
    )
    save(world, state)
    refusal = forbidden_sysctl(pod) if spec.get("securityContext") else None
    if refusal is None and bound_by_hand:
        refusal = mismatch_reason(world, pod, node)
    if refusal is not None:
        world.after(ADMIT_S, REJECT, uid, *refusal)
        return
    live_files.note_sources(world, pod, state)
    if pod["spec"].get("activeDeadlineSeconds") is not None:
        eviction.watch_deadline(world, pod, state)
    schedule_sync(world, uid, ADMIT_S)


# What a kubelet does, by the name of its event; the first argument tells the pod.
_ACTIONS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        "kubelet.sync": sync.sync,
        "kubelet.sandbox": sync.sandbox,
        "kubelet.resume": sync.resume,
        "kubelet.pulled": start.pulled,
        "kubelet.pulled_volume": start.pulled_volume,
        "kubelet.start": start.start,
        "kubelet.started": start.started,
        "kubelet.signal": killing.signal,
        "kubelet.turn": killing.turn,
        "kubelet.kill": killing.kill,
        termination.GONE: termination.pod_terminated,
        "kubelet.probe": probes.evaluate,
        probes.ENDED: probes.ended,
        "kubelet.files": live_files.refresh,
        eviction.LIMITS: eviction.check_limits,
        eviction.DEADLINE: eviction.check_deadline,
        REJECT: reject,
    }
)


def subsystem() -> Subsystem:
    """What this layer adds to a cluster."""
    kubelet = Kubelet()
    return Subsystem(
        name="kubelet",
        handlers={
            **{name: unresponsive.while_present(name, act) for name, act in _ACTIONS.items()},
            "kubelet.correct": unresponsive.correct,
            reconciling.HANDLER: reconciling.reconcile,
            growth.HANDLER: growth.grow,
            static_pods.READ: static_pods.read,
        },
        followers={
            **dict.fromkeys(_FOLLOWED, (listen,)),
            "persistentvolumeclaims": (growth.claim_changed,),
        },
        services={
            **KUBELETS.offer(kubelet),
            **KUBELET.offer(kubelet),
            **LOGS.offer(read_logs),
            **STATIC_PODS.offer(static_pods.StaticPods()),
            **KUBELET_REACHABLE.offer(unresponsive.check_reachable),
        },
    )
