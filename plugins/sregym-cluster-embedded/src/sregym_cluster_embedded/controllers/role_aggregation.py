"""ClusterRoles that collect the rules of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import internal_client, selectors
from sregym_cluster_embedded.api.access.rbac import CLUSTER_ROLES
from sregym_cluster_embedded.store import Change, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.store import Object
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.role-aggregation"
_DELAY_S = 0.02


def listen(world: World, change: Change) -> None:
    """Any change of a ClusterRole may be one of what others collect."""
    old = change.old
    if old is not None and _told(old) == _told(change.obj) and change.type.name == "MODIFIED":
        return
    for role in world.store.list(CLUSTER_ROLES):
        if role.get("aggregationRule"):
            enqueue(world, HANDLER, role["metadata"]["name"], _DELAY_S)


def reconcile(world: World, name: str) -> None:
    """Handler: give one ClusterRole the rules of those it selects, in the order of their names."""
    mark_processing(world, HANDLER, name)
    role = world.store.get(Key(CLUSTER_ROLES, "", name))
    if role is None or not role.get("aggregationRule"):
        return
    rules: list[Object] = []
    for selector in role["aggregationRule"].get("clusterRoleSelectors") or ():
        wanted = selectors.of_object(selector) or ()
        for other in world.store.list(CLUSTER_ROLES):
            labels = other["metadata"].get("labels") or {}
            if other["metadata"]["name"] != name and selectors.labels_match(wanted, labels):
                rules += [rule for rule in other.get("rules") or () if rule not in rules]
    if rules != (role.get("rules") or []):
        internal_client.update(world, CLUSTER_ROLES, {**role, "rules": rules})


def _told(role: Object) -> tuple[object, ...]:
    return role["metadata"].get("labels"), role.get("rules"), role.get("aggregationRule")
