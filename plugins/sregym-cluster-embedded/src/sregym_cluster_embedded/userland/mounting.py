"""Mounts that a container runtime refuses: a folder over a file of the image, or a file over a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerConfig, Mount
    from sregym_cluster_embedded.userland.catalogue import Known

_PODS = "/var/lib/kubelet/pods"
_PLUGINS = {"configmaps": "configmap", "secrets": "secret"}
# Bind mounts with all that is below, and those that are read-only besides.
_FLAGS = {False: "0x5000", True: "0x5001"}


def mismatch(config: ContainerConfig, known: Known) -> str:
    """Why the runtime cannot mount something at its place; empty when it can."""
    for path, mount in config.mounts.items():
        there = known.tree.get(path.rstrip("/"))
        if there is None:
            continue
        folder = _is_folder(mount)
        if folder is None or folder == (there.kind == "folder"):
            continue
        source = _source(config, path, mount)
        return (
            f'error during container init: error mounting "{source}" to rootfs at "{path}": mount '
            f"{source}:{path} (via /proc/self/fd/6), flags: {_FLAGS[mount.read_only]}: "
            "not a directory"
        )
    return ""


def _is_folder(mount: Mount) -> bool | None:
    """Whether a folder is mounted; None when that cannot be told."""
    if mount.kind == "files":
        # What a sub-path does not name in the volume is made there, as a folder.
        return mount.sub_path is None or mount.sub_path not in mount.files
    if mount.volume.startswith("host/") or mount.sub_path is not None:
        return None
    return True


def _source(config: ContainerConfig, path: str, mount: Mount) -> str:
    """Where on the node the mounted thing is."""
    entries = config.spec.get("volumeMounts", ())
    number, entry = next(
        (place for place in enumerate(entries) if place[1]["mountPath"] == path), (0, {"name": ""})
    )
    name, pod = entry["name"], f"{_PODS}/{config.ref.pod_uid}"
    if mount.sub_path is not None:
        return f"{pod}/volume-subpaths/{name}/{config.ref.name}/{number}"
    if mount.volume.startswith("pv/"):
        return f"{pod}/volumes/kubernetes.io~local-volume/{mount.volume.removeprefix('pv/')}"
    plugin = "empty-dir"
    if mount.kind == "files":
        plugin = _PLUGINS[mount.source[0]] if mount.source is not None else "projected"
    return f"{pod}/volumes/kubernetes.io~{plugin}/{name}"
