"""What datastores keep beyond the life of their pods, as text that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.kinds import Kinds
    from sregym_cluster_embedded.world import World


def durable_state(world: World, kinds: Kinds) -> dict[str, str]:
    """Name and identity of a storage -> canonical text of what is in it.

    What is described as nothing is as good as none: what was written there and taken back.
    """
    describing = {
        name: (kind, reference)
        for kind in kinds.every()
        for name, reference in kind.durable.items()
    }
    found: dict[str, str] = {}
    for name, (kind, reference) in sorted(describing.items()):
        for storage, data in sorted(world.table(TableKey[str, Any](f"userland.{name}")).items()):
            if storage.startswith(("layer of ", "pod/")):
                continue
            if text := kinds.load(kind, reference)(data):
                found[f"{name} at {storage}"] = text
    return found
