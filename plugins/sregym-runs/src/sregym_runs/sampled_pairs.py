"""Pairs of faults and targets as problems: all of them, or a seeded sample."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from sregym_core.api import pair, pairs

if TYPE_CHECKING:
    from sregym_core.api import Workspace
    from sregym_core.model import Problem


def sampled_pairs(
    workspace: Workspace, count: int | None, seed: int, cluster: str
) -> tuple[Problem, ...]:
    """Pairs as problems, in their order: all that such a cluster can play, or so many by the seed."""
    factory = workspace.factory
    able = factory.provider(cluster).capabilities
    every = [
        one
        for one in pairs(workspace=workspace)
        if able is None or able.issuperset(factory.fault(one.fault).needs)
    ]
    chance = Random(f"sample of pairs, seed {seed}")  # noqa: S311 - a game, no secret
    drawn = chance.sample(range(len(every)), min(count or len(every), len(every)))
    chosen = (every[place] for place in sorted(drawn))
    return tuple(
        pair(one.fault, one.application, str(one.target), workspace=workspace) for one in chosen
    )
