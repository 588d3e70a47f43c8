"""Servers that keep the same data: who of them leads, by whose votes, and how far the others are."""

from __future__ import annotations

from sregym_cluster_embedded.userland.replication.changes import (
    Progress,
    as_of,
    caught_up,
    initial_progress,
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
    MemberView,
    Role,
    Standing,
    applied,
    freeze,
    last_heartbeat,
    leave,
    majority,
    standing_of,
)
from sregym_cluster_embedded.userland.replication.sleeping import (
    asleep,
    rouse,
    schedule_checks,
    sleep,
)

__all__ = [
    "Electing",
    "Member",
    "MemberSet",
    "MemberView",
    "Progress",
    "Role",
    "Standing",
    "applied",
    "as_of",
    "asleep",
    "beat",
    "caught_up",
    "caught_up_votes",
    "freeze",
    "initial_progress",
    "join",
    "last_heartbeat",
    "leave",
    "majority",
    "record",
    "rouse",
    "schedule_checks",
    "sleep",
    "stand",
    "standing_of",
    "step_down",
    "turns",
]
