"""Controllers of third parties: operators of custom resources, in Python.

An operator reads and writes through the API as its ServiceAccount, so RBAC, admission and the
audit of who manages which field hold for it as for a pod that runs one. It is level-triggered: it
is told that something about an object may have changed, and looks at what stands there then.

`Subsystem` is the general form: event handlers, and followers of the writes of a resource.
"""

from __future__ import annotations

from sregym_cluster_embedded.keys import ServiceKey, TableKey
from sregym_cluster_embedded.sdk.controllers.client import ApiClient, ApiRefusedError
from sregym_cluster_embedded.sdk.controllers.operator import Operator, Reconcile
from sregym_cluster_embedded.store import Change, ChangeType, Key, Object
from sregym_cluster_embedded.subsystem import Subsystem
from sregym_cluster_embedded.workqueue import enqueue, mark_processing
from sregym_cluster_embedded.world import World

__all__ = [
    "ApiClient",
    "ApiRefusedError",
    "Change",
    "ChangeType",
    "Key",
    "Object",
    "Operator",
    "Reconcile",
    "ServiceKey",
    "Subsystem",
    "TableKey",
    "World",
    "enqueue",
    "mark_processing",
]
