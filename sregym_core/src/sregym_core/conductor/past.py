"""Deploying an application and letting the time pass that it is to have behind it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sregym_core.conductor.readiness import READY_TIMEOUT_S, take_baseline, wait_ready
from sregym_core.interfaces import RoutineContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_core.interfaces import Application, Baseline, Cluster, History, Routine


def deploy_in_time(
    cluster: Cluster,
    application: Application,
    history: History,
    seed: int,
    routines: Sequence[Routine],
) -> None:
    """Deploy an application and go through its history.

    Args:
        cluster: On virtual time.
        application: The application.
        history: What it is to have behind it.
        seed: Of the cluster.
        routines: What plays its past.

    Raises:
        WorldError: It did not get ready, or did not again after a restart.
    """
    clock = cluster.clock
    cluster.operations.grant(())  # those on call had their role before there was this application
    clock.advance(history.cluster_s + sum(routine.quiet_s(seed) for routine in routines))
    application.deploy_with_load(cluster, history.load)
    cluster.operations.grant(application.namespaces)
    if not history.application_s:
        return
    now = clock.now() + history.application_s
    context = _context(cluster, application, seed)
    for routine in routines:
        routine.past(context, history)
    clock.advance(max(0.0, now - clock.now()))


def lived_in(
    cluster: Cluster, application: Application, seed: int, routines: Sequence[Routine]
) -> Baseline:
    """Let a warm application live through its last hours, and record it as the baseline.

    Args:
        cluster: Where it runs, on virtual time.
        application: The application.
        seed: Of the world.
        routines: What plays these hours.

    Raises:
        WorldError: The application does not serve its users afterwards.
    """
    context = _context(cluster, application, seed)
    for routine in routines:
        routine.before_baseline(context)
    return take_baseline(cluster, application)


def _context(cluster: Cluster, application: Application, seed: int) -> RoutineContext:
    ready = partial(wait_ready, cluster, application, READY_TIMEOUT_S)
    return RoutineContext(cluster, application, seed, ready)
