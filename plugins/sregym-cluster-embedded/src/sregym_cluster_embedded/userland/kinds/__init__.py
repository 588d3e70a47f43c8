"""The kinds of programs: behaviour by the `kind` of a program, in-tree and from extensions."""

from __future__ import annotations

from sregym_cluster_embedded.userland.kinds.blocked_commands import (
    disks_changed,
    hindered,
    queued_ms,
    slowed_ms,
)
from sregym_cluster_embedded.userland.kinds.kind import (
    ConnectionLimit,
    Kind,
    Place,
    Refusal,
    WebAnswer,
    WebRequest,
)
from sregym_cluster_embedded.userland.kinds.loading import Kinds, with_in_tree

__all__ = [
    "ConnectionLimit",
    "Kind",
    "Kinds",
    "Place",
    "Refusal",
    "WebAnswer",
    "WebRequest",
    "disks_changed",
    "hindered",
    "queued_ms",
    "slowed_ms",
    "with_in_tree",
]
