"""As whom the processes of containers run, for the kubelet that tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.process import processes

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.userland.filesystem import Files
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


class Identified:
    """The part of a runtime that knows the users of its processes."""

    def files(self, world: World, process: Process) -> Files:
        """The files that a process sees."""
        raise NotImplementedError

    def identity_of(self, world: World, ref: ContainerRef) -> tuple[int, int, tuple[int, ...]]:
        """User, group and all groups of a container that runs."""
        known = self.files(world, processes(world)[ref]).container.credentials
        return known.uid, known.gid, known.groups
