"""Elections: members of a set exchange heartbeats, and a majority of votes elects one as primary.

Each member asks every other for a sign of life at each heartbeat, over the network as it is from
its own pod. What it makes of the answers is its own: two halves of a set that do not reach each
other may have a primary each for as long as the old one has not noticed that its majority is gone.

A secondary that has seen no primary for the set's election timeout stands for election. Who it reaches
votes for it unless they have newer changes. A primary that does not see a majority for as long
steps down. Terms number the elections; a leader that learns of a higher one steps down as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.life import invalidate_traffic
from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.replication.changes import Progress, caught_up
from sregym_cluster_embedded.userland.replication.heartbeats import looked, placed
from sregym_cluster_embedded.userland.replication.members import (
    LASTING,
    STANDINGS,
    Electing,
    MemberSet,
    MemberView,
    Role,
    Standing,
    applied,
    majority,
    member_of,
    standing_of,
)
from sregym_cluster_embedded.userland.replication.sleeping import asleep, rouse, sleep

if TYPE_CHECKING:
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# By this fraction election timeouts of members differ, so that not all of them stand at once.
_SPREAD = 0.15
# How often who has no configuration yet looks for one.
_UNSET_S = 2.0
# Who is so far behind the newest changes is no candidate.
_FRESH_S = 10.0
# Changes between two heartbeats have come through, although they were not looked at yet.
_UNDER_WAY_S = 2.0
# Changes that come with the next heartbeat are not late.
LATE_S, _LONGEST_S = 4.0, 3600.0


def caught_up_votes(world: World, primary: Process, electing: Electing) -> int:
    """The votes of the members with data, the primary included, that have its changes in time."""
    given, own = electing.member_set(world, primary), standing_of(world, primary.ref)
    if given is None or own is None or own.role is not Role.PRIMARY:
        return 0
    votes = member_of(given, own.number).votes
    refs = {sight.number: sight.ref for sight in own.sights}
    for member in given.members:
        ref = refs.get(member.number)
        other = None if ref is None else standing_of(world, ref)
        if ref is None or other is None or other.role is not Role.SECONDARY:
            continue
        if other.data_term == own.term and world.now - applied(world, ref, other) <= LATE_S:
            votes += member.votes
    return votes


def join(world: World, process: Process, electing: Electing) -> None:
    """Begin to look after the others; called when a server of a set serves."""
    term, data_term, reached = world.table(LASTING).get(electing.storage(process), (0, 0, -1.0))
    progress = Progress(reached, world.now)
    first = Standing(
        Role.STARTUP, world.now, None, term, progress, data_term, beats_at=world.now,
        alone_since=world.now,
    )  # fmt: skip
    world.table(STANDINGS)[process.ref] = first
    world.after(0.0, "userland.event", process.ref, "heartbeat")


def stand(world: World, process: Process, electing: Electing) -> None:
    """Let a member that has just made the set become its first primary, if it has the votes."""
    beat(world, process, electing, at_once=True)


def step_down(world: World, process: Process, electing: Electing, seconds: float) -> None:
    """Let a primary give up, and not stand again for some time; a follower that is fit follows it."""
    own = standing_of(world, process.ref)
    assert own is not None
    barred = own._replace(barred_until=world.now + seconds)
    _become(world, process, electing, barred, Role.SECONDARY)
    given = electing.member_set(world, process)
    assert given is not None
    own = _kept(world, process, electing)
    fit = [sight for sight in own.sights if sight.ref is not None]
    fit.sort(key=lambda sight: (-member_of(given, sight.number).priority, sight.number))
    for sight in fit:
        other = None if sight.ref is None else process_of(world, sight.ref)
        if other is not None and _electable(world, other, given):
            beat(world, other, electing, at_once=True)
            return


def turns(world: World, process: Process) -> bool:
    """Whether an event "heartbeat" of a process is still the one that it waits for."""
    own = standing_of(world, process.ref)
    return own is not None and world.now >= own.beats_at - 1e-6


def beat(world: World, process: Process, electing: Electing, *, at_once: bool = False) -> None:
    """A member looks after the others, follows or leads.

    Args:
        world: The cluster.
        process: The member.
        electing: Its kind.
        at_once: Whether it stands for election now rather than after its election timeout.
    """
    own = _roused(world, process, _kept(world, process, electing))
    given = electing.member_set(world, process)
    before = own
    if given is None:
        _plan(world, process, own, _UNSET_S, steady=True)
        return
    own = placed(world, process, electing, given, own)
    if own.number is None:
        _become(world, process, electing, own, Role.REMOVED)
        own = _kept(world, process, electing)
        _plan(world, process, own, given.heartbeat_s, steady=before.role is Role.REMOVED)
        return
    own = looked(world, process, electing, given, own)
    world.table(STANDINGS)[process.ref] = own
    given = electing.member_set(world, process) or given
    if all(member.number != own.number for member in given.members):
        _plan(world, process, own, given.heartbeat_s)
        return
    member = member_of(given, own.number)
    if member.arbiter:
        _become(world, process, electing, own, Role.ARBITER)
    elif own.role is Role.PRIMARY:
        _lead(world, process, electing, given)
    else:
        _follow(world, process, electing, given, at_once)
    own = _kept(world, process, electing)
    steady = _steady(world, given, before, own) and not electing.stopped(world, process)
    _plan(world, process, own, given.heartbeat_s, steady=steady)


def _steady(world: World, given: MemberSet, before: Standing, own: Standing) -> bool:
    """Whether a member will find the same the next time, unless something changes elsewhere."""
    same = (before.role, before.number, before.term, before.data_term)
    if same != (own.role, own.number, own.term, own.data_term) or own.alone_since >= 0 or own.late:
        return False
    if own.placed_by != given.version:
        return False
    seen = [(one.number, one.ref, one.kind, one.path) for one in own.sights]
    if seen != [(one.number, one.ref, one.kind, one.path) for one in before.sights]:
        return False
    if any(one.path is not None and one.path.bandwidth_mbit for one in own.sights):
        return False
    if own.role is not Role.SECONDARY:
        return own.role in (Role.PRIMARY, Role.ARBITER)
    leading = [one for one, theirs in _others(world, own) if theirs.role is Role.PRIMARY]
    mine = member_of(given, own.number)
    return (
        bool(leading)
        and not mine.delay_s
        and all(member_of(given, one.number).priority >= mine.priority for one in leading)
    )


def _roused(world: World, process: Process, own: Standing) -> Standing:
    """A member that looks again; how far it is until then is told by time."""
    if asleep(world, process.ref):
        reached = applied(world, process.ref, own)
        own = own._replace(progress=own.progress._replace(applied=reached, looked=world.now))
        world.table(STANDINGS)[process.ref] = own
        rouse(world, process.ref)
    return own


def _kept(world: World, process: Process, electing: Electing) -> Standing:
    own = standing_of(world, process.ref)
    if own is None:
        join(world, process, electing)
        own = world.table(STANDINGS)[process.ref]
    return own


def _plan(
    world: World, process: Process, own: Standing, seconds: float, *, steady: bool = False
) -> None:
    """Plan the next heartbeat, unless one is planned already; none while nothing changes."""
    if own.beats_at > world.now:
        return
    if steady:
        progress = own.progress._replace(looked=world.now)
        own = own._replace(beats_at=world.now, progress=progress)
        world.table(STANDINGS)[process.ref] = own
        sleep(world, process.ref, "heartbeat", seconds)
        return
    world.table(STANDINGS)[process.ref] = own._replace(beats_at=world.now + seconds)
    world.after(seconds, "userland.event", process.ref, "heartbeat")


def _others(world: World, own: Standing) -> list[tuple[MemberView, Standing]]:
    """Those that answer, with what they know of themselves."""
    found = []
    for sight in own.sights:
        other = None if sight.ref is None else standing_of(world, sight.ref)
        if other is not None:
            found.append((sight, other))
    return found


def _lead(world: World, process: Process, electing: Electing, given: MemberSet) -> None:
    """Stay the primary, or step down: without a majority, or after another election."""
    own = _kept(world, process, electing)
    others = _others(world, own)
    newest = max((other.term for _, other in others), default=0)
    if newest > own.term:
        electing.tell(world, process, "deposed", {"term": newest})
        _become(world, process, electing, own._replace(term=newest), Role.SECONDARY)
        return
    votes = member_of(given, own.number).votes
    votes += sum(member_of(given, sight.number).votes for sight, _ in others)
    if votes >= majority(given):
        own = own._replace(alone_since=-1.0)
    elif own.alone_since < 0:
        own = own._replace(alone_since=world.now)
    elif world.now - own.alone_since >= given.patience_s:
        electing.tell(world, process, "alone", {})
        _become(world, process, electing, own, Role.SECONDARY)
        return
    own = own._replace(progress=own.progress._replace(applied=world.now, looked=world.now))
    _keep(world, process, electing, own)


def _follow(
    world: World, process: Process, electing: Electing, given: MemberSet, at_once: bool
) -> None:
    """Take the primary's changes, or miss it, and in the end stand for election."""
    own = _kept(world, process, electing)
    others = _others(world, own)
    leading = [one for one in others if one[1].role is Role.PRIMARY]
    leader = max(leading, key=lambda one: one[1].term, default=None)
    if leader is not None:
        own = _taken(world, process, electing, given, own, leader)
        _keep(world, process, electing, own._replace(alone_since=-1.0))
        higher = member_of(given, own.number).priority > member_of(given, leader[0].number).priority
        if higher and _electable(world, process, given) and leader[0].path is None:
            _run(world, process, electing, given)
        return
    if own.role is Role.STARTUP and own.data_term:
        _become(world, process, electing, own, Role.SECONDARY)
        own = _kept(world, process, electing)
    if own.alone_since < 0:
        own = own._replace(alone_since=world.now)
    _keep(world, process, electing, own)
    spread = world.seed.fraction("election", process.ref, own.term)
    patience_s = given.patience_s * (1 + _SPREAD * spread)
    due = at_once or world.now - own.alone_since >= patience_s
    fresh = own.data_term or all(not other.data_term for _, other in others)
    if (
        due
        and fresh
        and world.now >= own.barred_until
        and member_of(given, own.number).priority > 0
    ):
        _run(world, process, electing, given)


