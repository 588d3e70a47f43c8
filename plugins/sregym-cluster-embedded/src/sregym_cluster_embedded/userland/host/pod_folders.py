"""The pods of a node on its disk: their volumes below /var/lib/kubelet, their logs below /var/log."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.kubelet.report import pod_of
from sregym_cluster_embedded.kubelet.runtime import ContainerRef
from sregym_cluster_embedded.userland.files.inode import FILE, Inode, folder, link
from sregym_cluster_embedded.userland.host.redacted import visible_pods
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sregym_cluster_embedded.kubelet.runtime import LogLine, Mount
    from sregym_cluster_embedded.kubelet.state import PodState
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

KUBELET_PODS = "/var/lib/kubelet/pods"
LOGS, LINKS = "/var/log/pods", "/var/log/containers"
_PLUGINS = (
    ("configMap", "configmap"), ("secret", "secret"), ("projected", "projected"),
    ("downwardAPI", "downward-api"), ("emptyDir", "empty-dir"),
)  # fmt: skip
# Their content gives access to other systems than the node.
_SEALED = ("secret", "projected")


def mounts(world: World, node: str) -> dict[str, Mount]:
    """Path -> volume of a pod, for all that the kubelet has set up."""
    return {path: mount for path, mount, _, _ in _volumes(world, node)}


def volume_at(world: World, node: str, path: str) -> tuple[Mount, Mapping[str, Any], int | None]:
    """The volume behind a path: what is mounted, as the pod spec has it, the pod's fsGroup."""
    found = volumes(world, node).get(path)
    if found is None:
        message = f"no volume is mounted at {path!r} of node {node!r}"
        raise LookupError(message)
    return found


def volumes(world: World, node: str) -> dict[str, tuple[Mount, Mapping[str, Any], int | None]]:
    """The same of all paths."""
    found: dict[str, tuple[Mount, Mapping[str, Any], int | None]] = {}
    for place, mount, volume, fs_group in _volumes(world, node):
        found.setdefault(place, (mount, volume, fs_group))
    return found


def sealed(path: str) -> bool:
    """Whether a path lies in a volume whose content is for its pod alone: Secrets, tokens."""
    if not path.startswith(f"{KUBELET_PODS}/"):
        return False
    return any(f"/volumes/kubernetes.io~{name}/" in f"{path}/" for name in _SEALED)


def _volumes(world: World, node: str) -> Iterator[tuple[str, Mount, Mapping[str, Any], int | None]]:
    for state in visible_pods(world, node):
        pod = pod_of(world, state)
        if pod is None or state.mounts is None:
            continue
        fs_group = (pod["spec"].get("securityContext") or {}).get("fsGroup")
        for volume in pod["spec"].get("volumes", ()):
            mount = state.mounts.get(volume["name"])
            plugin = next((name for field, name in _PLUGINS if field in volume), None)
            if mount is None or plugin is None:
                continue
            if plugin in _SEALED:
                # Of what is sealed a node shows the names only.
                mount = replace(mount, files=dict.fromkeys(mount.files, ""))
            path = f"{KUBELET_PODS}/{state.uid}/volumes/kubernetes.io~{plugin}/{volume['name']}"
            yield path, mount, volume, None if fs_group is None else int(fs_group)


class PodFolders:
    """What the kubelet of a node has made on its disk, as a tree that is read on demand.

    Args:
        world: The cluster.
        node: Name of the node.
    """

    def __init__(self, world: World, node: str) -> None:
        self._world = world
        self._tree: dict[str, Inode | Callable[[], Inode]] = {}
        for state in visible_pods(world, node):
            self._add_pod(state, pod_of(world, state))

    @property
    def paths(self) -> list[str]:
        """All paths."""
        return list(self._tree)

    def inode(self, path: str) -> Inode | None:
        """What stands at a path."""
        found = self._tree.get(path)
        if callable(found):  # a path is looked up several times by one command
            found = self._tree[path] = found()
        return found

    def _add_pod(self, state: PodState, pod: Object | None) -> None:
        world = self._world
        base = f"{KUBELET_PODS}/{state.uid}"
        made = world.epoch + self._started(state)
        for name in ("containers", "volumes", "plugins"):
            self._add_folder(f"{base}/{name}", made)
        for name in state.containers:
            self._add_folder(f"{base}/containers/{name}", made)
            self._add_logs(state, name, made)
        if state.ip:
            text = f"# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n{state.ip}\t{state.key.name}\n"
            if pod is None or not pod["spec"].get("hostNetwork"):
                self._tree[f"{base}/etc-hosts"] = Inode(FILE, text, mtime=made)

    def _add_logs(self, state: PodState, name: str, made: float) -> None:
        container = state.containers[name]
        namespace, pod = state.key.namespace, state.key.name
        above = f"{LOGS}/{namespace}_{pod}_{state.uid}/{name}"
        for attempt in range(max(0, container.attempt - 1), container.attempt + 1):
            ref = ContainerRef(namespace, pod, state.uid, name, attempt)
            path = f"{above}/{attempt}.log"
            self._add_folder(above, made)
            self._tree[path] = self._log(ref, made)
            if attempt == container.attempt:
                short = f"{LINKS}/{pod}_{namespace}_{name}-{container.container_id}.log"
                self._add_folder(LINKS, made)
                self._tree[short] = link(path, made)

    def _log(self, ref: ContainerRef, made: float) -> Callable[[], Inode]:
        known: dict[float, Inode] = {}

        def read() -> Inode:
            # Who walks through folders meets the same file several times in one moment.
            now = self._world.now
            if now not in known:
                lines: list[LogLine] = self._world.service(RUNTIME).logs(self._world, ref)
                text = "".join(_cri_line(self._world, line) for line in lines)
                at = self._world.epoch + lines[-1].at if lines else made
                known.clear()
                known[now] = Inode(FILE, text, 0o640, mtime=at)
            return known[now]

        return read

    def _add_folder(self, path: str, made: float) -> None:
        while path not in self._tree and path not in ("/var/log", "/var/lib/kubelet"):
            self._tree[path] = folder(0o755, mtime=made)
            path = path.rpartition("/")[0]

    def _started(self, state: PodState) -> float:
        starts = [entry.started_at for entry in state.containers.values() if entry.started_at]
        return min(starts, default=self._world.now)


def _cri_line(world: World, line: LogLine) -> str:
    when = datetime.fromtimestamp(world.epoch + line.at, UTC)
    return f"{when:%Y-%m-%dT%H:%M:%S.%f}000Z {line.stream} F {line.text}\n"
