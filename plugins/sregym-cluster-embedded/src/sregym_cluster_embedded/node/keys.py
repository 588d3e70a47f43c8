"""What nodes ask of higher layers, and under which keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import ServiceKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from sregym_cluster_embedded.world import World

# (world, node): what a disk of the node is like has changed; of all nodes where none is named.
DISKS_CHANGED: ServiceKey[Callable[[World, str], None]] = ServiceKey("disks_changed")
# (world, node, frozen): stop or continue a kubelet.
FREEZE_KUBELET: ServiceKey[Callable[[World, str, bool], None]] = ServiceKey("freeze_kubelet")
