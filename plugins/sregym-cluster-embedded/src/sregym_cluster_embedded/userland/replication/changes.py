"""How changes come from one server to another: what there was at a moment, and how far a copy is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sregym_apps.model import WRITING

from sregym_cluster_embedded.keys import TableKey
from sregym_cluster_embedded.userland.command_counts import command_count
from sregym_cluster_embedded.userland.replication.sleeping import schedule_checks

if TYPE_CHECKING:
    from sregym_cluster_embedded.network.outcomes import Path
    from sregym_cluster_embedded.userland.process import Process
    from sregym_cluster_embedded.world import World

# By the identity of a data directory: what it held since when, oldest first.
_CHANGES: TableKey[str, tuple[tuple[float, Any], ...]] = TableKey("userland.replicated-changes")
_KEPT = 64
# What a change of a program weighs on the wire, and what a link carries of older changes a second
# for each second of new ones when nothing limits it.
_CHANGE_BYTES, _AHEAD = 512, 20.0


class Progress(NamedTuple):
    """How far a copy is.

    Attributes:
        applied: Virtual second up to which it has all changes of its source.
        looked: Virtual second at which that was worked out.
        changes: How many its source had counted then; negative: not looked at yet.
    """

    applied: float
    looked: float
    changes: int = -1


def record(world: World, storage: str, data: Any, at: float | None = None) -> None:
    """Remember what a data directory holds from a moment on; now unless given.

    Args:
        world: The cluster.
        storage: Identity of the directory.
        data: An immutable value.
        at: Virtual second up to which a copy has the changes of its source.
    """
    table = world.table(_CHANGES)
    entry = (world.now if at is None else at, data)
    known = table.get(storage, ())
    if known and known[-1][1] is data:
        return
    table[storage] = (*(one for one in known if one[0] <= entry[0]), entry)[-_KEPT:]
    schedule_checks(world)


def as_of(world: World, storage: str, second: float) -> Any | None:
    """What a data directory held at a moment; the oldest that is known of moments before; else None."""
    known = world.table(_CHANGES).get(storage, ())
    found = known[0][1] if known else None
    for at, data in known:
        if at <= second:
            found = data
    return found


def initial_progress(world: World, progress: Progress, storage: str) -> Progress:
    """How far a copy is that may have nothing yet: then there is nothing to take of times before the source's data.

    Args:
        world: The cluster.
        progress: How far it is; before virtual second 0 when it has nothing.
        storage: Identity of the directory that it copies.
    """
    if progress.applied >= 0:
        return progress
    known = world.table(_CHANGES).get(storage, ())
    return progress._replace(applied=known[0][0] if known else world.now)


def caught_up(
    world: World,
    progress: Progress,
    source: Process,
    path: Path | None,
    *,
    stopped: bool = False,
    delay_s: float = 0.0,
) -> Progress:
    """How far a copy is by now.

    Args:
        world: The cluster.
        progress: How far it was when it last looked.
        source: The source whose changes it takes.
        path: The way of packets between both; a narrow one carries only so many changes.
        stopped: Whether it takes them, but does not apply them.
        delay_s: How old changes must be before it applies them.
    """
    passed = world.now - progress.looked
    if stopped or passed <= 0:
        return progress._replace(looked=world.now)
    newest = world.now - delay_s
    speed, changes = 1 + _AHEAD, -1
    if path is not None and path.bandwidth_mbit:
        # Counting takes long: only where it matters.
        changes = command_count(world, source.ref, *WRITING)
        known = progress.changes if progress.changes >= 0 else changes
        bytes_s = max(0, changes - known) * _CHANGE_BYTES / passed
        speed = min(speed, path.bandwidth_mbit * 1e6 / 8 / bytes_s) if bytes_s else speed
    applied = progress.applied + passed * speed
    # What it has, it keeps: a delay that is set later holds it up until the rest has come of age.
    applied = max(progress.applied, min(applied, newest))
    return Progress(applied, world.now, changes)
