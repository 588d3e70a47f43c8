"""What oracles judge an episode by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sregym_core.conductor.probing import clients
from sregym_core.conductor.states import KeptStates
from sregym_core.interfaces import OracleContext

if TYPE_CHECKING:
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.setup import Setup
    from sregym_core.conductor.states import Found
    from sregym_core.conductor.worlds import World


def facts_of(
    world: World, plan: EpisodePlan, setup: Setup, found: Found | None, salt: str
) -> OracleContext:
    """All of it but what was submitted."""
    cluster, application, objects = world.cluster, setup.application, world.baseline.objects
    states = None
    if found is not None:
        known = setup.states if plan.extra_setup is None else {}
        states = KeptStates(cluster, application, setup.faults, found, plan.seed, salt, known)
    return OracleContext(
        cluster=cluster,
        application=application,
        problem=plan.problem,
        ground_truths=setup.ground_truths,
        faults=setup.faults,
        baseline=world.baseline,
        states=states,
        probe=clients(cluster, application, objects, plan.seed, salt),
        brief=plan.brief,
    )
