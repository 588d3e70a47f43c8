"""Objects, revisions and history of one cluster; knows clock and nothing above."""

from __future__ import annotations

from sregym_cluster_embedded.store.objects import Key, Object, key_of, owner_of, owner_uids
from sregym_cluster_embedded.store.store import Change, ChangeType, Indexer, Store

__all__ = [
    "Change",
    "ChangeType",
    "Indexer",
    "Key",
    "Object",
    "Store",
    "key_of",
    "owner_of",
    "owner_uids",
]
