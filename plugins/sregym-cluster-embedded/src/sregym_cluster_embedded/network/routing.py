"""Routes between the nodes' ranges of pods, as kube-router's BGP sessions spread them.

Each node tells the others where its pods are. By default all speak with all. Annotations of Nodes
say otherwise: a client of a route reflector speaks with reflectors alone, and these pass on what
they hear. What a node is itself it reads when its router starts; what others are it sees at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.network import cache
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

SERVER, CLIENT = "kube-router.io/rr.server", "kube-router.io/rr.client"
_ROLES: TableKey[str, Role] = TableKey("network.routing")


class Role(NamedTuple):
    """What a node is among the route reflectors and their clients.

    Attributes:
        server: Identity of the cluster for which it reflects; empty when it does not.
        client: Identity of the cluster whose client it is; empty when it is none.
    """

    server: str = ""
    client: str = ""


def role_of(node: Object | None) -> Role:
    """What the annotations of a Node say."""
    said = {} if node is None else node["metadata"].get("annotations") or {}
    return Role(said.get(SERVER, ""), said.get(CLIENT, ""))


def started(world: World, node: str) -> Role:
    """The router of a node has started and read what the node is."""
    role = role_of(_node(world, node))
    table = world.table(_ROLES)
    if table.get(node, Role()) != role:
        if role == Role():
            table.pop(node)
        else:
            table[node] = role
        cache.clear(world)
    return role


def lost(world: World, begin: str, end: str) -> bool:
    """Whether a node has no route to the pods of another."""
    roles = world.table(_ROLES)
    if not roles or begin == end or not begin or not end or _session(world, begin, end):
        return False
    return not any(
        role.server
        and _session(world, begin, name)
        and _session(world, name, end)
        and (_is_client(world, begin) or _is_client(world, end))
        for name, role in roles.items()
    )


def _session(world: World, one: str, other: str) -> bool:
    """Whether two nodes speak with each other: both must want to."""
    return _wants(world, one, other) and _wants(world, other, one)


def _wants(world: World, one: str, other: str) -> bool:
    own: Role = world.table(_ROLES).get(one, Role())
    return not own.client or bool(role_of(_node(world, other)).server)


def _is_client(world: World, node: str) -> bool:
    return bool(role_of(_node(world, node)).client)


def _node(world: World, name: str) -> Object | None:
    return world.store.get(Key("nodes", "", name))
