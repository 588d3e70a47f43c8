"""What containers and volumes hold on the disk of their node: the service `storage`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.userland.files.view import LAYERS, VOLUMES

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.world import World


class Storage:
    """Answers the kubelet's questions about space."""

    def layer_bytes(self, world: World, ref: ContainerRef) -> int:
        """What a container wrote beside its volumes."""
        return _bytes(world.table(LAYERS).get(ref))

    def volume_bytes(self, world: World, volume: str) -> int:
        """What stands in a volume."""
        return _bytes(world.table(VOLUMES).get(volume))


def _bytes(files: dict[str, Any] | None) -> int:
    return sum(inode.blocks_kib * 1024 for inode in (files or {}).values() if inode is not None)
