"""Heartbeats: what a member finds out about the others, over the network as it is from its own pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_cluster_embedded.userland.process import process_of
from sregym_cluster_embedded.userland.replication.members import (
    Electing,
    Member,
    MemberSet,
    MemberView,
    Standing,
    member_of,
    standing_of,
)
from sregym_cluster_embedded.userland.wiring import parse_address, reach

if TYPE_CHECKING:
    from sregym_cluster_embedded.kubelet.runtime import ContainerRef
    from sregym_cluster_embedded.network.outcomes import Path
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World


def placed(
    world: World, process: Process, electing: Electing, given: MemberSet, own: Standing
) -> Standing:
    """Which member it is: that whose address leads to it when the configuration is new to it."""
    if own.number is not None and own.placed_by == given.version:
        return own
    for member in given.members:
        found = _reached(world, process, electing, member)
        if found[0] == process.ref:
            return own._replace(number=member.number, placed_by=given.version)
    return own._replace(number=None)


def _reached(
    world: World, process: Process, electing: Electing, member: Member
) -> tuple[ContainerRef | None, str, Path | None]:
    """Who answers at the address of a member, or the kind of failure, and the way there."""
    where = parse_address(member.host)
    target = reach(world, process, where.host, where.port, electing.protocol, member.host)[0]
    if target.kind or target.ref is None:
        return None, target.kind or "refused", None
    other = process_of(world, target.ref)
    if other is None or not other.running or other.served_at is None:
        return None, "refused", None
    if target.path is not None and target.path.loss >= 1:
        return None, "timeout", None
    return target.ref, "", target.path


def looked(
    world: World, process: Process, electing: Electing, given: MemberSet, own: Standing
) -> Standing:
    """Ask the others for a sign of life; the newer configuration is everybody's."""
    before = {sight.number: sight for sight in own.sights}
    found = []
    for member in given.members:
        if member.number == own.number:
            continue
        ref, kind, path = _reached(world, process, electing, member)
        other = None if ref is None else process_of(world, ref)
        if other is not None and electing.set_name(other) != given.name:
            ref, kind = None, "protocol"
        known = before.get(member.number)
        if ref is not None and other is not None:
            _agree(world, electing, process, other)
        sight = MemberView(
            member.number, ref, world.now, world.now if ref is not None else -1.0, kind, path
        )
        if known is not None and (known.ref is None) == (ref is None):
            sight = sight._replace(since=known.since)
        if ref is None and known is not None:
            sight = sight._replace(heard=known.heard)
        if ref is None and (known is None or known.ref is not None):
            electing.tell(world, process, "lost", {"host": member.host, "kind": kind})
        found.append(sight)
    _tell_roles(world, process, electing, given, own, found)
    return own._replace(sights=tuple(found))


def _agree(world: World, electing: Electing, process: Process, other: Process) -> None:
    """Both have the newer of their configurations from then on."""
    ours, theirs = electing.member_set(world, process), electing.member_set(world, other)
    if ours is not None and (theirs is None or theirs.version < ours.version):
        electing.adopt(world, other, ours)
    elif theirs is not None and ours is not None and theirs.version > ours.version:
        electing.adopt(world, process, theirs)


def _tell_roles(
    world: World, process: Process, electing: Electing, given: MemberSet, own: Standing,
    found: list[MemberView],
) -> None:  # fmt: skip
    """Members whose role is another than when they were last heard are told of in the log."""
    before = {sight.number: sight for sight in own.sights}
    for sight in found:
        if sight.ref is None:
            continue
        other, known = standing_of(world, sight.ref), before.get(sight.number)
        heard = -1.0 if known is None or known.ref is None else known.heard
        if other is not None and (other.since > heard or heard < 0):
            facts = {"host": member_of(given, sight.number).host, "role": other.role}
            electing.tell(world, process, "found", facts)
