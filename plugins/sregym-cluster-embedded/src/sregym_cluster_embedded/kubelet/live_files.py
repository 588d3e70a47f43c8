"""Mounted ConfigMaps and Secrets follow their objects after about a minute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.kubelet.configuration import Missing
from sregym_cluster_embedded.kubelet.keys import RUNTIME
from sregym_cluster_embedded.kubelet.report import host_ip, pod_of
from sregym_cluster_embedded.kubelet.runtime import FileObserver
from sregym_cluster_embedded.kubelet.state import RUNNING, PodState, save, state_of
from sregym_cluster_embedded.kubelet.volumes import config_sources, content
from sregym_cluster_embedded.store import Key, Object
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "kubelet.files"
_TABLE: TableKey[str, tuple[Key, ...]] = TableKey("kubelet.sources")
# A pod is synced every minute or so, and the object may be cached for a while.
_SOONEST_S, _SPREAD_S = 45.0, 30.0


def note_sources(world: World, pod: Object, state: PodState) -> None:
    """Remember which objects a pod's volumes show."""
    sources = tuple(
        Key(resource, state.key.namespace, name) for resource, name in config_sources(pod)
    )
    if sources:
        world.table(_TABLE)[state.uid] = sources


def forget_sources(world: World, state: PodState) -> None:
    """The pod is gone."""
    world.table(_TABLE).pop(state.uid, None)


def source_changed(world: World, key: Key) -> None:
    """A ConfigMap or Secret was written: pods that mount it see it later."""
    # Such writes are rare. Keeping account of the pods by source would cost each pod's start and
    # end as much as there are pods, as all of a namespace show its root certificates.
    sources = world.table(_TABLE)
    for pod in world.store.list("pods", key.namespace):
        uid = pod["metadata"]["uid"]
        if key in sources.get(uid, ()):
            delay_s = _SOONEST_S + _SPREAD_S * world.seed.fraction(
                "files", pod["metadata"]["name"], int(world.now)
            )
            enqueue(world, HANDLER, uid, delay_s)


def refresh(world: World, uid: str) -> None:
    """Handler: bring the mounted files of one pod up to date and tell its processes."""
    mark_processing(world, HANDLER, uid)
    state = state_of(world, uid)
    pod = pod_of(world, state) if state is not None else None
    if state is None or pod is None or state.mounts is None or state.ended:
        return
    changed: list[str] = []
    mounts = dict(state.mounts)
    for volume in pod["spec"].get("volumes", ()):
        name = volume["name"]
        if mounts[name].kind != "files" or ("projected" in volume and not _shows_config(volume)):
            continue
        try:
            fresh = content(world, pod, state, host_ip(world, state.node), volume)
        except Missing:
            # What was deleted stays mounted as it was.
            continue
        if fresh.files != mounts[name].files:
            mounts[name] = fresh
            changed.append(name)
    if not changed:
        return
    state = save(world, state._replace(mounts=mounts))
    _tell_processes(world, pod, state, changed)


def _shows_config(volume: Object) -> bool:
    """Whether a projected volume shows more than the token that every pod gets."""
    return not volume["name"].startswith("kube-api-access-")


def _tell_processes(world: World, pod: Object, state: PodState, changed: list[str]) -> None:
    runtime = world.service(RUNTIME)
    if not isinstance(runtime, FileObserver) or state.mounts is None:
        return
    for group in ("initContainers", "containers"):
        for spec in pod["spec"].get(group, ()):
            if state.containers[spec["name"]].phase != RUNNING:
                continue
            for mount in spec.get("volumeMounts", ()):
                followed = not mount.get("subPath") and not mount.get("subPathExpr")
                if mount["name"] in changed and followed:
                    files = state.mounts[mount["name"]].files
                    runtime.files_changed(world, state.ref(spec["name"]), mount["mountPath"], files)
