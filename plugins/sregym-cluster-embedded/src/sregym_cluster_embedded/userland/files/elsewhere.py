"""The files of other containers, and of the node, as /proc/PID/root and /proc/PID/cwd lead to them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sregym_cluster_embedded.machines import HOST
from sregym_cluster_embedded.userland.files.kernel import kernel_inode
from sregym_cluster_embedded.userland.files.tasks import tasks
from sregym_cluster_embedded.userland.keys import RUNTIME

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.files.container import Container
    from sregym_cluster_embedded.userland.filesystem import Files

_OF_PROCESS = re.compile(r"/proc/(\d+)/(root|cwd)")


class ProcFileOwner:
    """Finds whose file really stands at a path below /proc.

    Args:
        container: From where is looked.
    """

    def __init__(self, container: Container) -> None:
        self._container = container
        self._known: dict[str, Files | None] = {}

    def look_anew(self) -> None:
        """Another command begins: processes may be others now."""
        self._known = {}

    def led(self, path: str) -> tuple[Files, str] | None:
        """The files that another process sees, and where there the link of that process leads to."""
        found = _OF_PROCESS.fullmatch(path) if path.startswith("/proc/") else None
        if found is None:
            return None
        number, name = found.groups()
        if number not in self._known:
            self._known[number] = self._files_of(number)
        other = self._known[number]
        if other is None:
            return None
        inode = None if name == "root" else kernel_inode(self._container, path)
        return other, "/" if inode is None else inode.content

    def of(self, place: str) -> tuple[Files, str] | None:
        """The container of a file, and the path there, for one below the root of another process."""
        if not place.startswith("/proc/") or "/root" not in place:
            return None
        head = "/".join(place.split("/", 4)[:4])
        led = self.led(head)
        return None if led is None or place == head else (led[0], place[len(head) :])

    def _files_of(self, number: str) -> Files | None:
        """The files that a process sees which is in another container, or on the node itself."""
        container = self._container
        task = next((task for task in tasks(container) if str(task.pid) == number), None)
        if task is None or not container.credentials.may_look_at_others:
            return None
        runtime, ref = container.world.service(RUNTIME), container.config.ref
        if task.process is not None:
            if task.process.ref == ref:
                return None
            return runtime.files(container.world, task.process)
        if task.uid is None or ref.pod_uid.startswith(HOST):
            return None
        return runtime.host_files(container.world, container.config.node)
