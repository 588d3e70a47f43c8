"""After an episode: give the world its baseline back, and say what still differs from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.progress import Progress
from sregym_core.conductor.readiness import wait_ready
from sregym_core.interfaces import restore_settings

if TYPE_CHECKING:
    from sregym_core.conductor.journal import UndoJournal
    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import Application, Fault, FaultContext

READY_TIMEOUT_S = 900.0
# Copies of a store take what the undo wrote a while after the one that leads.
COPIES_S, COPIES_POLL_S = 120.0, 2.0


def recover(
    world: World,
    application: Application,
    faults: tuple[tuple[Fault, FaultContext], ...],
    journal: UndoJournal,
    progress: Progress | None = None,
) -> str:
    """Undo faults and whatever the agent changed; objects first, since commands need pods.

    Before all else goes what would stand in the way, and what everything stands in is recreated.
    Nodes report for minutes what no longer is; commands wait until they do not.

    Returns:
        What differs from the baseline, in words; empty when nothing does.

    Raises:
        WorldError: An undo command failed, a node does not become as before, or the application
            does not get ready again.
        ClusterError: The API refused a step.
    """
    cluster = world.cluster
    progress = progress or Progress()
    with progress.phase(cluster.clock, "undoing what was changed") as phase:
        phase.look()
        _undo(world, application, faults, journal)
    wait_ready(cluster, application, READY_TIMEOUT_S, progress=progress)
    hidden = world.baseline.hidden
    cluster.clock.wait_until(lambda: cluster.hidden_state() == hidden, COPIES_S, COPIES_POLL_S)
    return remaining_difference(world, application)


def _undo(
    world: World,
    application: Application,
    faults: tuple[tuple[Fault, FaultContext], ...],
    journal: UndoJournal,
) -> None:
    cluster, baseline = world.cluster, world.baseline
    access = cluster.nodes
    if access is not None:  # machines before what runs on them
        journal.undo_nodes(cluster)
        restore_settings(access, baseline.nodes)
    cluster.restore_machines(baseline.machines)
    cluster.operations.remove_blockers(application, baseline)
    for fault, context in reversed(faults):
        fault.recover(context)
    journal.undo_objects(cluster)
    cluster.operations.restore(application, baseline)
    journal.undo_commands(cluster)


def remaining_difference(world: World, application: Application) -> str:
    """What differs from the baseline, in words; empty when nothing does."""
    operations = world.cluster.operations
    objects = operations.capture(application.namespaces)
    found = list(operations.differences(world.baseline.objects, objects))
    before, after = world.baseline.hidden, world.cluster.hidden_state()
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            found.append(f"{name} differs")
    if world.cluster.nodes is not None:
        was = {setting.key: setting for setting in world.baseline.nodes}
        now = {setting.key: setting for setting in world.cluster.nodes.settings()}
        keys = sorted(key for key in was.keys() | now.keys() if was.get(key) != now.get(key))
        found += [f"{key} differs" for key in keys]
    return "; ".join(found)
