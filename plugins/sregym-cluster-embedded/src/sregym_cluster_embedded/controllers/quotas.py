"""ResourceQuotas are counted again when something that they count goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api.quota import recount
from sregym_cluster_embedded.store import Change, ChangeType
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.quotas"
_QUOTAS = "resourcequotas"
_DELAY_S = 0.05
_OVER = ("Succeeded", "Failed")


def listen(world: World, change: Change) -> None:
    """Deletions, finished pods and new limits have a namespace counted again."""
    namespace, old = change.key.namespace, change.old
    if change.key.resource == _QUOTAS:
        relevant = old is None or old.get("spec") != change.obj.get("spec")
    elif change.type is ChangeType.DELETED:
        relevant = True
    else:
        relevant = change.key.resource == "pods" and (
            change.obj["status"].get("phase") in _OVER
            and (old is None or old["status"].get("phase") not in _OVER)
        )
    if relevant and namespace and world.store.list(_QUOTAS, namespace):
        enqueue(world, HANDLER, namespace, _DELAY_S)


def reconcile(world: World, namespace: str) -> None:
    """Handler: count what the quotas of one namespace limit."""
    mark_processing(world, HANDLER, namespace)
    recount(world, namespace)
