"""How many episodes a difference needs to be seen."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sregym_statistics.facts import EpisodeFacts

ALPHA = 0.05
POWER = 0.8


@dataclass(frozen=True)
class Power:
    """What a difference of end-to-end rates asks for.

    Attributes:
        difference: That is to be seen, 0 to 1.
        rate: From which rate on.
        unpaired: Episodes of each agent, where the two play different problems.
        paired: Pairs of episodes, where both play the same problems in the same worlds.
        attempts: Of each problem, seeds and attempts together; None without any episodes.
        problems: How many problems there are.
        detectable: The smallest difference that the episodes at hand show; None without any.
    """

    difference: float
    rate: float
    unpaired: int
    paired: int
    attempts: int | None
    problems: int
    detectable: float | None


def attempts_needed(
    facts: Sequence[EpisodeFacts],
    difference: float,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
) -> Power:
    """How much has to be played until a difference of end-to-end rates is seen.

    Rate and spread between problems are those of the episodes at hand. Two agents are thought
    equally consistent, and on the same problem independent of each other beyond its difficulty.

    Args:
        facts: Of one agent, graded.
        difference: Of the rates, 0 to 1.
        alpha: Of the two-sided test.
        power: Probability with which it is seen.
    """
    from statsmodels.stats.power import NormalIndPower, TTestPower
    from statsmodels.stats.proportion import proportion_effectsize

    groups: dict[str, list[bool]] = defaultdict(list)
    for one in facts:
        if one.e2e is not None:
            groups[one.problem.id].append(one.e2e)
    rates = [sum(found) / len(found) for found in groups.values()]
    level = sum(rates) / len(rates) if rates else 0.5
    # Where there is no room above, the difference is looked for below.
    other = level + difference if level + difference <= 1.0 else level - difference
    size = abs(proportion_effectsize(other, level))
    unpaired = NormalIndPower().solve_power(size, alpha=alpha, power=power)
    spread = _spread(rates or [level], other - level)
    paired = TTestPower().solve_power(difference / spread, alpha=alpha, power=power)
    pairs = math.ceil(float(paired))
    smallest = None
    done = sum(map(len, groups.values()))
    if done > 1:
        effect = TTestPower().solve_power(nobs=done, alpha=alpha, power=power)
        smallest = min(1.0, float(effect) * spread)
    return Power(
        difference=difference,
        rate=level,
        unpaired=math.ceil(float(unpaired)),
        paired=pairs,
        attempts=math.ceil(pairs / len(groups)) if groups else None,
        problems=len(groups),
        detectable=smallest,
    )


def _spread(rates: Sequence[float], shift: float) -> float:
    """Standard deviation of the difference of two episodes of the same problem."""
    variance = 0.0
    for rate in rates:
        other = min(1.0, max(0.0, rate + shift))
        variance += rate * (1 - rate) + other * (1 - other)
    # Where all problems are won or lost for certain, what shifts decides.
    return math.sqrt(max(variance / len(rates), abs(shift) * (1 - abs(shift)), 1e-6))
