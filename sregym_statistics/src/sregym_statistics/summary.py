"""Everything that a report says of a campaign, as plain data."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sregym_core.model import Outcome

from sregym_statistics.comparison import METRICS, compare, pairwise
from sregym_statistics.conduct import FailureClass
from sregym_statistics.estimates import over_problems, pass_at_k, pass_hat_k, rate
from sregym_statistics.power import attempts_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sregym_statistics.facts import EpisodeFacts

SPLITS: dict[str, Callable[[EpisodeFacts], Iterable[str]]] = {
    "layer": lambda one: (one.problem.layer,),
    "mode": lambda one: (one.mode,),
    "noise": lambda one: (one.noise or "as the problem says",),
    "suite": lambda one: one.problem.suites,
    "origin": lambda one: (one.problem.origin,),
    "difficulty": lambda one: (one.problem.difficulty,),
    "application": lambda one: (one.problem.application,),
}
QUESTION = 0.05
_RATES = ("diagnosis", "mitigation", "e2e")


def summarise(facts: Sequence[EpisodeFacts], *, quiet_noise: str = "none") -> dict[str, Any]:
    """All figures of a campaign.

    Args:
        facts: Of all its episodes.
        quiet_noise: The level of noise against which others are set.

    Returns:
        `agents` by name, `splits` by what and group and agent, `pairs` of agents, `problems` (the
        grid of problems and agents), all as JSON has them.
    """
    agents = sorted({one.agent for one in facts})
    by_agent = {name: [one for one in facts if one.agent == name] for name in agents}
    return {
        "episodes": len(facts),
        "agents": {name: _agent(mine, quiet_noise) for name, mine in by_agent.items()},
        "splits": {
            what: _split(by_agent, groups)
            for what, groups in SPLITS.items()
            if any(True for one in facts for _ in groups(one))
        },
        "pairs": [
            {"metric": metric, "a": a, "b": b, "result": asdict(found)}
            for metric in _RATES
            for (a, b), found in pairwise(facts, metric).items()
        ],
        "problems": _grid(by_agent),
    }


def _agent(facts: Sequence[EpisodeFacts], quiet_noise: str) -> dict[str, Any]:
    graded = [one for one in facts if one.graded]
    return {
        "informed": any(one.informed for one in facts),
        "episodes": len(facts),
        "graded": len(graded),
        "errors": sum(one.outcome is Outcome.ERROR for one in facts),
        "skipped": sum(one.outcome is Outcome.SKIP for one in facts),
        "undecided": sum(one.undecided for one in facts),
        **{name: asdict(rate(getattr(one, name) for one in graded)) for name in _RATES},
        "over_problems": {
            name: asdict(over_problems((one.problem.id, value(one)) for one in graded))
            for name, value in METRICS.items()
        },
        **_totals(facts),
        "pass_at": _at_k(graded),
        "mitigation_given": _conditional(graded),
        "noise_effect": _noise_effect(graded, quiet_noise),
        "seeds": _seeds(graded),
        "power": asdict(attempts_needed(graded, QUESTION)) if graded else None,
        "failures": _failures(graded),
        "tool_classes": _tool_classes(graded),
        "first_write": asdict(
            over_problems((one.problem.id, one.conduct.first_write) for one in graded)
        ),
        "reads_before_write": asdict(
            over_problems((one.problem.id, one.conduct.reads_before_write) for one in graded)
        ),
        "evidence": asdict(over_problems((one.problem.id, one.conduct.evidence) for one in graded)),
        "ungrounded": asdict(_ungrounded(graded)),
        "curves": {name: _curve(graded, name) for name in ("ttd_s", "ttm_s")},
    }


def _totals(facts: Sequence[EpisodeFacts]) -> dict[str, Any]:
    tokens = [one.tokens for one in facts if one.tokens is not None]
    costs = [one.cost for one in facts if one.cost is not None]
    return {
        "tokens_total": sum(tokens) if tokens else None,
        "cost_total": sum(costs) if costs else None,
    }


def _at_k(facts: Sequence[EpisodeFacts]) -> list[dict[str, Any]]:
    """For k = 1, 2, 4, 8 ... as far as there are attempts."""
    outcomes = [((one.problem.id, one.mode, one.noise), one.e2e) for one in facts]
    most = max(Counter(key for key, known in outcomes if known is not None).values(), default=0)
    found, k = [], 1
    while k <= most:
        found.append(
            {
                "k": k,
                "at": asdict(pass_at_k(outcomes, k)),
                "hat": asdict(pass_hat_k(outcomes, k)),
            }
        )
        k = most if k < most < 2 * k else 2 * k
    return found


def _conditional(facts: Sequence[EpisodeFacts]) -> dict[str, Any]:
    """P(M|D) and P(M|not D): how often a repair succeeds with a right and with a wrong diagnosis."""
    return {
        word: asdict(rate(one.mitigation for one in facts if one.diagnosis is right))
        for word, right in (("diagnosed", True), ("not_diagnosed", False))
    }


def _noise_effect(facts: Sequence[EpisodeFacts], quiet: str) -> dict[str, Any]:
    """Against the same problems without noise; pairing forgets which level it was."""
    from dataclasses import replace

    levels = sorted({one.noise for one in facts} - {quiet})
    base = [replace(one, noise="") for one in facts if one.noise == quiet]
    if not base:
        return {}
    return {
        level: {
            name: asdict(found)
            for name, found in compare(
                base, [replace(one, noise="") for one in facts if one.noise == level]
            ).items()
            if name in _RATES
        }
        for level in levels
    }


def _seeds(facts: Sequence[EpisodeFacts]) -> dict[str, Any]:
    """How much end-to-end results depend on the seed."""
    import numpy as np

    by_seed: dict[int, list[bool]] = defaultdict(list)
    by_problem: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for one in facts:
        if one.e2e is not None:
            by_seed[one.seed].append(one.e2e)
            by_problem[one.problem.id][one.seed].append(one.e2e)
    rates = {str(seed): sum(found) / len(found) for seed, found in sorted(by_seed.items())}
    several = [seeds for seeds in by_problem.values() if len(seeds) > 1]
    within = [np.var([np.mean(found) for found in seeds.values()], ddof=1) for seeds in several]
    return {
        "rates": rates,
        "deviation": float(np.std(list(rates.values()), ddof=1)) if len(rates) > 1 else None,
        "variance_within_problems": float(np.mean(within)) if within else None,
        "unstable_problems": sum(
            len({round(float(np.mean(found)), 9) for found in seeds.values()}) > 1
            for seeds in several
        ),
        "problems_with_several_seeds": len(several),
    }


def _failures(facts: Sequence[EpisodeFacts]) -> dict[str, int]:
    counts = Counter(str(kind) for one in facts for kind in one.conduct.failures)
    return {str(kind): counts[str(kind)] for kind in FailureClass}


def _tool_classes(facts: Sequence[EpisodeFacts]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in facts:
        total.update(one.conduct.classes)
    return dict(sorted(total.items()))


def _ungrounded(facts: Sequence[EpisodeFacts]) -> Any:
    """Of right diagnoses, how many were handed in without having seen evidence of the cause."""
    return rate(
        one.conduct.evidence == 0.0
        for one in facts
        if one.diagnosis and one.conduct.evidence is not None
    )


def _curve(facts: Sequence[EpisodeFacts], name: str) -> list[list[float]]:
    """Points (seconds, share of graded episodes that had passed by then)."""
    stage = "diagnosis" if name == "ttd_s" else "mitigation"
    judged = [one for one in facts if getattr(one, stage) is not None]
    times = sorted(getattr(one, name) for one in judged if getattr(one, name) is not None)
    return [[time, (i + 1) / len(judged)] for i, time in enumerate(times)]


def _split(
    by_agent: dict[str, list[EpisodeFacts]], groups: Callable[[EpisodeFacts], Iterable[str]]
) -> dict[str, dict[str, Any]]:
    """Group, agent, and the three rates of what was graded."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for agent, facts in by_agent.items():
        members: dict[str, list[EpisodeFacts]] = defaultdict(list)
        for one in facts:
            for group in groups(one):
                if one.graded:
                    members[group].append(one)
        for group, mine in members.items():
            found[group][agent] = {
                name: asdict(rate(getattr(one, name) for one in mine)) for name in _RATES
            }
    return {group: found[group] for group in sorted(found)}


def _grid(by_agent: dict[str, list[EpisodeFacts]]) -> dict[str, dict[str, Any]]:
    """Problem, agent, and how often it was solved; all that is known of the problem."""
    found: dict[str, dict[str, Any]] = {}
    for agent, facts in by_agent.items():
        for one in facts:
            row = found.setdefault(
                one.problem.id,
                {
                    "application": one.problem.application,
                    "layer": one.problem.layer,
                    "origin": one.problem.origin,
                    "difficulty": one.problem.difficulty,
                    "agents": {},
                },
            )
            cell = row["agents"].setdefault(
                agent, {"solved": 0, "graded": 0, "errors": 0, "undecided": 0}
            )
            cell["solved"] += one.e2e is True
            cell["graded"] += one.e2e is not None
            cell["errors"] += one.outcome is Outcome.ERROR
            cell["undecided"] += one.undecided
    return {problem: found[problem] for problem in sorted(found)}
