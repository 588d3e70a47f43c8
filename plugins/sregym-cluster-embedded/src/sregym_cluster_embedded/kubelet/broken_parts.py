"""Parts of a node without which its kubelet cannot do its work, in its own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.keys import TableKey

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

# By node: (part, message) of what is broken.
_TABLE: TableKey[str, tuple[tuple[str, str], ...]] = TableKey("kubelet.troubles")
NETWORK, RUNTIME, PLEG = "network", "runtime", "pleg"
NETWORK_DOWN = (
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized"
)
RUNTIME_DOWN = "container runtime is down"


def node_problems(world: World, node: str) -> dict[str, str]:
    """What keeps a node from being ready, by its part; usually nothing."""
    return dict(world.table(_TABLE).get(node, ()))


def set_node_problem(world: World, node: str, part: str, message: str) -> None:
    """A part of a node is broken; with an empty message it works again."""
    table = world.table(_TABLE)
    kept = tuple(entry for entry in table.get(node, ()) if entry[0] != part)
    present = (*kept, (part, message)) if message else kept
    if present:
        table[node] = present
    else:
        table.pop(node, None)


def network_problem(world: World, node: str) -> str:
    """Why pods of a node get no network; empty when they do."""
    if not world.table(_TABLE):
        return ""
    return node_problems(world, node).get(NETWORK, "")
