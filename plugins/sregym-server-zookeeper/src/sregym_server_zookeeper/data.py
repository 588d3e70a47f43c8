"""The tree of one ZooKeeper server: immutable, kept under the identity of its data directory."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.servers import TableKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_cluster_embedded.sdk.servers import World


class Znode(NamedTuple):
    """What stands at a path.

    Attributes:
        value: Its data.
        created: Transaction that made it.
        changed: Transaction of its last change.
        version: How often its data was changed since.
    """

    value: str = ""
    created: int = 0
    changed: int = 0
    version: int = 0


_FIRST: Mapping[str, Znode] = MappingProxyType(
    {"/": Znode(), "/zookeeper": Znode(), "/zookeeper/quota": Znode()}
)


class Tree(NamedTuple):
    """All that one server keeps.

    Attributes:
        nodes: By path.
        transaction: Number of the last change.
        starts: How often it has been started with these data.
    """

    nodes: Mapping[str, Znode] = _FIRST
    transaction: int = 0
    starts: int = 0

    def children(self, path: str) -> list[str]:
        """Names directly below a path, sorted."""
        before = path.rstrip("/") + "/"
        below = (known[len(before) :] for known in self.nodes if known.startswith(before))
        return sorted(name for name in below if name and "/" not in name)

    def with_value(self, path: str, value: str) -> Tree:
        """With a value at a path; what is missing above it is made."""
        number, nodes = self.transaction + 1, {**self.nodes}
        parts = path.strip("/").split("/")
        for depth in range(1, len(parts)):
            nodes.setdefault("/" + "/".join(parts[:depth]), Znode("", number, number))
        old = nodes.get(path)
        fresh = Znode(value, number, number)
        nodes[path] = fresh if old is None else Znode(value, old.created, number, old.version + 1)
        return self._replace(nodes=nodes, transaction=number)

    def without(self, path: str) -> Tree:
        """Without a path and all below it."""
        below = path.rstrip("/") + "/"
        kept = {p: n for p, n in self.nodes.items() if p != path and not p.startswith(below)}
        return self._replace(nodes=kept, transaction=self.transaction + 1)


_TABLE: TableKey[str, Tree] = TableKey("userland.zookeeper")


def load(world: World, storage: str) -> Tree:
    """What is kept under an identity; the tree of a first start when there is nothing."""
    return world.table(_TABLE).get(storage) or Tree()


def store(world: World, storage: str, tree: Tree) -> None:
    """Keep a tree under an identity."""
    world.table(_TABLE)[storage] = tree


def describe(tree: Tree) -> str:
    """The tree as canonical text."""
    return "\n".join(f"{path} = {node.value}" for path, node in sorted(tree.nodes.items()))