def _electable(world: World, process: Process, given: MemberSet) -> bool:
    own = standing_of(world, process.ref)
    if own is None or own.role is not Role.SECONDARY or world.now < own.barred_until:
        return False
    late = world.now - applied(world, process.ref, own) > _FRESH_S
    return not late and member_of(given, own.number).priority > 0


def _run(world: World, process: Process, electing: Electing, given: MemberSet) -> None:
    """Stand for election: who is reached votes, unless its changes are newer."""
    own = _kept(world, process, electing)
    electing.tell(world, process, "standing", {})
    votes, term = member_of(given, own.number).votes, own.term
    voters = []
    for sight, other in _others(world, own):
        term = max(term, other.term)
        theirs = own.progress.applied if sight.ref is None else applied(world, sight.ref, other)
        newer = (other.data_term, theirs) > (own.data_term, own.progress.applied)
        newer = newer and theirs - own.progress.applied > given.heartbeat_s + 1e-6
        if member_of(given, sight.number).votes and not newer and other.data_term <= own.data_term:
            votes += 1
            voters.append(sight.ref)
    if votes < majority(given):
        electing.tell(world, process, "unelected", {})
        _keep(world, process, electing, own._replace(alone_since=world.now))
        return
    term += 1
    for ref in voters:
        voter = None if ref is None else process_of(world, ref)
        known = None if ref is None else standing_of(world, ref)
        if voter is not None and known is not None:
            _vote(world, voter, electing, known, term)
    own = own._replace(
        term=term, data_term=term, alone_since=-1.0, elected=world.now,
        inherited=own.progress.applied, progress=Progress(world.now, world.now),
    )  # fmt: skip
    electing.tell(world, process, "elected", {"term": term})
    _become(world, process, electing, own, Role.PRIMARY)


