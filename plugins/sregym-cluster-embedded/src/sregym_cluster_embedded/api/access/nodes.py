"""The node authorizer: a kubelet sees what the pods of its node need, and nothing else.

What it may do apart from that is the same for all nodes and stands in the role `system:node`, which
has no subjects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.access import rbac
from sregym_cluster_embedded.api.access.relations import needs
from sregym_cluster_embedded.store import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_cluster_embedded.api.access.attributes import Attributes
    from sregym_cluster_embedded.api.request import User
    from sregym_cluster_embedded.world import World

_PREFIX = "system:node:"
_GROUP = "system:nodes"
_LEASES = "kube-node-lease"
_OWN_VERBS = ("get", "create", "update", "patch", "delete")


def identity(user: User) -> str:
    """The name of the node whose kubelet `user` is; empty when it is none."""
    if not user.name.startswith(_PREFIX) or _GROUP not in user.groups:
        return ""
    return user.name.removeprefix(_PREFIX)


def refusal(world: World, asked: Attributes) -> str | None:
    """None when the kubelet may, else why not (which may be empty)."""
    node = identity(asked.user)
    kind = f"{asked.resource}.{asked.group}" if asked.group else asked.resource
    if kind in _RELATED:
        return _RELATED[kind](world, node, asked)
    if kind in _OWN:
        return _OWN[kind](node, asked)
    role = world.store.get(Key(rbac.CLUSTER_ROLES, "", "system:node"))
    rules = (role or {}).get("rules") or ()
    return None if any(rbac.allows(rule, asked) for rule in rules) else ""


def _related(world: World, node: str, asked: Attributes) -> str | None:
    if not asked.name:
        return "No Object name found"
    if needs(world, node, asked.resource, asked.namespace, asked.name):
        return None
    return f"no relationship found between node '{node}' and this object"


def _readable(world: World, node: str, asked: Attributes) -> str | None:
    if asked.verb not in ("get", "list", "watch"):
        return "can only read resources of this type"
    if asked.subresource:
        return "cannot read subresource"
    if not asked.namespace:
        return "can only read namespaced object of this type"
    return _related(world, node, asked)


def _gettable(world: World, node: str, asked: Attributes) -> str | None:
    if asked.verb != "get":
        return "can only get individual resources of this type"
    if asked.subresource:
        return "cannot get subresource"
    return _related(world, node, asked)


def _claim(world: World, node: str, asked: Attributes) -> str | None:
    if asked.subresource != "status":
        return _gettable(world, node, asked)
    if asked.verb not in ("update", "patch"):
        return "can only get/update/patch this type"
    return _related(world, node, asked)


def _account(world: World, node: str, asked: Attributes) -> str | None:
    if asked.verb != "create" or not asked.name:
        return "can only create tokens for individual service accounts"
    if asked.subresource != "token":
        return "can only create token subresource of serviceaccount"
    return _related(world, node, asked)


def _lease(node: str, asked: Attributes) -> str | None:
    if asked.verb not in _OWN_VERBS:
        return "can only get, create, update, patch, or delete a node lease"
    if asked.namespace != _LEASES:
        return f'can only access leases in the "{_LEASES}" system namespace'
    if asked.verb != "create" and asked.name != node:
        return "can only access node lease with the same name as the requesting node"
    return None


def _storage(node: str, asked: Attributes) -> str | None:
    if asked.verb not in _OWN_VERBS:
        return "can only get, create, update, patch, or delete a CSINode"
    if asked.subresource:
        return "cannot authorize CSINode subresources"
    if asked.verb != "create" and asked.name != node:
        return "can only access CSINode with the same name as the requesting node"
    return None


def _node(node: str, asked: Attributes) -> str | None:
    if asked.subresource == "status":
        return None if asked.verb in ("update", "patch") else ""
    if asked.subresource:
        return ""
    if asked.verb in ("create", "update", "patch"):
        return None  # admission sees to it that it is the node's own object
    if asked.verb not in ("get", "list", "watch"):
        return ""
    if asked.name == node:
        return None
    what = f"'{asked.name}'" if asked.name else "all nodes"
    return f"node '{node}' cannot read {what}, only its own Node object"


def _pod(world: World, node: str, asked: Attributes) -> str | None:
    if asked.subresource:
        wanted = {"status": ("update", "patch"), "eviction": ("create",)}
        return None if asked.verb in wanted.get(asked.subresource, ()) else ""
    if asked.verb == "get":
        return _related(world, node, asked)
    if asked.verb in ("list", "watch"):
        conditions = asked.field_selector.replace("==", "=").split(",")
        if f"spec.nodeName={node}" in conditions:
            return None
        if asked.name:
            return _related(world, node, asked)
        return "can only list/watch pods with spec.nodeName field selector"
    return None if asked.verb in ("create", "delete") else ""


_RELATED: Mapping[str, Callable[[World, str, Attributes], str | None]] = {
    "secrets": _readable,
    "configmaps": _readable,
    "persistentvolumeclaims": _claim,
    "persistentvolumes": _gettable,
    "resourceclaims.resource.k8s.io": _gettable,
    "volumeattachments.storage.k8s.io": _gettable,
    "serviceaccounts": _account,
    "pods": _pod,
}
_OWN: Mapping[str, Callable[[str, Attributes], str | None]] = {
    "leases.coordination.k8s.io": _lease,
    "csinodes.storage.k8s.io": _storage,
    "nodes": _node,
}
