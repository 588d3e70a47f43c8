"""What a mode gives an agent besides the system, and its part of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sregym_core.interfaces import ClusterError, ResourcesContext

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.session import LiveSession
    from sregym_core.conductor.worlds import World
    from sregym_core.interfaces import Application, EpisodeResources

# What users saw in so many seconds.
LOOK_S = 30.0


def resources_of(
    plan: EpisodePlan, world: World, application: Application
) -> EpisodeResources | None:
    """Those of an episode; None where its mode has none."""
    return plan.mode.resources(
        ResourcesContext(application, plan.seed, served_in(world, application))
    )


def served_in(world: World, application: Application) -> Callable[[], float | None]:
    """Measures the share of the users' requests that succeeds."""

    def served() -> float | None:
        try:
            seen = application.traffic(world.cluster, LOOK_S)
        except ClusterError:
            return None
        return seen.success_rate if seen.requests else None

    return served


def account_of(session: LiveSession | None, world: World | None, at_s: float) -> Mapping[str, Any]:
    """Its part of a record, by field; nothing where there was none.

    Args:
        session: With its resources, if any.
        world: Whose baseline defines served.
        at_s: Seconds on the episode's clock now.
    """
    resources = None if session is None else session.resources
    if resources is None or world is None:
        return {}
    now = world.cluster.clock.now()
    usual = world.baseline.traffic.success_rate
    return resources.account(lambda moment: round(at_s - (now - moment), 3), usual)
