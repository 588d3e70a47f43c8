"""Events are kept for an hour after they were last written.

As in the real store, what is written within a minute shares one lease, and goes together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.api import event_limits
from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.store import Change, ChangeType, Key
from sregym_cluster_embedded.workqueue import enqueue, mark_processing

if TYPE_CHECKING:
    from sregym_cluster_embedded.world import World

HANDLER = "controllers.event_expiry"
# By key, in the order of the writes: when each event was last written.
_WRITTEN: TableKey[Key, float] = TableKey("controllers.event_expiry.written")
_KEPT_S = 3600.0
_LEASE_S = 60.0


def listen(world: World, change: Change) -> None:
    """An event was written or is gone."""
    written, key = world.table(_WRITTEN), change.key
    if change.type is ChangeType.ADDED:
        written[key] = world.clock.now
        if len(written) == 1:
            enqueue(world, HANDLER, "", _KEPT_S + _LEASE_S)
        return
    written.pop(key, None)
    if change.type is ChangeType.MODIFIED:
        written[key] = world.clock.now
        return
    namespace = world.store.get(Key("namespaces", "", key.namespace))
    if namespace is not None and "deletionTimestamp" not in namespace["metadata"]:
        event_limits.event_deleted(world, key, change.obj)


def expire(world: World, nothing: str) -> None:
    """Handler: the oldest lease is over."""
    mark_processing(world, HANDLER, nothing)
    event_limits.forget_rested(world)
    written = world.table(_WRITTEN)
    for key, at in list(written.items()):
        if at > world.now - _KEPT_S:
            enqueue(world, HANDLER, nothing, at + _KEPT_S + _LEASE_S - world.now)
            return
        world.store.delete(key)
