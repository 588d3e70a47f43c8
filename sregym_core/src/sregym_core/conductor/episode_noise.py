"""The noise of an episode: requested here, driven by a plugin."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sregym_core.conductor.attribution import blamed
from sregym_core.conductor.targets import names_of_nodes
from sregym_core.errors import UsageError
from sregym_core.interfaces import NoiseContext, NoiseRequest
from sregym_core.model import Component
from sregym_core.model.noise_setting import parse_noise
from sregym_core.salt import salted_seed

if TYPE_CHECKING:
    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.setup import Setup
    from sregym_core.interfaces import Cluster, EpisodeNoise


def noise_of(
    factory: ComponentFactory, plan: EpisodePlan, setup: Setup, cluster: Cluster, salt: str
) -> EpisodeNoise | None:
    """What disturbs an episode; None where nothing is to.

    Args:
        factory: Where sources come from.
        plan: The episode.
        setup: Its faults with their targets, which are spared.
        cluster: Its world.
        salt: Of the run: moments and victims cannot be foreseen without it.

    Raises:
        UsageError: What stands in `noise` is no dose, or no plugin drives noise.
    """
    problem, registry = plan.problem, factory.registry
    doses = {dose.name: dose.level for dose in map(parse_noise, problem.noise)}
    if not problem.noise_level and not any(doses.values()):
        return None
    targets = [context.target for _, context in setup.faults]
    named = [name for ref in problem.faults for name in ref.components]
    chosen = [target.name for target in targets if isinstance(target, Component)]
    request = NoiseRequest(
        doses,
        problem.noise_level,
        registry.names("noise source"),
        partial(registry.load, "noise source"),
        factory.noise,
        NoiseContext(
            cluster,
            setup.application,
            tuple(dict.fromkeys([*named, *chosen])),
            salted_seed(salt, "noise", plan.seed),
            excluded_nodes=tuple(
                dict.fromkeys(name for target in targets for name in names_of_nodes(target))
            ),
            journal=setup.journal,
        ),
        setup.timeline.record,
        partial(blamed, registry=registry),
    )
    driven: EpisodeNoise | None = factory.plugins.manager.hook.sregym_drive_noise(request=request)
    if driven is None:
        msg = (
            f"problem {problem.id!r} is to be noisy, and no plugin that is installed drives noise: "
            "pip install sregym-injectors"
        )
        raise UsageError(msg)
    return driven
