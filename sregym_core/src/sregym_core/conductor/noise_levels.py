"""Which sources of noise an episode gets, and how much of each."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from sregym_core.conductor.attribution import blamed
from sregym_core.conductor.noise import NoisePump
from sregym_core.conductor.targets import names_of_nodes
from sregym_core.errors import WorldError
from sregym_core.model import Component
from sregym_core.model.noise_setting import parse_noise
from sregym_core.salt import salted_seed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.conductor.component_factory import ComponentFactory
    from sregym_core.conductor.plan import EpisodePlan
    from sregym_core.conductor.setup import Setup
    from sregym_core.model import Problem
    from sregym_core.registry import Registry

# So many sources more with each level.
SOURCES_A_LEVEL = 4


def levels_of(problem: Problem, registry: Registry, seed: int) -> dict[str, int]:
    """Level of each source of a problem's noise, by name; without those of level 0.

    What a problem names counts as it stands there, 0 included. Its `noise_level` adds a mixture of
    what is installed: more sources with each level, from all families, chosen by the seed.

    Args:
        problem: Whose.
        registry: Lists what is installed.
        seed: From which the choice follows; it must not be visible in the world.

    Raises:
        UsageError: What stands in `noise` is no dose.
    """
    named = {dose.name: dose.level for dose in map(parse_noise, problem.noise)}
    level = problem.noise_level
    if level:
        families: dict[str, list[str]] = {}
        for name in registry.names("noise source"):
            if name not in named:
                family = registry.load("noise source", name).family
                families.setdefault(family, []).append(name)
        for name in mixture(families, level, seed):
            named[name] = level
    return {name: named[name] for name in sorted(named) if named[name]}


def mixture(families: Mapping[str, list[str]], level: int, seed: int) -> list[str]:
    """Names of `SOURCES_A_LEVEL` sources a level, or of all: one of each family after the other."""
    chance = Random(f"mixture of noise, seed {seed}")  # noqa: S311 - a game, no secret
    left = {
        name: chance.sample(members, len(members)) for name, members in sorted(families.items())
    }
    order = chance.sample(sorted(left), len(left))
    chosen: list[str] = []
    wanted = SOURCES_A_LEVEL * level
    while len(chosen) < wanted and any(left.values()):
        for family in order:
            if left[family] and len(chosen) < wanted:
                chosen.append(left[family].pop())
    return chosen


def pump_for(
    factory: ComponentFactory,
    plan: EpisodePlan,
    setup: Setup,
    salt: str,
) -> NoisePump:
    """What disturbs an episode whose world is there.

    Args:
        factory: Where sources come from.
        plan: The episode.
        setup: Its world, and its faults with their targets, which are spared.
        salt: Of the run: moments and victims cannot be foreseen without it.

    Raises:
        WorldError: There is no world.
    """
    if setup.world is None:
        msg = "the episode has no world that could be disturbed"
        raise WorldError(msg)
    problem = plan.problem
    seed = salted_seed(salt, "noise", plan.seed)
    levels = levels_of(problem, factory.registry, seed)
    targets = [context.target for _, context in setup.faults]
    named = [name for ref in problem.faults for name in ref.components]
    chosen = [target.name for target in targets if isinstance(target, Component)]
    return NoisePump(
        [factory.noise(name) for name in levels],
        setup.world.cluster,
        setup.application,
        tuple(dict.fromkeys([*named, *chosen])),
        seed,
        setup.timeline,
        partial(blamed, registry=factory.registry),
        levels,
        tuple(dict.fromkeys(name for target in targets for name in names_of_nodes(target))),
        setup.journal,
    )
