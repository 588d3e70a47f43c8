"""Two groups of episodes beside each other, and all agents of a campaign pair by pair."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from sregym_statistics.estimates import SEED, mean_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sregym_statistics.facts import EpisodeFacts

# Up to so many problems all assignments of signs are looked at: 4,096.
_EXACT = 12
_DRAWS = 9999

METRICS: Mapping[str, Callable[[EpisodeFacts], float | None]] = {
    "diagnosis": lambda one: _number(one.diagnosis),
    "mitigation": lambda one: _number(one.mitigation),
    "e2e": lambda one: _number(one.e2e),
    "ttd_s": lambda one: one.ttd_s,
    "ttm_s": lambda one: one.ttm_s,
    "tokens": lambda one: _number(one.tokens),
    "cost": lambda one: one.cost,
    "steps": lambda one: float(one.steps),
}


@dataclass(frozen=True)
class Difference:
    """A metric in two groups, over what both have played.

    Attributes:
        a: Mean over problems in the first group; None where it has no value.
        b: The same in the second.
        difference: b minus a.
        low: Lower end of the 95 % interval of the difference, by bootstrap over problems.
        high: Its upper end.
        p: Of the paired permutation test over problems, two-sided.
        problems: In how many problems both have values.
        adjusted: `p` after Holm's correction, where several pairs were compared.
    """

    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    problems: int
    adjusted: float | None = None


def compare(first: Sequence[EpisodeFacts], second: Sequence[EpisodeFacts]) -> dict[str, Difference]:
    """All metrics of two groups of episodes, by name.

    Paired are problems in the same mode and with the same noise that both have graded; in each, the
    mean over seeds and attempts is compared. A group's own mean is over the paired problems alone:
    an agent that skipped hard problems gains nothing.
    """
    return {name: _difference(first, second, value) for name, value in METRICS.items()}


def pairwise(facts: Sequence[EpisodeFacts], metric: str) -> dict[tuple[str, str], Difference]:
    """All pairs of agents in one metric, with `adjusted` over all of these pairs (Holm)."""
    from dataclasses import replace

    agents = sorted({one.agent for one in facts})
    found = {
        (a, b): _difference(
            [one for one in facts if one.agent == a],
            [one for one in facts if one.agent == b],
            METRICS[metric],
        )
        for a, b in combinations(agents, 2)
    }
    tested = {pair: one.p for pair, one in found.items() if one.p is not None}
    if tested:
        from statsmodels.stats.multitest import multipletests

        corrected = multipletests(list(tested.values()), method="holm")[1]
        for pair, p in zip(tested, corrected, strict=True):
            found[pair] = replace(found[pair], adjusted=float(p))
    return found


def _difference(
    first: Sequence[EpisodeFacts],
    second: Sequence[EpisodeFacts],
    value: Callable[[EpisodeFacts], float | None],
) -> Difference:
    a, b = _by_condition(first, value), _by_condition(second, value)
    both = sorted(a.keys() & b.keys())
    if not both:
        return Difference(_mean(a), _mean(b), None, None, None, None, 0)
    by_problem: dict[str, list[float]] = defaultdict(list)
    for key in both:
        by_problem[key[0]].append(b[key] - a[key])
    changes = [sum(found) / len(found) for found in by_problem.values()]
    estimate = mean_of(changes)
    return Difference(
        a=_mean({key: a[key] for key in both}),
        b=_mean({key: b[key] for key in both}),
        difference=estimate.value,
        low=estimate.low,
        high=estimate.high,
        p=_p(changes),
        problems=len(changes),
    )


def _by_condition(
    facts: Sequence[EpisodeFacts], value: Callable[[EpisodeFacts], float | None]
) -> dict[tuple[str, str, str], float]:
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for one in facts:
        number = value(one) if one.graded else None
        if number is not None:
            groups[one.problem.id, one.mode, one.noise].append(number)
    return {key: sum(found) / len(found) for key, found in groups.items()}


def _mean(values: Mapping[tuple[str, str, str], float]) -> float | None:
    """Each problem counts once, in however many conditions it was played."""
    problems: dict[str, list[float]] = defaultdict(list)
    for key, number in values.items():
        problems[key[0]].append(number)
    means = [sum(found) / len(found) for found in problems.values()]
    return sum(means) / len(means) if means else None


def _p(changes: Sequence[float]) -> float | None:
    """Whether changes of problems have a sign: signs are permuted. None for a single problem."""
    if len(changes) < 2:
        return None
    if not any(changes):
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    found = permutation_test(
        (np.asarray(changes, dtype=float),),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf if len(changes) <= _EXACT else _DRAWS,
        rng=np.random.default_rng(SEED),
    )
    return float(found.pvalue)


def _number(value: float | bool | None) -> float | None:
    return None if value is None else float(value)
