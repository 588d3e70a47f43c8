"""Which sources of noise an episode gets, and how much of each."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sregym_core.interfaces import NoiseRequest

# So many sources more with each level.
SOURCES_A_LEVEL = 4


def levels_of(request: NoiseRequest) -> dict[str, int]:
    """Level of each source of an episode's noise, by name; without those of level 0.

    What a problem names counts as it stands there, 0 included. The level of the request adds a
    mixture of what is installed: more sources with each level, from all families, chosen by the seed.
    """
    named = dict(request.doses)
    if request.level:
        families: dict[str, list[str]] = {}
        for name in request.names:
            if name not in named:
                families.setdefault(request.load(name).family, []).append(name)
        for name in mixture(families, request.level, request.context.seed):
            named[name] = request.level
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
