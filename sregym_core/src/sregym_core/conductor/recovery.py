"""After an episode: give the world its baseline back, and say what still differs from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.objects import (
    capture,
    clear_the_way,
    differences,
    refound,
    restore,
)
from sregym_core.conductor.readiness import wait_ready

if TYPE_CHECKING:
    from sregym_core.conductor.journal import UndoJournal
    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import Application, Fault, FaultContext

READY_TIMEOUT_S = 900.0


def recover(
    world: World,
    application: Application,
    faults: tuple[tuple[Fault, FaultContext], ...],
    journal: UndoJournal,
) -> None:
    """Undo faults and whatever the agent changed; objects first, since commands need pods.

    Before all else goes what would stand in the way, and what everything stands in is made anew.

    Raises:
        WorldError: An undo command failed, or the application does not get ready again.
        ClusterError: The API refused a step.
    """
    cluster, baseline = world.cluster, world.baseline.objects
    clear_the_way(cluster, baseline, application.namespaces)
    places = [obj for obj in application.manifests() if obj["kind"] == "Namespace"]
    refound(cluster, places, baseline)
    for fault, context in reversed(faults):
        fault.recover(context)
    journal.undo_objects(cluster)
    restore(cluster, baseline, application.namespaces)
    journal.undo_commands(cluster)
    wait_ready(cluster, application, READY_TIMEOUT_S)


def remaining_difference(world: World, application: Application) -> str:
    """What differs from the baseline, in words; empty when nothing does."""
    objects = capture(world.cluster, application.namespaces)
    found = list(differences(world.baseline.objects, objects))
    before, after = world.baseline.hidden, world.cluster.hidden_state()
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            found.append(f"{name} differs")
    return "; ".join(found)
