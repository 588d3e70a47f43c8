"""Which commands of datastores change something."""

from __future__ import annotations

WRITING = frozenset(
    {
        "add",
        "delete",
        "findAndModify",
        "incr",
        "insert",
        "produce",
        "publish",
        "put",
        "set",
        "update",
    }
)
