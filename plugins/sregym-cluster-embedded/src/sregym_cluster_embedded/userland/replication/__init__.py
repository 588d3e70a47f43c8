"""Servers that keep the same data: who of them leads, by whose votes, and how far the others are."""

from __future__ import annotations

from sregym_cluster_embedded.userland.replication.changes import (
    Progress,
    as_of,
    begun,
    caught_up,
    record,
)
from sregym_cluster_embedded.userland.replication.elections import (
    beat,
    caught_up_votes,
    join,
    stand,
    step_down,
    turns,
)
from sregym_cluster_embedded.userland.replication.members import (
    Electing,
    Member,
    MemberSet,
    Role,
    Sight,
    Standing,
    applied,
    freeze,
    heard,
    leave,
    majority,
    standing_of,
)
from sregym_cluster_embedded.userland.replication.sleeping import asleep, rouse, sleep, wake

__all__ = [
    "Electing",
    "Member",
    "MemberSet",
    "Progress",
    "Role",
    "Sight",
    "Standing",
    "applied",
    "as_of",
    "asleep",
    "beat",
    "begun",
    "caught_up",
    "caught_up_votes",
    "freeze",
    "heard",
    "join",
    "leave",
    "majority",
    "record",
    "rouse",
    "sleep",
    "stand",
    "standing_of",
    "step_down",
    "turns",
    "wake",
]
