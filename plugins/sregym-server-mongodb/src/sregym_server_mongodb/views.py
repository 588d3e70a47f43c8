"""How a member has seen its set over time: what its exporter tells, at any moment of the past."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sregym_cluster_embedded.sdk.replication import Role, standing_of
from sregym_cluster_embedded.sdk.servers import change

from sregym_server_mongodb.members import SET, STATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_cluster_embedded.sdk.replication import Standing
    from sregym_cluster_embedded.sdk.servers import Process, World

# State of a member that does not answer.
DOWN = (8, "(not reachable/healthy)")
# A longer past is not asked for.
_KEPT = 500


class MemberView(NamedTuple):
    """A member as another, or it itself, sees it.

    Attributes:
        host: `host:port`.
        state: Number of its state.
        name: Name of its state.
        behind_s: How far it is behind, as long as it applies changes.
        stuck_at: Virtual second up to which it has them, while it applies none; negative otherwise.
    """

    host: str
    state: int
    name: str
    behind_s: float = 0.0
    stuck_at: float = -1.0


class SetView(NamedTuple):
    """What a member sees from a moment on.

    Attributes:
        at: Virtual second.
        name: Of the set.
        state: Number of its own state.
        term: Of the last election that it knows of.
        members: All of them.
    """

    at: float
    name: str
    state: int
    term: int
    members: tuple[MemberView, ...]


def note_view(world: World, process: Process) -> None:
    """Remember what a member sees now, where that is something else than before."""
    given, own = SET.member_set(world, process), standing_of(world, process.ref)
    if given is None or own is None:
        return
    refs = {sight.number: sight.ref for sight in own.sights}
    members = []
    for member in given.members:
        theirs: Standing | None = own
        if member.number != own.number:
            ref = refs.get(member.number)
            theirs = None if ref is None else standing_of(world, ref)
        members.append(_seen(member.host, member.delay_s, theirs))
    view = SetView(world.now, given.name, STATES[own.role][0], own.term, tuple(members))
    known = views_of(process)
    if not known or known[-1][1:] != view[1:]:
        change(world, process.ref, journal=(*known, view)[-_KEPT:])


def _seen(host: str, delay_s: float, theirs: Standing | None) -> MemberView:
    if theirs is None:
        return MemberView(host, *DOWN)
    state, name = STATES[theirs.role]
    if theirs.role is not Role.SECONDARY or not theirs.late:
        return MemberView(host, state, name)
    if delay_s:
        return MemberView(host, state, name, delay_s)
    return MemberView(host, state, name, 0.0, round(theirs.progress.applied, 3))


def views_of(process: Process) -> Sequence[SetView]:
    """What a member has seen, oldest first."""
    return tuple(entry for entry in process.journal if isinstance(entry, SetView))
