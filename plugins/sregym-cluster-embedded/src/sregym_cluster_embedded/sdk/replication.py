"""Servers that keep the same data: sets that elect a primary, copies that follow, and how far they are.

A kind of server whose members elect a primary describes itself by `Electing`; its behaviour calls `join`
when it serves and `beat` at each event "heartbeat" for which `turns` says so. Data is an immutable value that
`record` remembers at each change, so that copies take over what there was (`as_of`) when their
`Progress` has come so far. Drivers are told by `Kind.place` and `Kind.behind_s`.
"""

from __future__ import annotations

from sregym_cluster_embedded.userland.dependency_tracking import ONCE
from sregym_cluster_embedded.userland.kinds.kind import Place
from sregym_cluster_embedded.userland.leading import PRIMARY, SECONDARY, led, options_of, wish_of
from sregym_cluster_embedded.userland.replication import (
    Electing,
    Member,
    MemberSet,
    Progress,
    Role,
    Sight,
    Standing,
    applied,
    as_of,
    asleep,
    beat,
    begun,
    caught_up,
    caught_up_votes,
    freeze,
    heard,
    join,
    leave,
    majority,
    record,
    rouse,
    sleep,
    stand,
    standing_of,
    step_down,
    turns,
    wake,
)

__all__ = [
    "ONCE",
    "PRIMARY",
    "SECONDARY",
    "Electing",
    "Member",
    "MemberSet",
    "Place",
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
    "led",
    "majority",
    "options_of",
    "record",
    "rouse",
    "sleep",
    "stand",
    "standing_of",
    "step_down",
    "turns",
    "wake",
    "wish_of",
]
