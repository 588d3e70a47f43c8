"""On which blocks of its node's disk a file of a container lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.errors import NodeError
from sregym_core.interfaces import DiskBlocks

from sregym_cluster_embedded import machines
from sregym_cluster_embedded.userland.disk import FILE_BYTES
from sregym_cluster_embedded.userland.files.inode import FileError
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


def blocks_of(world: World, namespace: str, pod: str, path: str, container: str) -> DiskBlocks:
    """Where a file lies that one of the containers of a pod sees; see `NodeAccess.blocks_of`.

    Raises:
        NodeError: No container of the pod runs, or none has such a file.
    """
    for process in world.service(RUNTIME).running(world):
        ref = process.config.ref
        if (ref.namespace, ref.pod) != (namespace, pod) or container not in ("", ref.name):
            continue
        machine = machines.machine(world, process.config.node)
        file = _data_file(world, process, path) or _file(world, process, path)
        if machine is not None and file is not None:
            return DiskBlocks(machine.name, "root", (machines.blocks_of(machine.root, *file),))
    whose = f"{namespace}/{pod}" + (f", container {container!r}" if container else "")
    what = f"file {path}" if path else "file of what its main process keeps"
    msg = f"no container that runs of pod {whose} has a {what}"
    raise NodeError(msg)


def _data_file(world: World, process: Process, path: str) -> tuple[str, int] | None:
    """What stands for all that a server keeps, when that is meant: what keeps it, and its bytes."""
    if process.behaviour is None:
        return None
    file = world.service(RUNTIME).kind_of(process).data_file(process, process.behaviour)
    if file is None or path not in ("", file.path):
        return None
    return f"{file.kept}:{file.name}", FILE_BYTES


def _file(world: World, process: Process, path: str) -> tuple[str, int] | None:
    if not path:
        return None
    files = world.service(RUNTIME).files(world, process)
    try:
        inode = files.open(path)
    except FileError:
        return None
    return files.storage(path), inode.size
