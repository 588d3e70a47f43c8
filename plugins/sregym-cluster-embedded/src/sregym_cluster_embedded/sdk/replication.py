"""Servers that keep the same data: sets that elect a primary, copies that follow, and how far they are.

A kind of server whose members elect a primary describes itself by `Electing`; its behaviour calls `join`
when it serves and `beat` at each event "heartbeat" for which `turns` says so. Data is an immutable value that
`record` remembers at each change, so that copies take over what there was (`as_of`) when their
`Progress` has come so far. Drivers are told by `Kind.place` and `Kind.behind_s`.
"""

from __future__ import annotations

from sregym_cluster_embedded.userland.dependency_tracking import ONCE
from sregym_cluster_embedded.userland.kinds.kind import Place
from sregym_cluster_embedded.userland.leading import (
    PRIMARY,
    SECONDARY,
    led,
    options_of,
    server_preference,
)
from sregym_cluster_embedded.userland.replication import (
    Electing,
    Member,
    MemberSet,
    MemberView,
    Progress,
    Role,
    Standing,
    applied,
    as_of,
    asleep,
    beat,
    caught_up,
    caught_up_votes,
    freeze,
    initial_progress,
    join,
    last_heartbeat,
    leave,
    majority,
    record,
    rouse,
    schedule_checks,
    sleep,
    stand,
    standing_of,
    step_down,
    turns,
)

__all__ = [
    "ONCE",
    "PRIMARY",
    "SECONDARY",
    "Electing",
    "Member",
    "MemberSet",
    "MemberView",
    "Place",
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
    "led",
    "majority",
    "options_of",
    "record",
    "rouse",
    "schedule_checks",
    "server_preference",
    "sleep",
    "stand",
    "standing_of",
    "step_down",
    "turns",
]