def _vote(world: World, voter: Process, electing: Electing, known: Standing, term: int) -> None:
    """A member learns of an election by being asked for its vote; a primary steps down for it."""
    if known.role is Role.PRIMARY:
        electing.tell(world, voter, "deposed", {"term": term})
        _become(world, voter, electing, known._replace(term=term), Role.SECONDARY)
        return
    _keep(world, voter, electing, known._replace(term=term, alone_since=-1.0))


def _taken(
    world: World, process: Process, electing: Electing, given: MemberSet, own: Standing,
    leader: tuple[MemberView, Standing],
) -> Standing:  # fmt: skip
    """Follow the primary, as far as its changes have come."""
    sight, theirs = leader
    source = None if sight.ref is None else process_of(world, sight.ref)
    if source is None:
        return own
    delay_s = member_of(given, own.number).delay_s
    if own.role in (Role.STARTUP, Role.REMOVED) and not own.data_term:
        _become(world, process, electing, own, Role.SYNCING)
        return _kept(world, process, electing)
    stopped = electing.stopped(world, process)
    if own.role is Role.SYNCING:
        own = own._replace(progress=Progress(world.now - delay_s, world.now))
    elif own.data_term < theirs.term and own.progress.applied > theirs.inherited + _UNDER_WAY_S:
        # What it has beyond what the winner of the election that it missed had is on no other member.
        electing.tell(world, process, "rolled-back", {"host": member_of(given, sight.number).host})
        own = own._replace(progress=Progress(theirs.inherited, world.now))
    progress = caught_up(world, own.progress, source, sight.path, stopped=stopped, delay_s=delay_s)
    if not stopped:
        electing.copy(world, process, source, progress.applied)
    term = own.data_term if stopped else theirs.term
    if term != own.data_term or _grade(world.now - progress.applied) != own.late:
        invalidate_traffic(world)
    own = own._replace(
        progress=progress, term=max(own.term, theirs.term), data_term=term,
        late=_grade(world.now - progress.applied),
    )  # fmt: skip
    if own.role is not Role.SECONDARY:
        _become(world, process, electing, own, Role.SECONDARY)
        own = _kept(world, process, electing)
    return own


def _grade(behind_s: float) -> int:
    """How far behind is far enough that it is noticeable: not at all, or so many half minutes."""
    return 0 if behind_s <= LATE_S else 1 + int(min(behind_s, _LONGEST_S) // 30)


def _become(world: World, process: Process, electing: Electing, own: Standing, role: Role) -> None:
    """Have another role from now on, which drivers notice."""
    if own.role is role:
        _keep(world, process, electing, own)
        return
    electing.tell(world, process, "role", {"old": own.role, "new": role})
    elected = own.elected if role is Role.PRIMARY else -1.0
    own = own._replace(role=role, since=world.now, elected=elected, alone_since=-1.0)
    _keep(world, process, electing, own)
    invalidate_traffic(world)


def _keep(world: World, process: Process, electing: Electing, own: Standing) -> None:
    world.table(STANDINGS)[process.ref] = own
    lasting = (own.term, own.data_term, own.progress.applied)
    world.table(LASTING)[electing.storage(process)] = lasting
